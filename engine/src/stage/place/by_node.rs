//! By node: one process to each node in turn. Source: `semantics` 4.2.
//!
//! This file says how many processes a node takes. `rounds.rs` goes round the nodes, by the arithmetic of `share.rs`.

use super::group::NodeTake;
use super::map_policy::{GroupView, MapPolicy, Pass};
use super::placement::Placement;
use super::rounds;
use crate::error::MapError;
use crate::stage::node::layout::{Binding, Layout};

/// `--map-by node`.
pub(crate) struct ByNode;

impl MapPolicy for ByNode {
    fn place(&mut self, placement: &mut Placement<'_>) -> Result<(), MapError> {
        rounds::place(placement, self)
    }

    fn node_takes(&mut self, view: &mut GroupView<'_, '_>) -> Result<NodeTake, MapError> {
        let (capacity, slots) = (view.capacity(), view.slots());
        if view.placement.binding == Binding::Off {
            return Ok(NodeTake {
                layout: Layout::Plain(Binding::Off),
                procs: slots,
            });
        }
        if view.placement.explicit() {
            view.check_target(Binding::On)?;
            view.check_packages()?;
            let cpus = match (view.placement.policy.pe, view.placement.overload()) {
                (1, true) => u32::MAX,
                (1, false) => capacity.free,
                (_, _) => capacity.by_package,
            };
            return Ok(NodeTake {
                layout: Layout::Plain(Binding::On),
                procs: slots.min(cpus),
            });
        }
        let (placement, row) = (&view.placement, view.row());
        let each = (placement.asked / placement.node_count()).max(1);
        let given_up = match view.pass {
            Pass::First => capacity.free < each.min(row.avail()),
            Pass::Second => capacity.free < each && each <= row.avail(),
        };
        let layout = if given_up {
            Layout::HalfBound(each)
        } else {
            Layout::Plain(Binding::On)
        };
        Ok(NodeTake {
            layout,
            procs: slots,
        })
    }
}
