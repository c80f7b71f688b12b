//! Slots that an app's own hostfile lowers, from that app on. Source: `semantics` 1.4.

use super::site::Site;
use crate::table::apps::AppId;
use crate::table::intervals::Intervals;
use crate::table::names::NodeRange;
use crate::table::states::{NodeState, StateId, StateRuns};
use crate::text::hosts::{HostfileWhat, Hosts};

/// A `slots=` of the app's own hostfile that is smaller than the node's count lowers it (1.4).
pub(super) fn lowered(site: &mut Site, hosts: &Hosts, app: AppId) -> Vec<(NodeRange, StateId)> {
    let mut found = Vec::new();
    for file in hosts.files.get(app).into_iter().flatten() {
        for line in &hosts.hostfiles[*file].lines {
            let (HostfileWhat::Name(range), Some(slots)) = (&line.what, line.slots) else {
                continue;
            };
            let nodes = site.names.find(range).0.into_iter();
            let parts = nodes.flat_map(|nodes| site.runs.within(nodes).collect::<Vec<_>>());
            found.extend(
                parts
                    .filter(|&(_, state)| site.states.get(state).slots > slots)
                    .map(|part| (part, slots)),
            );
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

/// The states with some changed; `None` when none is.
pub(super) fn after(site: &Site, changes: &mut [(NodeRange, StateId)]) -> Option<StateRuns> {
    (!changes.is_empty()).then(|| {
        let mut runs = site.runs.clone();
        runs.change(changes);
        runs
    })
}
