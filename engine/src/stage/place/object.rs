//! By object, or by distance to a device: node after node, or over all nodes with SPAN. Source: `semantics` 4.3.

use super::placement::Placement;
use super::policy::{GroupView, PlacePolicy};
use super::trial::Limit;
use super::{filling, refuse, rounds};
use crate::error::{MapError, PlaceError};
use crate::policy::{IfSupported, MapBy, ObjKind, Span};
use crate::stage::node::layout::Layout;

/// `--map-by OBJECT` and `--map-by dist`.
struct ByObject {
    span: Span,
}

pub(crate) fn place(placement: &mut Placement<'_>) -> Result<(), MapError> {
    let policy = ByObject {
        span: placement.policy.span,
    };
    match policy.span {
        Span::No => filling::place(placement, &policy),
        Span::Yes => rounds::place(placement, &policy),
    }
}

impl PlacePolicy for ByObject {
    fn limit(&self, view: &GroupView<'_, '_>) -> Result<Limit, MapError> {
        let layout = match self.span {
            Span::No => Layout::Sweep(view.placement.binding),
            Span::Yes => Layout::Walk(view.placement.binding),
        };
        let procs = objects_take(view, layout)?;
        Ok(Limit { layout, procs })
    }
}

/// Processes that the objects of a node take, at most its slots.
#[inline]
fn objects_take(view: &GroupView<'_, '_>, layout: Layout) -> Result<u32, MapError> {
    let GroupView {
        placement,
        group,
        capacity,
        ..
    } = *view;
    let slots = view.slots();
    if capacity.objects == 0 {
        return Err(not_found(placement, group));
    }
    if layout.gives_up() || slots == 0 {
        return Ok(slots);
    }
    view.check_target(placement.binding)?;
    check_pe(view)?;
    if placement.overload() {
        return Ok(if capacity.with_cpus == 0 { 0 } else { slots });
    }
    let explicit = placement.explicit();
    let certain = explicit && placement.policy.if_supported == IfSupported::No;
    if certain || (!explicit && capacity.has_target && placement.policy.limit.is_none()) {
        return Ok(slots.min(u32::try_from(capacity.by_object).unwrap_or(u32::MAX)));
    }
    // What the binder leaves unbound uses up no room: only laying them tells.
    Ok(placement.fit(group, layout, slots.min(placement.asked)))
}

/// PE must fit a mapped object of this node, taken or not.
///
/// # Errors
/// `pe-exceeds-object`.
#[inline]
pub(crate) fn check_pe(view: &GroupView<'_, '_>) -> Result<(), MapError> {
    let pe = view.placement.policy.pe;
    if pe == 1 || view.capacity.largest_object >= u32::from(pe) {
        return Ok(());
    }
    Err(PlaceError::PeExceedsObject {
        app: view.placement.app_number(),
        pe,
        kind: kind_word(view.placement),
        largest: view.capacity.largest_object,
        node: refuse::node(view.placement, view.group),
    }
    .into())
}

fn kind_word(placement: &Placement<'_>) -> &'static str {
    placement
        .policy
        .map
        .object_kind()
        .map_or("node", ObjKind::word)
}

/// A node has none of the objects that the policy maps to.
pub(crate) fn not_found(placement: &Placement<'_>, group: usize) -> MapError {
    let (app, node) = (placement.app_number(), refuse::node(placement, group));
    if placement.policy.map == MapBy::Dist {
        return no_such_device(placement, group);
    }
    if placement.policy.map.object_kind() == Some(ObjKind::Gpu) {
        return PlaceError::DeviceNotFound { app, node }.into();
    }
    PlaceError::ObjectNotFound {
        app,
        kind: kind_word(placement),
        there: refuse::kinds(placement, group),
        node,
    }
    .into()
}

fn no_such_device(placement: &Placement<'_>, group: usize) -> MapError {
    let topology = placement.topology(placement.groups[group].trial);
    let topologies = &placement.tables.topologies;
    let devices = topologies.devices(topology).iter();
    let mut there: Vec<&str> = devices.map(|device| device.name.as_str()).collect();
    for gpu in topologies.gpus(topology) {
        if !gpu.name.is_empty() && !there.contains(&gpu.name.as_str()) {
            there.push(&gpu.name);
        }
    }
    let device = placement.apps.device[placement.app]
        .clone()
        .unwrap_or_default();
    let there = if there.is_empty() {
        "none".to_owned()
    } else {
        there.join(" ")
    };
    PlaceError::NoSuchDevice {
        app: placement.app_number(),
        node: refuse::node(placement, group),
        device,
        there,
    }
    .into()
}
