//! Hostfiles: what their lines say about nodes, kept for stretches of nodes with equal lines. Source: `semantics` 1.4.

use super::pool::Pool;
use super::slots::SlotsSaid;
use crate::error::{MapError, PlaceError};
use crate::limit::{HOSTFILE_PARTS_MAX, NODES_MAX};
use crate::table::apps::AppId;
use crate::table::intervals::Intervals;
use crate::table::names::{NameRange, Names, NodeRange, TooManyNodes};
use crate::table::states::{NodeState, StateId};
use crate::text::host_types::{Hostfile, HostfileLine, HostfileWhat, Hosts};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The slots that a node is given, and its max_slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct NodeSlots {
    pub(super) said: SlotsSaid,
    pub(super) max: Option<u32>,
}

/// The names and slots of nodes, before topologies are known.
pub(super) struct SaidNodes {
    pub(super) names: Names,
    pub(super) slots: Vec<(NodeRange, NodeSlots)>,
}

pub(crate) fn too_many(error: TooManyNodes) -> MapError {
    let limit = u64::from(NODES_MAX);
    PlaceError::JobTooLarge {
        what: "nodes",
        asked: error.asked,
        limit,
    }
    .into()
}

/// What the lines of one file say about a node.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Lines {
    mentions: u32,
    slots: Option<u32>,
    ranked: u32,
    max: Option<u32>,
}

impl Lines {
    /// Adds a line.
    fn add(&mut self, line: &HostfileLine) {
        let ranked = matches!(line.what, HostfileWhat::Ranked(_));
        self.max = line.max_slots.or(self.max);
        self.ranked += u32::from(ranked);
        match line.slots {
            Some(slots) => self.slots = Some(slots),
            None if !ranked => self.mentions += 1,
            None => {}
        }
    }

    /// The slots that the lines give: the count given, and one for each other line.
    fn written(&self) -> u64 {
        let more = u64::from(self.mentions) + u64::from(self.ranked);
        u64::from(self.slots.unwrap_or(0)) + more
    }
}

/// What lines say about many nodes, as stretches of nodes about which they say the same.
#[derive(Default)]
struct LineRuns {
    /// First node -> one behind the last, and what the lines say about these nodes.
    runs: BTreeMap<u32, (u32, Lines)>,
    /// How many stretches lines met.
    parts: u64,
}

impl LineRuns {
    /// Adds a line about some nodes. Cost: the stretches that it meets.
    ///
    /// # Errors
    /// The error of `add`; `job-too-large` if lines meet too many stretches.
    fn note(
        &mut self,
        nodes: NodeRange,
        mut add: impl FnMut(&mut Lines) -> Result<(), MapError>,
    ) -> Result<(), MapError> {
        self.split(nodes.first);
        self.split(nodes.end());
        let (mut next, mut fresh) = (nodes.first, Vec::new());
        for (&first, (end, lines)) in self.runs.range_mut(nodes.first..nodes.end()) {
            if next < first {
                fresh.push((next, first));
            }
            add(lines)?;
            next = *end;
            self.parts += 1;
        }
        if next < nodes.end() {
            fresh.push((next, nodes.end()));
        }
        self.parts += fresh.len() as u64;
        for (first, end) in fresh {
            let mut lines = Lines::default();
            add(&mut lines)?;
            self.runs.insert(first, (end, lines));
        }
        if self.parts > HOSTFILE_PARTS_MAX {
            let (asked, limit) = (self.parts, HOSTFILE_PARTS_MAX);
            let what = "stretches of nodes in the lines of a hostfile";
            return Err(PlaceError::JobTooLarge { what, asked, limit }.into());
        }
        Ok(())
    }

    /// Cuts the stretch that reaches across this node's start.
    fn split(&mut self, at: u32) {
        if let Some((_, run)) = self.runs.range_mut(..at).next_back()
            && run.0 > at
        {
            let behind = *run;
            run.0 = at;
            self.runs.insert(at, behind);
        }
    }

    /// All stretches, ascending.
    fn into_iter(self) -> impl Iterator<Item = (NodeRange, Lines)> {
        let runs = self.runs.into_iter();
        runs.map(|(first, (end, lines))| {
            let count = end - first;
            (NodeRange { first, count }, lines)
        })
    }
}

/// The pool made of hostfiles: their union. The first file that names a node gives its counts.
pub(super) fn from_files(
    hosts: &Hosts,
    shared: Option<&Arc<Names>>,
) -> Result<SaidNodes, MapError> {
    let mut names = Names::apart(shared);
    let mut known = Intervals::default();
    let mut said: Vec<(NodeRange, NodeSlots)> = Vec::new();
    for &id in hosts.files.values().iter().flatten() {
        let file = &hosts.hostfiles[id];
        let excluded = excluded(file, shared);
        // Each file is checked by itself, even for nodes that an earlier file named.
        let mut own = LineRuns::default();
        // Lines about excluded nodes must make sense, too.
        let mut out = LineRuns::default();
        for line in &file.lines {
            let range = match &line.what {
                HostfileWhat::Name(range) | HostfileWhat::Ranked(range) => range,
                HostfileWhat::Exclude(_) => continue,
                HostfileWhat::Nth(_) | HostfileWhat::Empty(_) => {
                    let reason = "relative nodes select from a pool, and this file makes it";
                    return Err(bad_hostfile(file, line, reason));
                }
            };
            for nodes in excluded.find(range).0 {
                out.note(nodes, |lines| note_line(lines, file, line))?;
            }
            for kept in without(range, &excluded) {
                for nodes in names.add(&kept).map_err(too_many)? {
                    names.keep_written(nodes, &line.login);
                    own.note(nodes, |lines| note_line(lines, file, line))?;
                }
            }
        }
        for (nodes, lines) in own.into_iter() {
            let new = known.insert(nodes).into_iter();
            said.extend(new.map(|nodes| (nodes, said_by(lines))));
        }
    }
    said.sort_unstable_by_key(|(nodes, _)| nodes.first);
    Ok(SaidNodes { names, slots: said })
}

/// The node names of each line, without those that the file excludes.
pub(super) fn kept_names<'f>(
    file: &'f Hostfile,
    names: &Names,
) -> impl Iterator<Item = (&'f HostfileLine, NameRange)> {
    let excluded = excluded(file, names.shared_labels());
    file.lines.iter().flat_map(move |line| {
        let kept = match &line.what {
            HostfileWhat::Name(range) | HostfileWhat::Ranked(range) => without(range, &excluded),
            HostfileWhat::Exclude(_) | HostfileWhat::Nth(_) | HostfileWhat::Empty(_) => Vec::new(),
        };
        kept.into_iter().map(move |range| (line, range))
    })
}

/// A `slots=` in the app's own hostfile that is below the node's count lowers that count, from this app on.
///
/// # Errors
/// `job-too-large` if lines meet too many stretches.
pub(crate) fn lowered(
    pool: &mut Pool,
    hosts: &Hosts,
    app: AppId,
) -> Result<Vec<(NodeRange, StateId)>, MapError> {
    let mut said = Vec::new();
    match pool.nodes.told_slots.get(&app) {
        Some(told) => said.clone_from(told),
        None => {
            for file in hosts.own_files(app) {
                said.extend(given_counts(&pool.nodes.names, &hosts.hostfiles[*file])?);
            }
        }
    }
    let mut seen = Intervals::default();
    let mut lowered = Vec::new();
    for (nodes, slots) in said {
        for (part, state) in pool.nodes.runs.within(nodes) {
            let row = *pool.tables.states.get(state);
            if row.slots > slots {
                let state = pool.tables.state(NodeState { slots, ..row });
                let new = seen.insert(part).into_iter();
                lowered.extend(new.map(|part| (part, state)));
            }
        }
    }
    Ok(lowered)
}

/// The slots of each node for which a file gives a count.
fn given_counts(names: &Names, file: &Hostfile) -> Result<Vec<(NodeRange, u32)>, MapError> {
    let mut said = LineRuns::default();
    for (line, range) in kept_names(file, names) {
        for nodes in names.find(&range).0 {
            said.note(nodes, |lines| {
                lines.add(line);
                Ok(())
            })?;
        }
    }
    let given = said.into_iter().filter(|(_, lines)| lines.slots.is_some());
    Ok(given
        .map(|(nodes, lines)| (nodes, u32::try_from(lines.written()).unwrap_or(u32::MAX)))
        .collect())
}

/// The parts of a range of names that are not excluded. Cost: the excluded stretches inside.
fn without(range: &NameRange, excluded: &Names) -> Vec<NameRange> {
    if excluded.is_empty() || excluded.find(range).0.is_empty() {
        return vec![range.clone()];
    }
    if excluded.find(range).1.is_none() {
        return Vec::new();
    }
    // The numbers are halved until each part is entirely in or out.
    let half = |first: u64, count: u32| NameRange {
        first,
        count,
        ..range.clone()
    };
    let low = range.count / 2;
    let mut parts = without(&half(range.first, low), excluded);
    let high = half(range.first + u64::from(low), range.count - low);
    parts.extend(without(&high, excluded));
    parts
}

/// The names that a file excludes, anywhere in the file.
fn excluded(file: &Hostfile, shared: Option<&Arc<Names>>) -> Names {
    let mut names = Names::apart(shared);
    for line in &file.lines {
        if let HostfileWhat::Exclude(range) = &line.what {
            // Only a set of names: a file has fewer lines than a job may have nodes.
            let _ = names.add(range);
        }
    }
    names
}

fn note_line(lines: &mut Lines, file: &Hostfile, line: &HostfileLine) -> Result<(), MapError> {
    if line.slots.is_some() && (lines.mentions > 0 || lines.slots.is_some()) {
        return Err(bad_hostfile(
            file,
            line,
            "the slots of this node are given twice",
        ));
    }
    lines.add(line);
    let NodeSlots { said, max } = said_by(*lines);
    if max.is_some_and(|max| u64::from(max) < said.counted) {
        return Err(bad_hostfile(file, line, "max_slots is below slots"));
    }
    Ok(())
}

fn bad_hostfile(file: &Hostfile, line: &HostfileLine, reason: &'static str) -> MapError {
    PlaceError::BadHostfile {
        path: file.path.clone(),
        line: line.line,
        reason,
    }
    .into()
}

fn said_by(lines: Lines) -> NodeSlots {
    let more = u64::from(lines.mentions) + u64::from(lines.ranked);
    let (counted, all) = match (lines.slots, more, lines.max) {
        (Some(_), _, _) => (lines.written(), 0),
        (None, _, Some(max)) => (u64::from(max), 0),
        (None, 1, None) if lines.ranked == 0 => (0, 1),
        (None, more, None) => (more, 0),
    };
    NodeSlots {
        said: SlotsSaid { counted, all },
        max: lines.max,
    }
}
