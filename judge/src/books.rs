//! The end of the books: compares what is left on each node with what the plan says.

use super::bits::Bits;
use super::counts::Ledger;
use super::fault::{Promise, Seen, Where};
use super::hardware::{Hardware, number};
use super::outcomes::{Part, Sight};
use stowplan_engine::id::Id as _;
use stowplan_engine::policy::Oversubscribe;
use stowplan_engine::table::names::{NodeId, NodeRange};
use stowplan_engine::table::pusets::PuSetId;
use stowplan_engine::table::states::NodeState;

impl Ledger<'_, '_> {
    /// Compares the states after the last app with those in the plan.
    pub(super) fn close(mut self) {
        let plan = self.plan;
        let mut policies = plan
            .apps()
            .iter()
            .filter_map(stowplan_engine::plan::AppPlan::policy);
        let refused = if policies
            .all(|id| plan.resolved_apps().policies[id].oversubscribe == Oversubscribe::Refused)
        {
            Refused::Yes
        } else {
            Refused::No
        };
        let parts: Vec<(u32, Part)> = self
            .parts
            .iter()
            .map(|(&first, &part)| (first, part))
            .collect();
        for (first, part) in parts {
            let nodes = NodeRange {
                first,
                count: part.count,
            };
            for (nodes, state) in plan.world().after.within(nodes) {
                if self.faults.full() {
                    return;
                }
                let after = *plan.world().states.get(state);
                self.compare(nodes.first, &part, &after, refused);
            }
        }
        let (before, after) = (plan.world().before.nodes(), plan.world().after.nodes());
        self.faults.equal(
            Promise::StateAfter,
            Where::default,
            u64::from(after),
            u64::from(before),
        );
    }

    fn compare(&mut self, node: u32, part: &Part, after: &NodeState, refused: Refused) {
        let names = &self.plan.world().names;
        let at = Where {
            node: (node < names.len()).then(|| names.name(NodeId::from_row(node as usize))),
            ..Where::default()
        };
        let state = &part.state;
        let numbers = [
            (after.used, state.used),
            (after.own, state.own),
            (
                after.max_slots.unwrap_or(u32::MAX),
                state.max_slots.unwrap_or(u32::MAX),
            ),
            (number(after.topology.row()), number(state.topology.row())),
            (number(after.allowed.row()), number(state.allowed.row())),
        ];
        for (found, promised) in numbers {
            let (found, promised) = (u64::from(found), u64::from(promised));
            self.faults
                .equal(Promise::StateAfter, || at.clone(), found, promised);
        }
        // Sets of different topologies cannot be compared. That the topologies differ was reported above.
        let same = after.topology == state.topology;
        if same && part.sight == Sight::Known && after.free != state.free {
            let hardware = Hardware::new(&self.plan.world().topologies, state.topology);
            let os = |set: PuSetId| {
                Seen::Cpus(hardware.os(&Bits::from_slice(self.outcomes.sets.get(set))))
            };
            let (found, promised) = (os(after.free), os(state.free));
            self.faults
                .add(Promise::StateAfter, at.clone(), found, promised);
        }
        if state.own == 0 {
            return;
        }
        let used = u64::from(state.used);
        // Claims raise slots, and slots that hostfiles took away are back (1.3, 1.4), so the larger count is the one that applied.
        let slots = after.slots.max(state.slots);
        if refused == Refused::Yes && state.used > slots {
            let promised = Seen::AtMost(u64::from(slots));
            self.faults
                .add(Promise::Slots, at.clone(), Seen::Number(used), promised);
        }
        if let Some(max) = state.max_slots.filter(|&max| state.used > max) {
            let promised = Seen::AtMost(u64::from(max));
            self.faults
                .add(Promise::MaxSlots, at, Seen::Number(used), promised);
        }
    }
}

/// Whether oversubscription is refused.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Refused {
    Yes,
    No,
}
