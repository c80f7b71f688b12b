//! The first state of every node of a pool: its topology, the cpus that may be used, its slots, and what others have of it. Source:
//! `semantics` 1.5, 1.7.

use super::hostfile::NodeSlots;
use super::pool::Pool;
use super::slots::SlotsSaid;
use crate::error::{MapError, PlaceError};
use crate::id::{Column, Id as _};
use crate::policy::{CpuMode, ObjKind};
use crate::stage::node::bits::{Bits, There};
use crate::stage::node::units::narrow;
use crate::table::intervals::Intervals;
use crate::table::machine::{CpuList, InUse, Machine};
use crate::table::names::{NameRange, Names, NodeId, NodeRange};
use crate::table::pusets::PuSetId;
use crate::table::states::{NodeState, Runs};
use crate::table::topologies::TopologyId;
use std::sync::Arc;

/// A value of each node that is named: the last that names it. `default`: of the others.
///
/// Cost: a search for each range of names.
fn painted<'m, T: Copy + Eq>(
    names: &Names,
    default: Option<T>,
    said: impl Iterator<Item = (&'m [NameRange], T)>,
) -> Runs<Option<T>> {
    let mut runs = Runs::default();
    runs.push(names.len(), default);
    let mut changes = Vec::new();
    for (ranges, value) in said {
        let nodes = ranges.iter().flat_map(|range| names.find(range).0);
        changes.extend(nodes.map(|nodes| (nodes, Some(value))));
    }
    let apart = |two: &[(NodeRange, _)]| two[0].0.end() <= two[1].0.first;
    if !changes.windows(2).all(apart) {
        let mut painted = Intervals::default();
        let mut last_first = Vec::with_capacity(changes.len());
        for (nodes, value) in changes.into_iter().rev() {
            let new = painted.insert(nodes).into_iter();
            last_first.extend(new.map(|nodes| (nodes, value)));
        }
        changes = last_first;
    }
    runs.change(&mut changes);
    runs
}

/// The topology of every node.
fn topologies(machine: &Machine, names: &Names) -> Result<Runs<Option<TopologyId>>, MapError> {
    let said = machine.assigned.iter();
    let said = said.map(|(ranges, topology)| (&**ranges, *topology));
    let runs = painted(names, machine.default, said);
    let without = runs.iter().find(|(_, topology)| topology.is_none());
    match without {
        Some((nodes, _)) => {
            let node = names.name(NodeId::from_row(nodes.first as usize));
            Err(PlaceError::NoTopology { node }.into())
        }
        None => Ok(runs),
    }
}

/// What counts of slots are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Counts {
    /// What the job may take: of `-H`.
    Claims,
    /// All that a node has, what others have of it too: of a host file.
    Totals,
}

/// Gives every node of the pool its first state, in the order of the pool. `slots`: what the job says of the slots of each node.
///
/// # Errors
/// `bad-topology`, `bad-cpu-list`.
pub(super) fn first_states(
    pool: &mut Pool,
    machine: &Machine,
    slots: Vec<(NodeRange, NodeSlots)>,
    counts: Counts,
) -> Result<(), MapError> {
    let names = &pool.nodes.names;
    let topologies = topologies(machine, names)?;
    let numbers = |said: &[(Vec<NameRange>, u32)]| {
        let said = said.iter().map(|(names, number)| (&**names, *number));
        painted(names, None, said)
    };
    let (all, most) = (numbers(&machine.slots), numbers(&machine.max_slots));
    let taken = (0..).zip(&machine.taken);
    let taken = painted(names, None, taken.map(|(row, (names, _))| (&**names, row)));
    let mut states = States {
        allowed: pool.tables.topologies.ids().map(|_| None).collect(),
        pool,
        machine,
        counts,
    };
    for (nodes, said) in slots {
        for (nodes, topology) in topologies.within(nodes) {
            let topology = topology.expect("every node has a topology by now");
            for (nodes, all) in all.within(nodes) {
                for (nodes, max) in most.within(nodes) {
                    for (nodes, row) in taken.within(nodes) {
                        let taken = row.map(|row: usize| &machine.taken[row].1);
                        let known = Known { all, max, taken };
                        states.push(nodes, topology, said, known)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// What the machine knows of a node.
struct Known<'m> {
    /// All its slots.
    all: Option<u32>,
    /// The most processes that it may hold.
    max: Option<u32>,
    /// What others have of it.
    taken: Option<&'m InUse>,
}

/// The states of a pool, while its nodes get them.
struct States<'p> {
    pool: &'p mut Pool,
    machine: &'p Machine,
    counts: Counts,
    /// The PUs of each topology that may be used, once they were asked for.
    allowed: Column<TopologyId, Option<PuSetId>>,
}

impl States<'_> {
    /// Gives some nodes, which are the next of the pool, their state.
    fn push(
        &mut self,
        nodes: NodeRange,
        topology: TopologyId,
        NodeSlots { said, max }: NodeSlots,
        known: Known<'_>,
    ) -> Result<(), MapError> {
        let allowed = self.allowed(topology, nodes.first)?;
        let free = match known.taken {
            Some(taken) => self.left(topology, allowed, taken, nodes.first)?,
            None => allowed,
        };
        let used = known.taken.map_or(0, |taken| taken.slots);
        let slots = self.slots(topology, said, known.all, used);
        let slots = slots.min(known.max.unwrap_or(u32::MAX));
        let state = self.pool.tables.state(NodeState {
            topology,
            allowed,
            free,
            slots,
            max_slots: max.into_iter().chain(known.max).min(),
            used,
            own: 0,
        });
        self.pool.nodes.runs.push(nodes.count, state);
        Ok(())
    }

    /// All slots of a node. `known`: those that the machine knows. `used`: those that others have.
    fn slots(&self, topology: TopologyId, said: SlotsSaid, known: Option<u32>, used: u32) -> u32 {
        let topologies = &self.pool.tables.topologies;
        let each = match (said.all, known, self.machine.inferred) {
            (0, ..) => 0,
            (_, Some(known), _) => known,
            (_, None, CpuMode::Core) => topologies.inferred_slots(topology),
            (_, None, CpuMode::Hwthread) => topologies.count(topology, ObjKind::Hwthread),
        };
        let inferred = said.all.saturating_mul(u64::from(each));
        let slots = match (self.counts, known) {
            // The node has what it has, and the claims are looked at when the app's turn comes.
            (Counts::Claims, Some(known)) => u64::from(known),
            (Counts::Claims, None) if said.all == 0 => said.counted.saturating_add(u64::from(used)),
            (Counts::Claims, None) | (Counts::Totals, _) => said.counted.saturating_add(inferred),
        };
        u32::try_from(slots).unwrap_or(u32::MAX)
    }

    /// The PUs of a topology that may be used.
    fn allowed(&mut self, topology: TopologyId, node: u32) -> Result<PuSetId, MapError> {
        if let Some(set) = self.allowed[topology] {
            return Ok(set);
        }
        let bits = allowed_pus(self.pool, self.machine, topology, node)?;
        let set = self.interned(&bits);
        self.allowed[topology] = Some(set);
        Ok(set)
    }

    /// Those that others leave free.
    fn left(
        &mut self,
        topology: TopologyId,
        allowed: PuSetId,
        taken: &InUse,
        node: u32,
    ) -> Result<PuSetId, MapError> {
        let tables = &self.pool.tables;
        let os = tables.topologies.pus_os(topology);
        let mut bits = Bits::of(tables.pusets.words(allowed), narrow(os.len()));
        let mut found = 0;
        for (at, &cpu) in (0..).zip(os) {
            if taken.cpus.contains(cpu) {
                bits.put(at, There::No);
                found += 1;
            }
        }
        if found < taken.cpus.len() {
            let missing = taken.cpus.iter().find(|cpu| !os.contains(cpu));
            return Err(PlaceError::BadCpuList {
                text: taken.text.clone(),
                entry: missing.unwrap_or_default().to_string(),
                node: self.pool.nodes.name(node),
                what: "cpus",
                last: os.iter().max().copied().unwrap_or(0),
            }
            .into());
        }
        Ok(self.interned(&bits))
    }

    fn interned(&mut self, bits: &Bits) -> PuSetId {
        let pusets = Arc::make_mut(&mut self.pool.tables.pusets);
        pusets.intern_words(bits.words(), bits.len() as usize)
    }
}

/// The PUs of a topology that the default cpu list leaves (1.7).
fn allowed_pus(
    pool: &mut Pool,
    machine: &Machine,
    topology: TopologyId,
    node: u32,
) -> Result<Bits, MapError> {
    let pus = narrow(pool.tables.topologies.pus_os(topology).len());
    let mut bits = Bits::none(pus);
    let Some(list) = &machine.cpu_list else {
        bits.fill((0, pus), There::Yes);
        return Ok(bits);
    };
    let units = pool.tables.hardware(topology).units(list.mode);
    for &(first, last) in &list.ranges {
        if last >= units.len() {
            let has = units.len();
            return Err(bad_cpu_list(pool, list, first, last, node, has));
        }
        for stretch in (first..=last).flat_map(|unit| units.pus(unit)) {
            bits.fill(stretch, There::Yes);
        }
    }
    Ok(bits)
}

fn bad_cpu_list(
    pool: &Pool,
    list: &CpuList,
    first: u32,
    last: u32,
    node: u32,
    units: u32,
) -> MapError {
    let error = PlaceError::BadCpuList {
        text: list.text.clone(),
        entry: if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        },
        node: pool.nodes.name(node),
        what: match list.mode {
            CpuMode::Core => "cores",
            CpuMode::Hwthread => "hwthreads",
        },
        last: units.saturating_sub(1),
    };
    error.into()
}
