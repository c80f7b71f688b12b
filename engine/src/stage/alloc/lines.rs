//! What lines of hostfiles say of nodes, for stretches of nodes of which they say the same. Source: `semantics` 1.4.

use crate::error::{MapError, PlaceError};
use crate::limit::HOSTFILE_PARTS_MAX;
use crate::table::intervals::Intervals;
use crate::table::names::{NameRange, Names, NodeRange, TooManyNodes};
use crate::text::hosts::{Hostfile, HostfileId, HostfileLine, HostfileWhat};
use std::collections::BTreeMap;
use std::ops::{Add, Sub};

/// Slots said for a node: those written, and how many times they are to be inferred.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct SlotsSaid {
    pub(super) written: u64,
    pub(super) inferred: u64,
    pub(super) max: Option<u32>,
}

/// Names and slots, before topologies are known.
pub(super) struct SaidNodes {
    pub(super) names: Names,
    pub(super) slots: Vec<(NodeRange, SlotsSaid)>,
}

impl Add for SlotsSaid {
    type Output = Self;
    /// Both said of one node. Entries are fewer than 2^32 and each says less than 2^32: a sum stays below 2^64.
    fn add(self, other: Self) -> Self {
        Self {
            written: self.written + other.written,
            inferred: self.inferred + other.inferred,
            max: None,
        }
    }
}

impl Sub for SlotsSaid {
    type Output = Self;
    fn sub(self, less: Self) -> Self {
        Self {
            written: self.written - less.written,
            inferred: self.inferred - less.inferred,
            max: None,
        }
    }
}

pub(super) fn too_many(error: TooManyNodes) -> MapError {
    let limit = u64::from(crate::limit::NODES_MAX);
    PlaceError::JobTooLarge {
        what: "nodes",
        asked: error.asked,
        limit,
    }
    .into()
}

/// What the lines of one file say of a node.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Lines {
    mentions: u32,
    pub(crate) slots: Option<u32>,
    ranked: u32,
    max: Option<u32>,
}

impl Lines {
    /// One line more.
    pub(crate) fn add(&mut self, line: &HostfileLine) {
        let ranked = matches!(line.what, HostfileWhat::Ranked(_));
        self.max = line.max_slots.or(self.max);
        self.ranked += u32::from(ranked);
        match line.slots {
            Some(slots) => self.slots = Some(slots),
            None if !ranked => self.mentions += 1,
            None => {}
        }
    }

    /// Slots written: those given, and one for each other line.
    pub(crate) fn written(&self) -> u64 {
        let more = u64::from(self.mentions) + u64::from(self.ranked);
        u64::from(self.slots.unwrap_or(0)) + more
    }
}

/// What lines say of many nodes: stretches of nodes of which they say the same.
#[derive(Default)]
pub(crate) struct LineRuns {
    /// First node -> one behind the last, and what is said of these.
    runs: BTreeMap<u32, (u32, Lines)>,
    /// Parts that lines met.
    parts: u64,
}

impl LineRuns {
    /// A line more about some nodes. Cost: the stretches met.
    ///
    /// # Errors
    /// What `add` says; `job-too-large` when lines meet too many stretches.
    pub(crate) fn note(
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

    /// A stretch ends before this node.
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
    pub(crate) fn into_iter(self) -> impl Iterator<Item = (NodeRange, Lines)> {
        let runs = self.runs.into_iter();
        runs.map(|(first, (end, lines))| {
            let count = end - first;
            (NodeRange { first, count }, lines)
        })
    }
}

/// The pool made of hostfiles: their union; a node's counts are those of the file that names it first.
pub(super) fn from_files<'h>(
    order: impl Iterator<Item = HostfileId>,
    file: impl Fn(HostfileId) -> &'h Hostfile,
) -> Result<SaidNodes, MapError> {
    let mut names = Names::default();
    let mut known = Intervals::default();
    let mut said: Vec<(NodeRange, SlotsSaid)> = Vec::new();
    for id in order {
        let file = file(id);
        let excluded = excluded(file);
        // A file is judged by itself, also where an earlier one has named a node.
        let mut own = LineRuns::default();
        // What it excludes must make sense, too.
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
    said.dedup_by(|next, last| {
        let joined = last.1 == next.1 && last.0.end() == next.0.first;
        last.0.count += if joined { next.0.count } else { 0 };
        joined
    });
    Ok(SaidNodes { names, slots: said })
}

/// The parts of a range of names that are not excluded. Cost: the excluded stretches inside.
pub(crate) fn without(range: &NameRange, excluded: &Names) -> Vec<NameRange> {
    if excluded.is_empty() || excluded.find(range).0.is_empty() {
        return vec![range.clone()];
    }
    if excluded.find(range).1.is_none() {
        return Vec::new();
    }
    // Numbers are cut into halves until each part is in or out.
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

/// The names that a file excludes, wherever they stand in it.
pub(crate) fn excluded(file: &Hostfile) -> Names {
    let mut names = Names::default();
    for line in &file.lines {
        if let HostfileWhat::Exclude(range) = &line.what {
            // A set of names: a file's lines are fewer than nodes may be.
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
    let said = said_by(*lines);
    if said.max.is_some_and(|max| u64::from(max) < said.written) {
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

fn said_by(lines: Lines) -> SlotsSaid {
    let more = u64::from(lines.mentions) + u64::from(lines.ranked);
    let (written, inferred) = match (lines.slots, more, lines.max) {
        (Some(_), _, _) => (lines.written(), 0),
        (None, _, Some(max)) => (u64::from(max), 0),
        (None, 1, None) if lines.ranked == 0 => (0, 1),
        (None, more, None) => (more, 0),
    };
    SlotsSaid {
        written,
        inferred,
        max: lines.max,
    }
}
