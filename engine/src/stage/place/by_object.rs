//! By object, or by distance to a device: node after node, or over all nodes with SPAN. Source: `semantics` 4.3.
//!
//! This file says how many processes a node takes. `filling.rs` goes over the nodes, `rounds.rs` with SPAN; `node/capacity.rs` says what
//! objects hold.

use super::filling::{self, Lays};
use super::group::NodeTake;
use super::map_policy::{GroupView, MapPolicy};
use super::placement::Placement;
use super::{refuse, rounds};
use crate::error::{MapError, PlaceError};
use crate::id::Id as _;
use crate::policy::{Devices, IfSupported, MapBy, ObjKind, Span};
use crate::stage::node::layout::{End, Layout};
use crate::table::device_order;

/// `--map-by OBJECT` and `--map-by dist`.
pub(crate) struct ByObject;

impl MapPolicy for ByObject {
    fn place(&mut self, placement: &mut Placement<'_>) -> Result<(), MapError> {
        match placement.policy.span {
            Span::No => filling::place(placement, self, Lays::EachPass),
            Span::Yes => rounds::place(placement, self),
        }
    }

    fn node_takes(&mut self, view: &mut GroupView<'_, '_>) -> Result<NodeTake, MapError> {
        let layout = match view.placement.policy.span {
            Span::No => Layout::Sweep(view.placement.binding),
            Span::Yes => Layout::Walk(view.placement.binding),
        };
        let procs = objects_take(view, layout)?;
        Ok(NodeTake { layout, procs })
    }

    /// A second pass would begin with the first device again.
    fn has_second_pass(&self, placement: &Placement<'_>) -> bool {
        !placement.policy.map.one_each()
    }

    fn out_of_cpus(&self, placement: &Placement<'_>, placed: u64) -> MapError {
        match placement.policy.map.one_each() && placement.dealt() > 0 {
            true => refuse::too_few_devices(placement),
            false => refuse::out_of_cpus(placement, placed),
        }
    }
}

/// How many processes the objects of a node take, at most as many as its slots.
#[inline]
fn objects_take(view: &mut GroupView<'_, '_>, layout: Layout) -> Result<u32, MapError> {
    let (capacity, mut slots) = (view.capacity(), view.slots());
    let one_each = view.placement.policy.map.one_each();
    if one_each && capacity.objects > 0 {
        slots = slots.min(capacity.objects);
    }
    if capacity.objects == 0 {
        return Err(not_found(view.placement, view.group));
    }
    if layout.gives_up() || slots == 0 {
        return Ok(slots);
    }
    view.check_target(view.placement.binding)?;
    check_pe(view)?;
    let placement = &mut *view.placement;
    if one_each {
        // A device whose cpus are taken has no process, whatever room others have.
        return Ok(laid_or_refused(view, layout, slots));
    }
    if placement.overload() {
        return Ok(if capacity.with_cpus == 0 { 0 } else { slots });
    }
    let explicit = placement.explicit();
    let certain = explicit && placement.policy.if_supported == IfSupported::No;
    let by_default = !explicit && capacity.has_target && placement.policy.limit.is_none();
    if certain && capacity.must_lay {
        return Ok(laid_or_refused(view, layout, slots));
    }
    if certain || (by_default && !capacity.must_lay) {
        return Ok(slots.min(u32::try_from(capacity.by_object).unwrap_or(u32::MAX)));
    }
    // Processes that the binder leaves unbound use up no room. Only laying them tells how many fit.
    let want = slots.min(placement.asked);
    Ok(placement.fit(view.group, layout, want).0)
}

/// How many processes a node takes, with one more if that cannot be bound: it is laid, and then refused.
fn laid_or_refused(view: &mut GroupView<'_, '_>, layout: Layout, slots: u32) -> u32 {
    let placement = &mut *view.placement;
    let want = slots.min(placement.asked);
    let (procs, end) = placement.fit(view.group, layout, want);
    match (end, placement.policy.span) {
        // Its round is reached before nodes can be said to have too little room.
        (End::Fails(_), Span::Yes) => placement.asked,
        (End::Fails(_), Span::No) => procs + 1,
        (End::Wanted | End::Full | End::TooLong, _) => procs,
    }
}

/// Checks that PE fits a mapped object of this node, free or taken.
///
/// # Errors
/// `pe-exceeds-object`.
#[inline]
pub(crate) fn check_pe(view: &mut GroupView<'_, '_>) -> Result<(), MapError> {
    let (pe, largest) = (view.placement.policy.pe, view.capacity().largest_object);
    if pe == 1 || largest >= u32::from(pe) {
        return Ok(());
    }
    Err(PlaceError::PeExceedsObject {
        app: view.placement.app.number(),
        pe,
        kind: kind_word(view.placement),
        largest,
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

/// The refusal when a node has none of the objects that the policy maps to.
pub(crate) fn not_found(placement: &Placement<'_>, group: usize) -> MapError {
    let (app, node) = (placement.app.number(), refuse::node(placement, group));
    let topology = placement.found(group).topology;
    let topologies = &placement.tables.topologies;
    if placement.policy.map == MapBy::Dist {
        let device = placement.apps.device[placement.app].as_deref();
        let device = device.unwrap_or_default();
        return refuse::no_such_device(topologies, topology, device, app, node);
    }
    if let Some(options) = placement.policy.map.devices() {
        let (of, asked) = (options.of, options.each.count());
        return match device_order::count(topologies, topology, of) {
            0 => refuse::no_device(topologies, topology, of, app, node),
            near => PlaceError::NotEnoughDevices {
                app,
                asked: (asked, of),
                node,
                near,
            }
            .into(),
        };
    }
    if placement.policy.map.object_kind() == Some(ObjKind::Gpu) {
        return refuse::no_device(topologies, topology, Devices::Gpus, app, node);
    }
    PlaceError::ObjectNotFound {
        app,
        kind: kind_word(placement),
        there: refuse::kinds(
            &placement.tables.topologies,
            placement.found(group).topology,
        ),
        node,
    }
    .into()
}
