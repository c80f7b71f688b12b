//! By slot: each node is filled before the next. Source: `semantics` 4.1.

use super::filling;
use super::placement::Placement;
use super::policy::{GroupView, Pass, PlacePolicy};
use super::trial::Limit;
use crate::error::MapError;
use crate::stage::node::layout::{Binding, Layout};

/// `--map-by slot`.
struct BySlot;

pub(crate) fn place(placement: &mut Placement<'_>) -> Result<(), MapError> {
    filling::place(placement, &BySlot)
}

impl PlacePolicy for BySlot {
    fn limit(&self, view: &GroupView<'_, '_>) -> Result<Limit, MapError> {
        let GroupView {
            placement,
            capacity,
            pass,
            ..
        } = *view;
        let slots = view.slots();
        let given_up =
            view.row().avail > capacity.free && !placement.explicit() && pass == Pass::First;
        if placement.binding == Binding::Off || given_up {
            return Ok(Limit {
                layout: Layout::Plain(Binding::Off),
                procs: slots,
            });
        }
        if slots > 0 {
            view.check_target(Binding::On)?;
            view.check_packages()?;
        }
        let cpus = match (placement.policy.pe, placement.overload()) {
            (1, true) => u32::MAX,
            (1, false) => capacity.free,
            (_, true) if pass == Pass::Sharing => u32::MAX,
            (_, _) => capacity.by_package,
        };
        Ok(Limit {
            layout: Layout::Plain(Binding::On),
            procs: slots.min(cpus),
        })
    }

    fn gave_up(&self, placement: &Placement<'_>, group: usize) -> bool {
        let row = &placement.groups[group];
        let slots = row.avail.saturating_add(row.placed);
        placement.binding == Binding::On
            && !placement.explicit()
            && slots > placement.found_free(group)
    }
}
