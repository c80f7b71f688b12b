//! By slot: each node is filled before the next. Source: `semantics` 4.1.
//!
//! This file says how many processes a node takes. `filling.rs` goes over the nodes and gives each its processes.

use super::filling::{self, Lays};
use super::group::NodeTake;
use super::map_policy::{GroupView, MapPolicy, Pass};
use super::placement::Placement;
use crate::error::MapError;
use crate::stage::node::layout::{Binding, Layout};

/// `--map-by slot`.
pub(crate) struct BySlot;

impl MapPolicy for BySlot {
    fn place(&mut self, placement: &mut Placement<'_>) -> Result<(), MapError> {
        filling::place(placement, self, Lays::EachPass)
    }

    fn node_takes(&mut self, view: &mut GroupView<'_, '_>) -> Result<NodeTake, MapError> {
        let (capacity, slots) = (view.capacity(), view.slots());
        let given_up = match view.pass {
            Pass::First => view.row().avail() > capacity.free && !view.placement.explicit(),
            // If the first pass gave the binding up, it stays given up.
            Pass::Second => view.placement.trial(view.group).began_unbound,
        };
        if view.placement.binding == Binding::Off || given_up {
            return Ok(NodeTake {
                layout: Layout::Plain(Binding::Off),
                procs: slots,
            });
        }
        if slots > 0 {
            view.check_target(Binding::On)?;
            view.check_packages()?;
        }
        let cpus = match (view.placement.policy.pe, view.placement.overload()) {
            (1, true) => u32::MAX,
            (1, false) => capacity.free,
            (_, true) if view.pass == Pass::Second => u32::MAX,
            (_, _) => capacity.by_package,
        };
        Ok(NodeTake {
            layout: Layout::Plain(Binding::On),
            procs: slots.min(cpus),
        })
    }
}
