//! `node`: one process per round to each node that has room. `docs/semantics.md` 4, "node".

use crate::refusal::Refusal;
use crate::turn::Turn;
use stowplan_engine::policy::IfSupported;

pub(super) fn place(turn: &mut Turn<'_, '_>) -> Result<(), Refusal> {
    let seats = turn.seats.len();
    let caps: Vec<u64> = (0..seats).map(|seat| cap(turn, seat)).collect();
    let counts = deal(&caps, turn.left);
    let dealt: u64 = counts.iter().sum();
    // The mapper gets to a node in the first round. Nodes after the last process are not looked at.
    let mut reached = 0;
    for (seat, &count) in counts.iter().enumerate() {
        if reached < turn.left {
            turn.meets_target(seat)?;
            turn.fits(seat)?;
        }
        reached += count.min(1);
    }
    if dealt < turn.left {
        if turn.oversubscribes() && (0..seats).all(|seat| caps[seat] == turn.room(seat)) {
            return Refusal::err(
                "out-of-resource",
                format!("{:?}: every node is at max_slots", turn.app),
            );
        }
        if turn.policy.if_supported == IfSupported::No {
            turn.bound = dealt;
            return Err(turn.lack_of_cpus());
        }
        // Some processes may be placed without cpus. Only placing them shows this.
        for (seat, count) in counts.into_iter().enumerate() {
            for _ in 0..count {
                turn.put(seat, None)?;
            }
        }
        return Err(turn.lack_of_cpus());
    }
    let even = (turn.left / seats as u64).max(1);
    for (seat, count) in counts.into_iter().enumerate() {
        let unbound = if turn.by_default() && turn.is_bound(seat) && too_narrow(turn, seat, even) {
            even
        } else {
            0
        };
        let bound_before = turn.seats[seat].gave_up;
        for i in 0..count {
            turn.seats[seat].gave_up = bound_before || i < unbound;
            turn.put(seat, None)?;
        }
    }
    Ok(())
}

/// How many processes a node can take.
fn cap(turn: &Turn<'_, '_>, seat: usize) -> u64 {
    let slots = if turn.oversubscribes() {
        u64::MAX
    } else {
        turn.seats[seat].avail
    };
    let asked_for = turn.is_bound(seat) && !turn.by_default();
    let cpus = if asked_for && turn.pe() > 1 {
        turn.package_cap(seat)
    } else if asked_for && !turn.overloads() {
        turn.free(seat)
    } else {
        u64::MAX
    };
    slots.min(cpus).min(turn.room(seat))
}

/// One process per round to each node below its cap.
fn deal(caps: &[u64], mut left: u64) -> Vec<u64> {
    let mut counts = vec![0; caps.len()];
    while left > 0 {
        let before = left;
        for (count, &cap) in counts.iter_mut().zip(caps) {
            if left > 0 && *count < cap {
                *count += 1;
                left -= 1;
            }
        }
        if left == before {
            break;
        }
    }
    counts
}

/// Whether the default binding is given up for the first `even` processes of a node.
fn too_narrow(turn: &Turn<'_, '_>, seat: usize, even: u64) -> bool {
    let (free, slots) = (turn.free(seat), turn.seats[seat].avail);
    if turn.oversubscribes() {
        free < even && even <= slots
    } else {
        free < even.min(slots)
    }
}
