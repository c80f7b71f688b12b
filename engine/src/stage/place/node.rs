//! By node: one process to each node in turn. Source: `semantics` 4.2.

use super::placement::Placement;
use super::policy::{GroupView, Pass, PlacePolicy};
use super::rounds;
use super::trial::Limit;
use crate::error::MapError;
use crate::stage::node::layout::{Binding, Layout};

/// `--map-by node`.
struct ByNode;

pub(crate) fn place(placement: &mut Placement<'_>) -> Result<(), MapError> {
    rounds::place(placement, &ByNode)
}

impl PlacePolicy for ByNode {
    fn limit(&self, view: &GroupView<'_, '_>) -> Result<Limit, MapError> {
        let GroupView {
            placement,
            capacity,
            ..
        } = *view;
        let (row, slots) = (view.row(), view.slots());
        if placement.binding == Binding::Off {
            return Ok(Limit {
                layout: Layout::Plain(Binding::Off),
                procs: slots,
            });
        }
        if placement.explicit() {
            view.check_target(Binding::On)?;
            view.check_packages()?;
            let cpus = match (placement.policy.pe, placement.overload()) {
                (1, true) => u32::MAX,
                (1, false) => capacity.free,
                (_, _) => capacity.by_package,
            };
            return Ok(Limit {
                layout: Layout::Plain(Binding::On),
                procs: slots.min(cpus),
            });
        }
        let each = (placement.asked / placement.node_count()).max(1);
        let given_up = if view.pass == Pass::Sharing {
            capacity.free < each && each <= row.avail
        } else {
            capacity.free < each.min(row.avail)
        };
        let layout = if given_up {
            Layout::HalfBound(each)
        } else {
            Layout::Plain(Binding::On)
        };
        Ok(Limit {
            layout,
            procs: slots,
        })
    }
}
