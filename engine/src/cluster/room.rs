//! The nodes of a cluster on which there is room, and how many of them a job can look at.
//!
//! A job that names no hosts takes nodes in their order, and full ones are nothing to it. By slot and by objects it fills one node
//! before it looks at the next; by node and with SPAN it looks at as many nodes as it has processes, and gives each one. So it is
//! placed on the first nodes with room alone, as it would be placed on all.

use super::standing::Standing;
use crate::map::Components;
use crate::plan::Placed;
use crate::plan::gpus::gpus_of_each;
use crate::policy::{MapBy, NoLocal, Oversubscribe, Span};
use crate::stage::component::AppIndex;
use crate::stage::resolve::Resolved;
use crate::table::apps::Policy;
use crate::table::intervals::Intervals;
use crate::table::names::{NodeRange, push_joined};
use crate::table::states::{NodeState, Runs, StateRuns, States};

/// The nodes that are up and have room.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    /// Those with a free slot.
    free: Intervals,
    /// Those that hold more processes than they have slots: every job is told of them.
    over: Intervals,
}

/// Some of the first nodes with room.
pub(super) struct FirstNodes {
    pub(super) nodes: Vec<NodeRange>,
    pub(super) reach: Reach,
}

/// Whether there are more nodes with room than these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reach {
    All,
    Some,
}

/// How many nodes a job can look at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    /// Its processes: no more nodes than that.
    procs: u64,
    order: NodesInTurn,
}

/// How a policy goes over the nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NodesInTurn {
    /// Each is filled before the next.
    Filled,
    /// Each gets a process before one gets two.
    Dealt,
}

impl NodesInTurn {
    /// `None`: what a node gets depends on more than the nodes before it.
    fn of(policy: &Policy) -> Option<Self> {
        if policy.oversubscribe == Oversubscribe::Allowed || policy.nolocal == NoLocal::Yes {
            return None;
        }
        match (policy.map, policy.span) {
            (MapBy::Node, _) | (MapBy::Object(_), Span::Yes) => Some(Self::Dealt),
            (MapBy::Slot, _) | (MapBy::Object(_), Span::No) => Some(Self::Filled),
            (
                MapBy::Ppr { .. }
                | MapBy::Seq
                | MapBy::Rankfile
                | MapBy::PeList
                | MapBy::Dist
                | MapBy::Lsf
                | MapBy::Mpibind(_)
                | MapBy::Device(_)
                | MapBy::Given,
                _,
            ) => None,
        }
    }
}

impl Need {
    /// `None`: the job may have to look at all nodes.
    pub(super) fn of(resolved: &Resolved, components: &Components, held: GpusHeld) -> Option<Self> {
        let apps = &resolved.apps;
        let hosts = &resolved.hosts;
        let own = components.index != AppIndex::All || components.registry.has_own();
        let named = hosts.lists.len() + hosts.hostfiles.len() + hosts.lsf_pool.len();
        if own || named > 0 || !resolved.deferred.is_empty() {
            return None;
        }
        let mut need = Self {
            procs: 0,
            order: NodesInTurn::Filled,
        };
        for app in apps.ids() {
            let Some(policy) = apps.policy(app) else {
                continue;
            };
            need.procs += u64::from(apps.np[app]?.0);
            if NodesInTurn::of(policy)? == NodesInTurn::Dealt {
                // Nodes that lack GPUs drop out, so there would be fewer nodes than processes.
                if held == GpusHeld::Some && gpus_of_each(policy).is_some() {
                    return None;
                }
                need.order = NodesInTurn::Dealt;
            }
        }
        Some(need)
    }

    /// The same for a job that did not fit on the nodes of this one.
    pub(super) const fn more(self) -> Self {
        Self {
            procs: self.procs.saturating_mul(4),
            ..self
        }
    }
}

/// Whether jobs hold GPUs of some nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum GpusHeld {
    None,
    Some,
}

/// Whether apps that are placed on some nodes would be the same on more of them. Nodes that are dealt to get one process each,
/// unless there are too few: then a node behind them would have got the second.
pub(super) fn is_final(placed: &[Placed], resolved: &Resolved) -> bool {
    let alone = |app: &Placed| app.runs.iter().all(|run| run.procs <= 1);
    let dealt = |app: &Placed| {
        let policy = app.policy.map(|id| &resolved.apps.policies[id]);
        policy.is_some_and(|policy| NodesInTurn::of(policy) != Some(NodesInTurn::Filled))
    };
    placed.iter().all(|app| !dealt(app) || alone(app))
}

impl Room {
    /// Cost: the runs.
    pub(super) fn of(standing: &Runs<Standing>, runs: &StateRuns, states: &States) -> Self {
        let mut room = Self::default();
        for (nodes, state) in runs.iter() {
            room.change(standing, nodes, states.get(state));
        }
        room
    }

    /// Records that nodes have another state. Cost: logarithmic in the stretches of nodes with room, times those met.
    pub(super) fn change(
        &mut self,
        standing: &Runs<Standing>,
        nodes: NodeRange,
        state: &NodeState,
    ) {
        let up = standing.within(nodes);
        for (nodes, _) in up.filter(|&(_, standing)| standing == Standing::Up) {
            match state.is_full() {
                true => self.free.remove(nodes),
                false => drop(self.free.insert(nodes)),
            }
            match state.used > state.slots {
                true => drop(self.over.insert(nodes)),
                false => self.over.remove(nodes),
            }
        }
    }

    /// The first nodes with room, as many as a job needs. `None`: some nodes hold more processes than slots.
    /// Cost: the runs of these nodes.
    pub(super) fn first(
        &self,
        need: Need,
        runs: &StateRuns,
        states: &States,
    ) -> Option<FirstNodes> {
        if self.over.iter().next().is_some() {
            return None;
        }
        let mut nodes = Vec::new();
        let (mut count, mut slots) = (0_u64, 0_u64);
        let parts = self.free.iter().flat_map(|free| runs.within(free));
        for (part, state) in parts {
            let each = u64::from(states.get(state).left().max(1));
            let lacking = match need.order {
                NodesInTurn::Dealt => need.procs.saturating_sub(count),
                NodesInTurn::Filled => need.procs.saturating_sub(slots).div_ceil(each),
            };
            if lacking == 0 {
                let reach = Reach::Some;
                return Some(FirstNodes { nodes, reach });
            }
            let taken = lacking.min(part.count.into());
            (count, slots) = (count + taken, slots + taken * each);
            let taken = u32::try_from(taken).unwrap_or(part.count);
            push_joined(
                &mut nodes,
                NodeRange {
                    count: taken,
                    ..part
                },
            );
            if taken < part.count {
                let reach = Reach::Some;
                return Some(FirstNodes { nodes, reach });
            }
        }
        let reach = Reach::All;
        Some(FirstNodes { nodes, reach })
    }
}
