//! How many cores or hwthreads the processes of a shape are bound to.

use super::shapes::{Shape, level};
use crate::format::screen::{counted, grouped};
use std::collections::{BTreeMap, BTreeSet};
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::cpusets::CpusetId;

/// The distinct cpu sets of a shape, and how many processes have each; `None`: unbound.
pub(super) type Sets = BTreeMap<Option<CpusetId>, u64>;

/// The size of a cpu set.
pub(super) struct Size {
    /// The number of units that it touches.
    units: u64,
    /// The number of its hwthreads.
    pus: u64,
    /// Whether it has all hwthreads of these units.
    pub(super) whole: bool,
}

pub(super) fn sizes(plan: &Plan, shape: &Shape, kind: ObjKind, sets: &Sets) -> Vec<Size> {
    let world = plan.world();
    let of_pu = level(&world.topologies, shape.topology, kind);
    let os = world.topologies.pus_os(shape.topology);
    let logical: BTreeMap<u32, usize> = os.iter().copied().zip(0..).collect();
    let mut width: BTreeMap<Option<u32>, u64> = BTreeMap::new();
    for unit in &of_pu {
        *width.entry(*unit).or_default() += 1;
    }
    let size = |&set: &CpusetId| {
        let set = world.cpusets.get(set);
        let units = set
            .iter()
            .filter_map(|pu| logical.get(&pu))
            .map(|&pu| of_pu[pu]);
        let touched: BTreeSet<Option<u32>> = units.collect();
        let all: u64 = touched.iter().map(|unit| width[unit]).sum();
        Size {
            units: touched.len() as u64,
            pus: set.len(),
            whole: all == set.len(),
        }
    };
    sets.keys().flatten().map(size).collect()
}

/// How many units each process is bound to: cores if all processes have whole cores, else hwthreads.
pub(super) fn bound(plan: &Plan, shape: &Shape, sets: &Sets) -> String {
    let kind = match plan.world().topologies.count(shape.topology, ObjKind::Core) {
        0 => ObjKind::Hwthread,
        _ => ObjKind::Core,
    };
    let sizes = sizes(plan, shape, kind, sets);
    let whole = sizes.iter().all(|size| size.whole);
    let word = if whole {
        kind.word()
    } else {
        ObjKind::Hwthread.word()
    };
    let widths = || {
        sizes
            .iter()
            .map(|size| if whole { size.units } else { size.pus })
    };
    let unbound = sets.get(&None).copied().unwrap_or(0);
    let Some((least, most)) = widths().min().zip(widths().max()) else {
        return "nothing".to_owned();
    };
    let part = if least == most {
        counted(most, word)
    } else {
        format!("{}–{}", grouped(least), counted(most, word))
    };
    match unbound {
        0 => part,
        unbound => format!("{part}, {} unbound", grouped(unbound)),
    }
}
