//! `slot`: nodes in list order; each node takes as many as it can before the next one gets any. `docs/semantics.md` 4, "slot".

use super::share::share_out;
use crate::refusal::Refusal;
use crate::turn::Turn;

pub(super) fn place(turn: &mut Turn<'_, '_>) -> Result<(), Refusal> {
    for seat in 0..turn.seats.len() {
        if turn.left == 0 {
            return Ok(());
        }
        let slots = turn.seats[seat].avail;
        if turn.by_default() && turn.is_bound(seat) && slots > turn.free(seat) {
            turn.seats[seat].gave_up = true;
        }
        if slots.min(turn.room(seat)) > 0 {
            turn.meets_target(seat)?;
            turn.fits(seat)?;
        }
        let cap = if !turn.is_bound(seat) {
            slots
        } else if turn.pe() > 1 {
            slots.min(turn.package_cap(seat))
        } else if turn.overloads() {
            slots
        } else {
            slots.min(turn.free(seat))
        };
        put(turn, seat, cap)?;
    }
    if turn.left == 0 {
        return Ok(());
    }
    if !turn.oversubscribes() {
        return Err(turn.lack_of_cpus());
    }
    share_out(turn, |turn, seat, share| {
        turn.meets_target(seat)?;
        turn.fits(seat)?;
        let cap = if !turn.is_bound(seat) || turn.overloads() {
            share
        } else if turn.pe() > 1 {
            share.min(turn.package_cap(seat))
        } else {
            share.min(turn.free(seat))
        };
        put(turn, seat, cap)
    })
}

fn put(turn: &mut Turn<'_, '_>, seat: usize, cap: u64) -> Result<(), Refusal> {
    for _ in 0..cap.min(turn.left).min(turn.room(seat)) {
        turn.put(seat, None)?;
    }
    Ok(())
}
