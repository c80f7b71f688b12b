//! Slots that an app's own hostfile lowers. Source: `semantics` 1.4.

use super::pool::excluded;
use super::site::Site;
use crate::table::apps::AppId;
use crate::table::intervals::Intervals;
use crate::table::names::NodeRange;
use crate::table::states::{NodeState, StateId, StateRuns};
use crate::text::hosts::{Hostfile, HostfileWhat, Hosts};
use std::collections::BTreeMap;

/// A `slots=` of the app's own hostfile that is smaller than the node's count lowers it (1.4). Lines that only name the
/// node add to it, as they do where the pool is made; names that the file excludes say nothing.
pub(super) fn lowered(site: &mut Site, hosts: &Hosts, app: AppId) -> Vec<(NodeRange, StateId)> {
    let mut found = Vec::new();
    for file in hosts.files.get(app).into_iter().flatten() {
        let file = &hosts.hostfiles[*file];
        let (excluded, more) = (excluded(file), added(site, file));
        for line in &file.lines {
            let (HostfileWhat::Name(range), Some(slots)) = (&line.what, line.slots) else {
                continue;
            };
            if excluded.find(range).1.is_none() {
                continue;
            }
            for nodes in site.names.find(range).0 {
                for (part, state) in site.runs.within(nodes).collect::<Vec<_>>() {
                    let here = site.states.get(state).slots;
                    let (first, end) = (part.first, part.end());
                    if more.range(first..end).next().is_none() {
                        found.extend((here > slots).then_some(((part, state), slots)));
                        continue;
                    }
                    for first in first..end {
                        let slots = slots.saturating_add(more.get(&first).copied().unwrap_or(0));
                        let node = NodeRange { first, count: 1 };
                        found.extend((here > slots).then_some(((node, state), slots)));
                    }
                }
            }
        }
    }
    let mut seen = Intervals::default();
    let mut lowered = Vec::new();
    for ((nodes, state), slots) in found {
        let row = NodeState {
            slots,
            ..*site.states.get(state)
        };
        let state = site.states.intern(row);
        lowered.extend(seen.insert(nodes).into_iter().map(|part| (part, state)));
    }
    lowered
}

/// How often lines without a count name each node of a file.
fn added(site: &Site, file: &Hostfile) -> BTreeMap<u32, u32> {
    let mut more = BTreeMap::new();
    let counts = file.lines.iter().any(|line| line.slots.is_some());
    for line in file
        .lines
        .iter()
        .filter(|line| counts && line.slots.is_none())
    {
        if let HostfileWhat::Name(range) | HostfileWhat::Ranked(range) = &line.what {
            for node in site
                .names
                .find(range)
                .0
                .into_iter()
                .flat_map(|nodes| nodes.first..nodes.end())
            {
                *more.entry(node).or_insert(0) += 1;
            }
        }
    }
    more
}

/// The states with some changed; `None` when none is.
pub(super) fn after(site: &Site, changes: &mut [(NodeRange, StateId)]) -> Option<StateRuns> {
    (!changes.is_empty()).then(|| {
        let mut runs = site.runs.clone();
        runs.change(changes);
        runs
    })
}
