//! How many more processes each mapped object takes.

use super::LayoutView;
use crate::policy::Overload;
use crate::stage::node::bits::Bits;
use crate::stage::node::capacity::fills_cores;
use crate::stage::node::cpus::Cpus;
use crate::stage::node::units::{narrow, shared as meeting};

/// The cpus that may be used at all; `None` if cpus may not be shared.
pub(super) fn shared_cpus(node: &LayoutView<'_>) -> Option<Bits> {
    let binder = node.binder;
    (binder.policy.overload == Overload::Allowed).then(|| binder.free_units(node.sets.allowed))
}

/// How many processes an object can take: its free cpus divided by PE. Unlimited if cpus may be shared and it has PE cpus.
#[inline]
pub(super) fn room(
    node: &LayoutView<'_>,
    cpus: &Cpus,
    pus: &[(u32, u32)],
    shared: Option<&Bits>,
) -> u32 {
    let binder = node.binder;
    let pe = u32::from(binder.policy.pe);
    match shared {
        None if pe == 1 => binder.count_free(cpus.units.words(), pus),
        None => binder.count_free(cpus.units.words(), pus) / pe,
        Some(may) if binder.count_free(may.words(), pus) >= pe => u32::MAX,
        Some(_) => 0,
    }
}

/// The same for each mapped object.
pub(super) fn rooms(node: &LayoutView<'_>, cpus: &Cpus) -> Vec<u32> {
    let shared = shared_cpus(node);
    let objects = node.objects.iter();
    let ranges = objects.map(|object| node.binder.topologies.ranges(object));
    ranges
        .map(|pus| room(node, cpus, pus, shared.as_ref()))
        .collect()
}

/// For each mapped object, the objects that share a cpu with it, itself among them. `None` unless the objects are devices.
pub(super) fn near(node: &LayoutView<'_>) -> Option<Vec<Vec<usize>>> {
    let LayoutView {
        binder, objects, ..
    } = node;
    if !binder.maps_devices() {
        return None;
    }
    let ranges: Vec<_> = objects
        .iter()
        .map(|object| binder.topologies.ranges(object))
        .collect();
    let meet = |one: &[(u32, u32)], other: &[(u32, u32)]| !meeting(one, other).is_empty();
    let of = |own: &&[(u32, u32)]| {
        let others = ranges
            .iter()
            .enumerate()
            .filter(|(_, other)| meet(own, other));
        others.map(|(at, _)| at).collect()
    };
    Some(ranges.iter().map(of).collect())
}

/// Lowers the room of an object on which a process was bound, and of the objects that share cpus with it. Returns how many
/// became full. Unlimited room is not lowered.
///
/// A thread of a partly taken core takes no room (4.3).
pub(super) fn take_room(
    node: &LayoutView<'_>,
    cpus: &Cpus,
    rooms: &mut [u32],
    at: usize,
    near: Option<&[Vec<usize>]>,
) -> usize {
    let shared = node.binder.policy.overload == Overload::Allowed;
    if near.is_none() && !shared && fills_cores(node.binder) {
        let pus = node.binder.topologies.ranges(node.objects.get(narrow(at)));
        if room(node, cpus, pus, None) >= rooms[at] {
            return 0;
        }
    }
    let alone = [at];
    let objects = near.map_or(&alone[..], |near| &near[at]);
    let mut full = 0;
    for &object in objects {
        let room = &mut rooms[object];
        if *room > 0 && *room < u32::MAX {
            *room -= 1;
            full += usize::from(*room == 0);
        }
    }
    full
}
