//! Node states in bytes: sets of PUs, states, and which node is in which.

use super::wire::{BadPlan, Reader, Writer};
use crate::limit::{PLAN_SET_BYTES_FREE, PLAN_SET_BYTES_GRANTED, PLAN_SET_BYTES_MAX};
use crate::plan::placed::row;
use crate::policy::ObjKind;
use crate::table::interner::ById;
use crate::table::pusets::{PuBits, PuSetId, PuSets};
use crate::table::states::{NodeState, StateId, StateRuns, States};
use crate::table::topologies::{Topologies, TopologyId};
use std::hash::Hash;

/// Rows of a table that are used, in the order of first use.
pub(super) struct Used<I> {
    pub(super) rows: Vec<I>,
    ids: ById<I, u32>,
}

impl<I: Copy + Eq + Hash> Used<I> {
    pub(super) fn new() -> Self {
        Self {
            rows: Vec::new(),
            ids: ById::default(),
        }
    }
    /// The new row of an id, which counts as used from now on.
    pub(super) fn row(&mut self, id: I) -> u32 {
        let next = row(self.rows.len());
        *self.ids.entry(id).or_insert_with(|| {
            self.rows.push(id);
            next
        })
    }
}

/// The states of the nodes before and after, with the topologies they speak of put into `topologies`.
pub(super) fn write(
    writer: &mut Writer,
    plan: &crate::plan::Plan,
    topologies: &mut Used<TopologyId>,
) {
    let world = plan.world();
    let mut states: Used<StateId> = Used::new();
    let mut sides = Writer::default();
    for side in [&world.before, &world.after] {
        let rows = side.iter();
        let (counts, ids): (Vec<u32>, Vec<u32>) = rows
            .map(|(nodes, state)| (nodes.count, states.row(state)))
            .unzip();
        sides.size(counts.len());
        sides.column(&counts);
        sides.column(&ids);
    }
    let mut sets: Used<(PuSetId, TopologyId)> = Used::new();
    let rows: Vec<NodeState> = states
        .rows
        .iter()
        .map(|&id| *world.states.get(id))
        .collect();
    let column =
        |value: &mut dyn FnMut(&NodeState) -> u32| -> Vec<u32> { rows.iter().map(value).collect() };
    let numbered = [
        column(&mut |state| topologies.row(state.topology)),
        column(&mut |state| sets.row((state.allowed, state.topology))),
        column(&mut |state| sets.row((state.free, state.topology))),
    ];
    writer.size(sets.rows.len());
    let mut told = Writer::default();
    let mut held = 0;
    for &(set, topology) in &sets.rows {
        told.number(topologies.row(topology));
        let set = world.pusets.get(set);
        held += memory(set.len());
        write_set(&mut told, set, held);
    }
    writer.append(&told);
    writer.size(rows.len());
    for column in &numbered {
        writer.column(column);
    }
    let mut column =
        |value: fn(&NodeState) -> u32| writer.column_of(rows.len(), |at| value(&rows[at]));
    column(|state| state.slots);
    column(|state| state.max_slots.map_or(0, |max| max.saturating_add(1)));
    column(|state| state.used);
    column(|state| state.own);
    writer.append(&sides);
}

/// Bytes in memory of a set.
fn memory(pus: usize) -> u64 {
    pus.div_ceil(64) as u64 * 8
}

/// What sets told in so many bytes may take in memory.
fn granted(bytes: usize) -> u64 {
    PLAN_SET_BYTES_FREE + PLAN_SET_BYTES_GRANTED * bytes as u64
}

/// A set: its stretches of equal bits, the first of PUs that are not in it. Empty ones follow until what was told grants the
/// memory that it and those before it take.
fn write_set(writer: &mut Writer, set: &bitvec::slice::BitSlice<u64>, held: u64) {
    let mut stretches = Writer::default();
    let (mut count, mut at) = (0, 0);
    let mut value = false;
    while at < set.len() {
        let rest = &set[at..];
        let next = if value {
            rest.first_zero()
        } else {
            rest.first_one()
        };
        let size = next.unwrap_or(rest.len());
        stretches.size(size);
        count += 1;
        at += size;
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
    let count = reader.size(1, "a number of stretches")?;
    let mut bits = PuBits::with_capacity(pus as usize);
    let mut value = false;
    for _ in 0..count {
        let size = reader.number(pus, "a stretch within the PUs")?;
        let end = bits.len() + size as usize;
        reader.ensure(|| end <= pus as usize, "stretches within the PUs")?;
        bits.resize(end, value);
        value = !value;
    }
    reader.ensure(
        || bits.len() == pus as usize,
        "stretches that cover the PUs",
    )?;
    Ok(bits)
}

/// What [`read`] gives.
pub(super) struct StatesRead {
    pub(super) pusets: PuSets,
    pub(super) states: States,
    pub(super) before: StateRuns,
    pub(super) after: StateRuns,
}

pub(super) fn read(
    reader: &mut Reader<'_>,
    topologies: &Topologies,
    nodes: u32,
) -> Result<StatesRead, BadPlan> {
    let ids: Vec<TopologyId> = topologies.ids().collect();
    let count = reader.size(1, "a number of sets")?;
    let mut pusets = PuSets::default();
    // A few bytes may stand for a set of a million PUs.
    let (mut held, left) = (0, reader.left());
    let mut sets: Vec<(TopologyId, PuSetId)> = Vec::with_capacity(count.min(1024));
    for _ in 0..count {
        let row = reader.number(u32::MAX, "a topology")?;
        let Some(&topology) = ids.get(row as usize) else {
            return Err(reader.bad("a topology that there is"));
        };
        let pus = topologies.count(topology, ObjKind::Hwthread);
        let set = read_set(reader, pus)?;
        held += memory(set.len());
        let within = held <= PLAN_SET_BYTES_MAX.min(granted(left - reader.left()));
        reader.ensure(|| within, "sets of cpus that memory holds")?;
        sets.push((topology, pusets.intern(&set)));
    }
    let rows = reader.rows()?;
    let mut states = States::default();
    let mut known = Vec::with_capacity(rows);
    for row in reader.table::<7>(rows)? {
        let value = |column: usize| row[column];
        let topology = ids.get(value(0) as usize).copied();
        let set = |column: usize| {
            let (of, set) = *sets.get(value(column) as usize)?;
            (Some(of) == topology).then_some(set)
        };
        let (Some(topology), Some(allowed), Some(free)) = (topology, set(1), set(2)) else {
            return Err(reader.bad("states of topologies and sets that there are"));
        };
        known.push(states.intern(NodeState {
            topology,
            allowed,
            free,
            slots: value(3),
            max_slots: value(4).checked_sub(1),
            used: value(5),
            own: value(6),
        }));
    }
    let before = read_side(reader, &known, nodes)?;
    let after = read_side(reader, &known, nodes)?;
    Ok(StatesRead {
        pusets,
        states,
        before,
        after,
    })
}

fn read_side(reader: &mut Reader<'_>, known: &[StateId], nodes: u32) -> Result<StateRuns, BadPlan> {
    let rows = reader.rows()?;
    let counts = reader.column(rows)?;
    let ids = reader.column(rows)?;
    let mut runs = StateRuns::default();
    for (&count, &id) in counts.iter().zip(&ids) {
        let state = known.get(id as usize).copied();
        let fits = count <= nodes - runs.nodes();
        match state {
            Some(state) if fits => runs.push(count, state),
            _ => return Err(reader.bad("states of the nodes there are")),
        }
    }
    reader.ensure(|| runs.nodes() == nodes, "a state for every node")?;
    Ok(runs)
}

/// Row of an id in what was read: ids are given out in order.
pub(super) fn id_row<I: crate::id::Id>(id: I) -> u32 {
    row(id.row())
}
