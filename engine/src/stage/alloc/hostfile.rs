//! Slots that an app's own hostfile lowers, from that app on. Source: `semantics` 1.4.

use super::lines::{LineRuns, excluded, without};
use super::pool::Pool;
use crate::error::MapError;
use crate::table::apps::AppId;
use crate::table::intervals::Intervals;
use crate::table::names::NodeRange;
use crate::table::states::{NodeState, StateId, StateRuns};
use crate::text::hosts::{Hostfile, HostfileWhat, Hosts};

/// A `slots=` of the app's own hostfile that is smaller than the node's count lowers it (1.4).
///
/// # Errors
/// `job-too-large`: lines that meet too many stretches.
pub(crate) fn lowered(
    pool: &mut Pool,
    hosts: &Hosts,
    app: AppId,
) -> Result<Vec<(NodeRange, StateId)>, MapError> {
    let mut found = Vec::new();
    for file in hosts.files.get(app).into_iter().flatten() {
        for (nodes, slots) in counted(pool, &hosts.hostfiles[*file])? {
            let parts = pool.nodes.runs.within(nodes);
            let larger = parts.filter(|&(_, state)| pool.tables.states.get(state).slots > slots);
            found.extend(larger.map(|part| (part, slots)));
        }
    }
    let mut seen = Intervals::default();
    let mut lowered = Vec::new();
    for ((nodes, state), slots) in found {
        let row = NodeState {
            slots,
            ..*pool.tables.states.get(state)
        };
        let state = pool.tables.states.intern(row);
        lowered.extend(seen.insert(nodes).into_iter().map(|part| (part, state)));
    }
    Ok(lowered)
}

/// The slots of each node that a file gives a count: that, and one for each other line that names it (1.4). What the file
/// excludes it says nothing of.
fn counted(pool: &Pool, file: &Hostfile) -> Result<Vec<(NodeRange, u32)>, MapError> {
    let excluded = excluded(file);
    let mut said = LineRuns::default();
    for line in &file.lines {
        let (HostfileWhat::Name(range) | HostfileWhat::Ranked(range)) = &line.what else {
            continue;
        };
        for kept in without(range, &excluded) {
            for nodes in pool.nodes.names.find(&kept).0 {
                said.note(nodes, |lines| {
                    lines.add(line);
                    Ok(())
                })?;
            }
        }
    }
    let given = said.into_iter().filter(|(_, lines)| lines.slots.is_some());
    Ok(given
        .map(|(nodes, lines)| (nodes, u32::try_from(lines.written()).unwrap_or(u32::MAX)))
        .collect())
}

/// The states with some changed; `None` when none is.
pub(crate) fn after(pool: &Pool, changes: &mut [(NodeRange, StateId)]) -> Option<StateRuns> {
    (!changes.is_empty()).then(|| {
        let mut runs = pool.nodes.runs.clone();
        runs.change(changes);
        runs
    })
}
