//! `ppr:N:object`: N processes on each object. `docs/semantics.md` 4, "ppr".

use crate::devices;
use crate::machine::Object;
use crate::refusal::Refusal;
use crate::turn::Turn;
use stowplan_engine::policy::{ObjKind, PprObject};

pub(super) fn place(turn: &mut Turn<'_, '_>, per: u64, on: PprObject) -> Result<(), Refusal> {
    for seat in 0..turn.seats.len() {
        if turn.left == 0 {
            return Ok(());
        }
        let places = places(turn, seat, on);
        if places.is_empty() {
            let class = match (on, turn.policy.map.devices()) {
                (_, Some(options)) => devices::lacking(turn.machine(seat), options),
                (PprObject::Kind(ObjKind::Gpu), None) => "device-not-found",
                (PprObject::Kind(_) | PprObject::Node | PprObject::Devices(_), None) => {
                    "object-not-found"
                }
            };
            return Refusal::err(class, format!("{on:?} on {}", turn.node(seat).name));
        }
        let wanted = per * places.len() as u64;
        let slots = turn.seats[seat].avail;
        if wanted > slots && !turn.oversubscribes() {
            continue;
        }
        if turn.by_default() && wanted <= slots && wanted * turn.pe() > turn.free(seat) {
            turn.seats[seat].gave_up = true;
        }
        turn.meets_target(seat)?;
        turn.fits(seat)?;
        for (at, place) in places.iter().enumerate() {
            if !fits(turn, seat, place.as_ref(), per) {
                continue;
            }
            for _ in 0..per.min(turn.left).min(turn.room(seat)) {
                turn.put(seat, place.as_ref().map(|object| (object, at)))?;
            }
        }
    }
    if turn.left == 0 {
        return Ok(());
    }
    Refusal::err(
        "ppr-too-many",
        format!("{:?}: {} processes beyond the pattern", turn.app, turn.left),
    )
}

/// The objects of the pattern. For `node` it is one place without an object.
fn places(turn: &Turn<'_, '_>, seat: usize, on: PprObject) -> Vec<Option<Object>> {
    match on {
        PprObject::Node => vec![None],
        PprObject::Devices(_) => turn.mapped_objects(seat).into_iter().map(Some).collect(),
        PprObject::Kind(kind) => {
            let objects = turn.machine(seat).objects(kind).iter();
            objects.cloned().map(Some).collect()
        }
    }
}

/// Whether an object has room for its N processes.
fn fits(turn: &Turn<'_, '_>, seat: usize, place: Option<&Object>, per: u64) -> bool {
    let machine = turn.machine(seat);
    let set = place.map_or(&machine.cpus, |object| &object.cpus);
    if !turn.is_bound(seat) {
        return true;
    }
    if turn.overloads() {
        return machine.count_in(turn.mode(), &turn.node(seat).usable.and(set)) >= turn.pe();
    }
    turn.free_in(seat, set) / turn.pe() >= per
}
