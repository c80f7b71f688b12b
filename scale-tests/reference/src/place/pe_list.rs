//! `pe-list=…`: one process for each listed cpu, starting again on every node. `docs/semantics.md` 4, "pe-list".

use super::share::share_out;
use crate::cpus::Cpus;
use crate::machine::Object;
use crate::refusal::Refusal;
use crate::turn::Turn;
use stowplan_engine::policy::Ordered;

pub(super) fn place(turn: &mut Turn<'_, '_>) -> Result<(), Refusal> {
    let may_repeat = turn.overloads() && turn.policy.ordered == Ordered::No;
    let length = turn.list.len() as u64;
    for seat in 0..turn.seats.len() {
        if turn.left == 0 {
            return Ok(());
        }
        let cpus = cpus_of(turn, seat)?;
        let slots = turn.seats[seat].avail;
        let mut cap = if may_repeat { slots } else { length };
        if !turn.oversubscribes() {
            cap = cap.min(slots);
        }
        if turn.is_bound(seat) && !turn.overloads() {
            let free = &turn.node(seat).free;
            cap = cap.min(cpus.iter().filter(|cpu| free.holds(&cpu.cpus)).count() as u64);
        }
        pass(turn, seat, &cpus, cap)?;
    }
    let again =
        turn.oversubscribes() && turn.target.is_some() && (turn.by_default() || turn.overloads());
    if turn.left > 0 && again {
        if turn.by_default() {
            turn.seats.iter_mut().for_each(|seat| seat.gave_up = true);
        }
        share_out(turn, |turn, seat, share| {
            let cpus = cpus_of(turn, seat)?;
            pass(turn, seat, &cpus, share)
        })?;
    }
    if turn.left > 0 {
        return Refusal::err(
            "pe-list-exhausted",
            format!("{:?}: {} processes beyond the list", turn.app, turn.left),
        );
    }
    Ok(())
}

/// The listed cpus of a node.
fn cpus_of<'a>(turn: &Turn<'_, 'a>, seat: usize) -> Result<Vec<&'a Object>, Refusal> {
    let node = turn.node(seat);
    let units = node.machine.units(turn.mode());
    let find = |&number: &u32| {
        let unit = units
            .get(number as usize)
            .filter(|unit| node.usable.holds(&unit.cpus));
        unit.ok_or_else(|| {
            Refusal::new("pe-list-conflict", format!("cpu {number} on {}", node.name))
        })
    };
    turn.list.iter().map(find).collect()
}

/// Puts up to `cap` processes on a node, from the start of the list.
fn pass<'a>(
    turn: &mut Turn<'_, 'a>,
    seat: usize,
    cpus: &[&'a Object],
    cap: u64,
) -> Result<(), Refusal> {
    let count = cap.min(turn.left).min(turn.room(seat));
    if count == 0 {
        return Ok(());
    }
    if turn.target.is_none() {
        for _ in 0..count {
            turn.record(seat, None, None);
        }
        return Ok(());
    }
    if turn.policy.ordered == Ordered::Yes {
        return ordered(turn, seat, cpus, count);
    }
    let whole = cpus.iter().fold(Cpus::none(), |set, cpu| set.or(&cpu.cpus));
    let gave_up = turn.seats[seat].gave_up;
    let free = whole_free(turn, seat, cpus);
    let mask = if gave_up || free.is_empty() {
        whole
    } else {
        free
    };
    let packages = turn.machine(seat).packages();
    if !packages.iter().any(|package| package.holds(&mask)) {
        return Refusal::err(
            "span-packages",
            format!(
                "the list is in several packages of {}",
                turn.node(seat).name
            ),
        );
    }
    for (i, cpu) in (0..count).zip(cpus.iter().cycle()) {
        if gave_up && i >= cpus.len() as u64 {
            turn.record(seat, None, None);
        } else {
            turn.consume(seat, &cpu.cpus);
            turn.record(seat, None, Some(mask.clone()));
        }
    }
    Ok(())
}

/// The cpus of the list that are still free.
fn whole_free(turn: &Turn<'_, '_>, seat: usize, cpus: &[&Object]) -> Cpus {
    let free = &turn.node(seat).free;
    cpus.iter()
        .filter(|cpu| free.holds(&cpu.cpus))
        .fold(Cpus::none(), |set, cpu| set.or(&cpu.cpus))
}

/// ORDERED: the i-th process gets only the i-th cpu.
fn ordered<'a>(
    turn: &mut Turn<'_, 'a>,
    seat: usize,
    cpus: &[&'a Object],
    count: u64,
) -> Result<(), Refusal> {
    for (i, cpu) in (0..count).zip(cpus.iter().cycle()) {
        if !turn.overloads() && !turn.node(seat).free.holds(&cpu.cpus) {
            return Refusal::err(
                "pe-list-conflict",
                format!("cpu {i} of the list is taken on {}", turn.node(seat).name),
            );
        }
        let mask = cpu.cpus.and(&turn.node(seat).usable);
        turn.consume(seat, &cpu.cpus);
        turn.record(seat, None, Some(mask));
    }
    Ok(())
}
