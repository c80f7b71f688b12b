//! Object kinds: goes round the objects of a node, node by node, or with SPAN over all nodes. `docs/semantics.md` 4, "objects".

use super::share::share_out;
use crate::devices;
use crate::machine::{Machine, Object};
use crate::refusal::Refusal;
use crate::turn::{Found, Turn};
use stowplan_engine::policy::{CpuMode, IfSupported, MapBy, ObjKind};

/// Without SPAN: each node is filled before the next.
pub(super) fn fill(turn: &mut Turn<'_, '_>) -> Result<(), Refusal> {
    for seat in 0..turn.seats.len() {
        if turn.left == 0 {
            return Ok(());
        }
        let objects = objects(turn, seat)?;
        let budget = turn.seats[seat].avail;
        if budget.min(turn.room(seat)) > 0 {
            turn.meets_target(seat)?;
            turn.fits(seat)?;
        }
        sweep(turn, seat, &objects, budget)?;
    }
    if turn.left == 0 {
        return Ok(());
    }
    // A second pass would begin with the first device again.
    if !turn.oversubscribes() || turn.alone() {
        return Err(turn.lack_of_cpus());
    }
    share_out(turn, |turn, seat, share| {
        let objects = objects(turn, seat)?;
        turn.meets_target(seat)?;
        turn.fits(seat)?;
        sweep(turn, seat, &objects, share)
    })
}

/// Sweeps over the objects of a node until the budget is used up: each sweep puts one process on every object with room.
///
/// Where each device takes one process alone, there is one sweep.
fn sweep(
    turn: &mut Turn<'_, '_>,
    seat: usize,
    objects: &[Object],
    budget: u64,
) -> Result<(), Refusal> {
    let mut budget = budget.min(turn.room(seat));
    let caps: Vec<u64> = objects
        .iter()
        .map(|object| cap(turn, seat, object))
        .collect();
    let mut taken = vec![0; objects.len()];
    loop {
        let before = budget;
        for (at, object) in objects.iter().enumerate() {
            if budget == 0 || turn.left == 0 {
                return Ok(());
            }
            // Cpus near several GPUs are counted once.
            let shares = |other: &usize| *other == at || shared(object, &objects[*other]);
            let there: u64 = (0..objects.len()).filter(shares).map(|at| taken[at]).sum();
            if there < caps[at] {
                let before = turn.free_in(seat, &object.cpus);
                let found = turn.put(seat, Some((object, at)))?;
                // A thread of a core that was partly taken leaves the number of free cpus as it is.
                let fewer = turn.free_in(seat, &object.cpus) < before || object.kind.is_device();
                taken[at] += u64::from(found == Found::Cpus && fewer);
                budget -= 1;
            }
        }
        if budget == before || turn.alone() {
            return Ok(());
        }
    }
}

/// With SPAN: rounds over the nodes, one process per node and round.
pub(super) fn span(turn: &mut Turn<'_, '_>) -> Result<(), Refusal> {
    if turn.alone() {
        return span_alone(turn);
    }
    room_for_all(turn)?;
    let mut caps: Vec<Option<Vec<u64>>> = turn.seats.iter().map(|_| None).collect();
    while turn.left > 0 {
        let before = turn.left;
        for (seat, caps) in caps.iter_mut().enumerate() {
            if turn.left == 0 {
                break;
            }
            let objects = objects(turn, seat)?;
            if turn.room(seat) == 0 || turn.seats[seat].avail == 0 && !turn.oversubscribes() {
                continue;
            }
            let caps = caps.get_or_insert_with(|| {
                objects
                    .iter()
                    .map(|object| cap(turn, seat, object))
                    .collect()
            });
            let m = objects.len();
            let first = usize::try_from(turn.seats[seat].placed % m as u64).unwrap_or(0);
            let Some(at) = (first..first + m).map(|at| at % m).find(|&at| caps[at] > 0) else {
                continue;
            };
            let before = turn.free_in(seat, &objects[at].cpus);
            let found = turn.put(seat, Some((&objects[at], at)))?;
            let fewer = turn.free_in(seat, &objects[at].cpus) < before;
            if found == Found::Cpus && (fewer || objects[at].kind.is_device()) {
                for (other, cap) in caps.iter_mut().enumerate() {
                    if other == at || shared(&objects[at], &objects[other]) {
                        *cap = cap.saturating_sub(1);
                    }
                }
            }
        }
        if turn.left == before {
            if turn.oversubscribes() && (0..turn.seats.len()).all(|seat| turn.room(seat) == 0) {
                return Refusal::err(
                    "out-of-resource",
                    format!("{:?}: every node is at max_slots", turn.app),
                );
            }
            return Err(turn.lack_of_cpus());
        }
    }
    Ok(())
}

/// The devices of a node, each of which takes one process alone.
#[derive(Clone)]
struct Alone {
    objects: Vec<Object>,
    /// How many processes each has room for.
    rooms: Vec<u64>,
    /// The first that no process was put on yet.
    next: usize,
}

/// With SPAN, where each device takes one process alone: the next process of a node gets its next device with room.
fn span_alone(turn: &mut Turn<'_, '_>) -> Result<(), Refusal> {
    let mut nodes: Vec<Option<Alone>> = vec![None; turn.seats.len()];
    while turn.left > 0 {
        let before = turn.left;
        for (seat, known) in nodes.iter_mut().enumerate() {
            if turn.left == 0 {
                break;
            }
            if known.is_none() {
                let objects = objects(turn, seat)?;
                if turn.room(seat) > 0 && (turn.seats[seat].avail > 0 || turn.oversubscribes()) {
                    turn.meets_target(seat)?;
                    turn.fits(seat)?;
                }
                let rooms = objects.iter().map(|object| cap(turn, seat, object));
                let rooms = rooms.collect();
                *known = Some(Alone {
                    objects,
                    rooms,
                    next: 0,
                });
            }
            let Some(Alone {
                objects,
                rooms,
                next,
            }) = known
            else {
                continue;
            };
            if turn.room(seat) == 0 || turn.seats[seat].avail == 0 && !turn.oversubscribes() {
                continue;
            }
            let Some(at) = (*next..objects.len()).find(|&at| rooms[at] > 0) else {
                continue;
            };
            *next = at + 1;
            if turn.put(seat, Some((&objects[at], at)))? == Found::Cpus {
                for (other, room) in rooms.iter_mut().enumerate() {
                    if other == at || shared(&objects[at], &objects[other]) {
                        *room = room.saturating_sub(1);
                    }
                }
            }
        }
        if turn.left == before {
            return Err(turn.lack_of_cpus());
        }
    }
    Ok(())
}

/// Counts come first, as by node: the nodes together must have enough room. Nodes after the one where the first round ends are not
/// looked at.
fn room_for_all(turn: &mut Turn<'_, '_>) -> Result<(), Refusal> {
    let (mut reached, mut all, mut only_limits) = (0, 0_u64, true);
    let mut certain = !turn.by_default() && turn.policy.if_supported == IfSupported::No;
    for seat in 0..turn.seats.len() {
        if reached == turn.left {
            return Ok(());
        }
        let objects = objects(turn, seat)?;
        let slots = if turn.oversubscribes() {
            u64::MAX
        } else {
            turn.seats[seat].avail
        };
        let slots = slots.min(turn.room(seat));
        if slots > 0 {
            turn.meets_target(seat)?;
            turn.fits(seat)?;
        }
        certain = certain && !must_place(turn, seat, &objects);
        let first = |at: &usize| !(0..*at).any(|before| shared(&objects[before], &objects[*at]));
        let cpus = (0..objects.len())
            .filter(first)
            .map(|at| {
                let loose = loose(turn, seat, &objects[at]);
                cap(turn, seat, &objects[at]).saturating_add(loose)
            })
            .fold(0, u64::saturating_add);
        only_limits = only_limits && turn.room(seat) <= cpus;
        all = all.saturating_add(slots.min(cpus));
        reached += slots.min(cpus).min(1);
    }
    // A process that stays unbound uses no cpu. Then only placing the processes shows whether there is room.
    if all >= turn.left || !certain {
        return Ok(());
    }
    if turn.oversubscribes() && only_limits {
        return Refusal::err(
            "out-of-resource",
            format!("{:?}: every node is at max_slots", turn.app),
        );
    }
    turn.bound = all;
    Err(turn.lack_of_cpus())
}

/// Whether only placing the processes shows how many fit: devices are near some cpus together and not the same ones, or one is near no
/// object to bind to.
fn must_place(turn: &Turn<'_, '_>, seat: usize, objects: &[Object]) -> bool {
    let apart = |one: &Object, other: &Object| one.cpus == other.cpus || !shared(one, other);
    let machine = turn.machine(seat);
    let target = turn.target.filter(|target| !target.is_device());
    let target = target.map(|target| machine.meant(target));
    let lacks = |object: &Object| {
        let none_inside = |target| !machine.holds_any(&object.cpus, target);
        object.kind.is_device() && target.is_some_and(none_inside)
    };
    objects
        .iter()
        .any(|one| lacks(one) || !objects.iter().all(|other| apart(one, other)))
}

/// Whether both are devices that are near a cpu together.
fn shared(one: &Object, other: &Object) -> bool {
    one.kind.is_device() && one.cpus.meets(&other.cpus)
}

/// Partly taken cores before the last whole core of an object. When processes are bound to threads, a process takes the rest of
/// such a core, and no whole core.
fn loose(turn: &Turn<'_, '_>, seat: usize, object: &Object) -> u64 {
    let node = turn.node(seat);
    let threads = turn.target == Some(ObjKind::Hwthread)
        && turn.mode() == CpuMode::Core
        && node.machine.has_cores();
    let of_device = object.kind.is_device();
    if of_device || !threads || turn.pe() > 1 || turn.overloads() || !turn.is_bound(seat) {
        return 0;
    }
    let (mut loose, mut waiting) = (0, 0);
    let mut last = None;
    for pu in node.machine.objects(ObjKind::Hwthread) {
        if !object.cpus.holds(&pu.cpus) || !node.free.holds(&pu.cpus) {
            continue;
        }
        let cores = node.machine.units(CpuMode::Core);
        let own = cores.iter().position(|core| core.cpus.holds(&pu.cpus));
        if own.is_some_and(|own| node.free.holds(&cores[own].cpus)) {
            (loose, waiting) = (loose + waiting, 0);
        } else if own.is_none() || own != last {
            waiting += 1;
        }
        last = own;
    }
    loose
}

/// How many processes an object can take.
pub(super) fn cap(turn: &Turn<'_, '_>, seat: usize, object: &Object) -> u64 {
    if !turn.is_bound(seat) {
        return u64::MAX;
    }
    let node = turn.node(seat);
    if turn.overloads() {
        let cpus = node
            .machine
            .count_in(turn.mode(), &node.usable.and(&object.cpus));
        return if cpus < turn.pe() { 0 } else { u64::MAX };
    }
    turn.free_in(seat, &object.cpus) / turn.pe()
}

/// The objects of the mapped kind on a node, in the order of the policy.
fn objects(turn: &Turn<'_, '_>, seat: usize) -> Result<Vec<Object>, Refusal> {
    let machine = turn.machine(seat);
    let kind = turn.objects_mapped_to();
    let mut objects = turn.mapped_objects(seat);
    if objects.is_empty() {
        let class = match (turn.policy.map.devices(), kind) {
            (Some(options), _) => devices::lacking(machine, options),
            (None, Some(ObjKind::Gpu)) => "device-not-found",
            (None, _) => "object-not-found",
        };
        return Refusal::err(class, format!("no {kind:?} on {}", turn.node(seat).name));
    }
    if turn.policy.map == MapBy::Dist {
        let name = turn.device.unwrap_or_default();
        let Some(device) = machine.devices.iter().find(|device| device.name == name) else {
            return Refusal::err(
                "no-such-device",
                format!("{name} on {}", turn.node(seat).name),
            );
        };
        objects.sort_by_key(|numa| (distance(machine, &device.place, numa), numa.logical));
    }
    Ok(objects)
}

/// The distance of a NUMA node from a device: the least latency from the NUMA nodes of the device's place. Without latencies, it
/// says whether they share cpus or a package.
fn distance(machine: &Machine, place: &crate::cpus::Cpus, numa: &Object) -> u64 {
    let near = |other: &&Object| other.cpus.meets(place);
    let numas = machine.objects(ObjKind::Numa);
    if let Some(latencies) = &machine.latencies
        && let Some(to) = latencies
            .nodes_os
            .iter()
            .position(|&os| Some(os) == numa.os)
    {
        let rows = numas.iter().filter(near).filter_map(|from| {
            latencies
                .nodes_os
                .iter()
                .position(|&os| Some(os) == from.os)
        });
        if let Some(least) = rows
            .filter_map(|from| latencies.values.get(from)?.get(to))
            .min()
        {
            return *least;
        }
    }
    let shares_package = || {
        let packages = machine.objects(ObjKind::Package).iter();
        packages
            .filter(|package| package.cpus.meets(place))
            .any(|package| package.cpus.meets(&numa.cpus))
    };
    match () {
        () if numa.cpus.meets(place) => 0,
        () if shares_package() => 1,
        () => 2,
    }
}
