//! Node states in bytes: sets of PUs, states, and which node is in which.

use super::frame::BadPlan;
use super::wire::{Reader, Writer, or_zero};
use crate::limit::{PLAN_SET_BYTES_FREE, PLAN_SET_BYTES_GRANTED, PLAN_SET_BYTES_MAX};
use crate::plan::World;
use crate::policy::ObjKind;
use crate::table::interner::KeyRows;
use crate::table::pusets::{PuBits, PuSetId};
use crate::table::states::{NodeState, StateId, StateRuns};
use crate::table::topologies::TopologyId;
use bitvec::slice::BitSlice;
use std::sync::Arc;

/// Writes the states of the nodes before and after the job; adds the topologies that these use to `topologies`.
pub(super) fn write(writer: &mut Writer, world: &World, topologies: &mut KeyRows<TopologyId>) {
    let mut states: KeyRows<StateId> = KeyRows::default();
    let sides = [&world.before, &world.after].map(|side| {
        let runs = side.iter();
        let runs = runs.map(|(nodes, state)| [nodes.count, states.meet(state)]);
        runs.collect::<Vec<_>>()
    });
    let rows: Vec<&NodeState> = states
        .keys()
        .iter()
        .map(|&id| world.states.get(id))
        .collect();
    // Sets are numbered column by column.
    let mut sets: KeyRows<(PuSetId, TopologyId)> = KeyRows::default();
    let mut numbered = |set: fn(&NodeState) -> PuSetId| -> Vec<u32> {
        let sets_of = rows.iter().map(|state| (set(state), state.topology));
        sets_of.map(|set| sets.meet(set)).collect()
    };
    let (allowed, free) = (
        numbered(|state| state.allowed),
        numbered(|state| state.free),
    );
    let topology: Vec<u32> = rows
        .iter()
        .map(|state| topologies.meet(state.topology))
        .collect();
    let (mut told, mut held) = (Writer::default(), 0);
    for &(set, topology) in sets.keys() {
        told.number(topologies.meet(topology));
        let set = world.pusets.get(set);
        held += memory(set.len());
        write_set(&mut told, set, held);
    }
    writer.size(sets.keys().len());
    writer.append(&told);
    writer.table(rows.iter().enumerate().map(|(at, state)| {
        [
            topology[at],
            allowed[at],
            free[at],
            state.slots,
            or_zero(state.max_slots),
            state.used,
            state.own,
        ]
    }));
    sides.into_iter().for_each(|side| writer.table(side));
}

/// How many bytes a set of `pus` PUs takes in memory.
fn memory(pus: usize) -> u64 {
    pus.div_ceil(64) as u64 * 8
}

/// How much memory the sets written in so many bytes may take.
fn granted(bytes: usize) -> u64 {
    PLAN_SET_BYTES_FREE + PLAN_SET_BYTES_GRANTED * bytes as u64
}

/// Writes a set as stretches of equal bits; the first stretch is of PUs that are not in the set. Empty stretches follow until
/// the bytes written grant the memory that this set and those before it take.
fn write_set(writer: &mut Writer, set: &BitSlice<u64>, held: u64) {
    let mut stretches = Writer::default();
    let (mut count, mut left, mut value) = (0, set, false);
    while !left.is_empty() {
        let next = match value {
            true => left.first_zero(),
            false => left.first_one(),
        };
        let size = next.unwrap_or(left.len());
        stretches.size(size);
        count += 1;
        left = &left[size..];
        value = !value;
    }
    let missing = held.saturating_sub(granted(writer.written() + stretches.written()));
    for _ in 0..missing.div_ceil(PLAN_SET_BYTES_GRANTED) {
        stretches.size(0);
        count += 1;
    }
    writer.size(count);
    writer.append(&stretches);
}

fn read_set(reader: &mut Reader<'_>, pus: u32) -> Result<PuBits, BadPlan> {
    let mut bits = PuBits::with_capacity(pus as usize);
    let mut value = false;
    reader.list("a number of stretches", |reader| {
        let size = reader.number(pus, "a stretch within the PUs")?;
        let end = bits.len() + size as usize;
        reader.ensure(|| end <= pus as usize, "stretches within the PUs")?;
        bits.resize(end, value);
        value = !value;
        Ok(())
    })?;
    reader.ensure(
        || bits.len() == pus as usize,
        "stretches that cover the PUs",
    )?;
    Ok(bits)
}

/// Reads the states into the world. Its topologies have been read before.
pub(super) fn read(reader: &mut Reader<'_>, world: &mut World) -> Result<(), BadPlan> {
    let World {
        topologies,
        pusets,
        states,
        ..
    } = world;
    let (pusets, states) = (Arc::make_mut(pusets), Arc::make_mut(states));
    let ids: Vec<TopologyId> = topologies.ids().collect();
    let count = reader.count("a number of sets")?;
    // A few bytes may stand for a set of a million PUs.
    let (mut held, left) = (0, reader.left());
    let sets = reader.items(count, |reader| {
        let row = reader.number(u32::MAX, "a topology")?;
        let topology = ids.get(row as usize).copied();
        let topology = reader.require(topology, "a topology that there is")?;
        let pus = topologies.count(topology, ObjKind::Hwthread);
        let set = read_set(reader, pus)?;
        held += memory(set.len());
        let within = held <= PLAN_SET_BYTES_MAX.min(granted(left - reader.left()));
        reader.ensure(|| within, "sets of cpus that memory holds")?;
        Ok((topology, pusets.intern(&set)))
    })?;
    let rows = reader.table()?.into_iter();
    let known = rows.map(|[topology, allowed, free, slots, max_slots, used, own]| {
        let topology = ids.get(topology as usize).copied();
        let set = |row: u32| {
            let &(of, set) = sets.get(row as usize)?;
            (Some(of) == topology).then_some(set)
        };
        Some(states.intern(NodeState {
            topology: topology?,
            allowed: set(allowed)?,
            free: set(free)?,
            slots,
            max_slots: max_slots.checked_sub(1),
            used,
            own,
        }))
    });
    let known: Option<Vec<StateId>> = known.collect();
    let known = reader.require(known, "states of topologies and sets that there are")?;
    let nodes = world.names.len();
    world.before = read_side(reader, &known, nodes)?;
    world.after = read_side(reader, &known, nodes)?;
    Ok(())
}

fn read_side(reader: &mut Reader<'_>, known: &[StateId], nodes: u32) -> Result<StateRuns, BadPlan> {
    let mut runs = StateRuns::default();
    for [count, state] in reader.table()? {
        let fits = count <= nodes - runs.nodes();
        let state = known.get(state as usize).filter(|_| fits);
        let state = reader.require(state, "states of the nodes there are")?;
        runs.push(count, *state);
    }
    reader.ensure(|| runs.nodes() == nodes, "a state for every node")?;
    Ok(runs)
}
