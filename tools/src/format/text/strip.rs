//! Strips: one sign per core of a node, package by package, as Open MPI once drew them.

use super::shapes::{Shape, places};
use crate::format::screen::{counted, grouped};
use std::collections::{BTreeMap, BTreeSet};
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::cpusets::CpusetId;
use stowplan_engine::table::topologies::{Topologies, TopologyId};

/// More than one process runs on the same hwthread.
const SHARED: char = '*';
/// Several processes, each on its own hwthreads.
const SEVERAL: char = '+';
/// Nobody is bound here.
const FREE: char = '.';
/// Nobody may be.
const FORBIDDEN: char = '~';

/// One node, drawn.
pub(super) struct Strips {
    units: Vec<Unit>,
    /// What one sign stands for.
    pub(super) kind: ObjKind,
    /// Units that may be used.
    pub(super) allowed: u32,
    /// Units that a process is bound to.
    pub(super) used: u32,
    /// What each process is bound to: `2 cores`.
    pub(super) bound: String,
}

/// A core, or a hwthread where there are no cores.
struct Unit {
    sign: char,
    package: Option<u32>,
    numa: Option<u32>,
    l3: Option<u32>,
}

/// Different signs under one item.
const MIXED: char = '&';

/// How much one item of a line stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Fold {
    /// A core.
    Unit,
    /// The cores under one L3.
    L3,
    /// The cores of one NUMA node.
    Numa,
    /// The package.
    Package,
}

/// The sign of an app. Those behind the 26th share theirs.
pub(super) fn app_sign(app: AppId) -> char {
    const LETTERS: &[u8; 26] = b"abcdefghijklmnopqrstuvwxyz";
    char::from(LETTERS[app.row().min(25)])
}

impl Strips {
    /// Draws a shape. Cost: its patterns, then the PUs of each distinct cpu set.
    pub(super) fn new(plan: &Plan, shape: &Shape) -> Self {
        let world = plan.world();
        let topologies = &world.topologies;
        let kind = match topologies.count(shape.topology, ObjKind::Core) {
            0 => ObjKind::Hwthread,
            _ => ObjKind::Core,
        };
        let (owners, sets) = owners(plan, shape);
        let allowed = world.pusets.get(shape.allowed);
        let levels = [ObjKind::Package, ObjKind::Numa, ObjKind::L3]
            .map(|kind| level(topologies, shape.topology, kind));
        let mut strips = Self {
            units: Vec::new(),
            kind,
            allowed: 0,
            used: 0,
            bound: bound(plan, shape, kind, &sets),
        };
        for object in topologies.objects(shape.topology, kind) {
            let ranges = topologies.ranges(object);
            let pus = || {
                ranges
                    .iter()
                    .flat_map(|&(first, end)| first as usize..end as usize)
            };
            let own = pus().map(|pu| &owners[pu]);
            let may = pus().any(|pu| allowed.get(pu).is_some_and(|bit| *bit));
            let sign = if may { sign(own) } else { FORBIDDEN };
            let Some(&(first, _)) = ranges.first() else {
                continue;
            };
            let [package, numa, l3] = &levels;
            strips.allowed += u32::from(may);
            strips.used += u32::from(may && sign != FREE);
            strips.units.push(Unit {
                sign,
                package: package[first as usize],
                numa: numa[first as usize],
                l3: l3[first as usize],
            });
        }
        strips
    }

    /// How far the strips must be folded to be at most `columns` wide, where that can be.
    pub(super) fn fold(&self, columns: usize) -> Fold {
        let folds = [Fold::Unit, Fold::L3, Fold::Numa];
        let fits = |&fold: &Fold| {
            let lines = self.lines(fold);
            lines
                .iter()
                .all(|(label, strip)| label.len() + 1 + strip.len() <= columns)
        };
        folds.into_iter().find(fits).unwrap_or(Fold::Package)
    }

    /// The lines: which packages, and their strip; neighbours that look the same share one.
    pub(super) fn lines(&self, fold: Fold) -> Vec<(String, String)> {
        let packages = self.units.chunk_by(|one, next| one.package == next.package);
        let mut lines: Vec<(Option<(u32, u32)>, String)> = Vec::new();
        for units in packages {
            let strip = strip(units, fold);
            let number = units[0].package;
            match lines.last_mut() {
                Some((Some((_, last)), same)) if *same == strip && number == Some(*last + 1) => {
                    *last += 1
                }
                _ => lines.push((number.map(|number| (number, number)), strip)),
            }
        }
        let label = |range| match range {
            Some((first, last)) if first == last => format!("pkg{first}"),
            Some((first, last)) => format!("pkg{first}-{last}"),
            None => "node".to_owned(),
        };
        lines
            .into_iter()
            .map(|(range, strip)| (label(range), strip))
            .collect()
    }
}

/// What a sign means.
pub(super) fn meaning(sign: char) -> Option<&'static str> {
    match sign {
        SHARED => Some("shared"),
        SEVERAL => Some("several apps, by threads"),
        FREE => Some("free"),
        FORBIDDEN => Some("not allowed"),
        MIXED => Some("mixed"),
        _ => None,
    }
}

fn strip(units: &[Unit], fold: Fold) -> String {
    let mut text = String::new();
    if fold == Fold::Package {
        text = format!("[{}]", item(units));
        return text;
    }
    for numa in units.chunk_by(|one, next| one.numa == next.numa) {
        text.push('[');
        if fold == Fold::Numa {
            text += &item(numa);
        } else {
            for (at, l3) in numa.chunk_by(|one, next| one.l3 == next.l3).enumerate() {
                if at > 0 {
                    text.push('|');
                }
                if fold == Fold::L3 {
                    text += &item(l3);
                } else {
                    text.extend(l3.iter().map(|unit| unit.sign));
                }
            }
        }
        text.push(']');
    }
    text
}

/// Many units as one sign and how many of them are used: `a8`.
fn item(units: &[Unit]) -> String {
    let used = units
        .iter()
        .filter(|unit| ![FREE, FORBIDDEN].contains(&unit.sign));
    let mut signs: Vec<char> = used.map(|unit| unit.sign).collect();
    let count = signs.len();
    signs.dedup();
    match (signs.as_slice(), count) {
        ([], _) => FREE.to_string(),
        (&[sign], count) => format!("{sign}{count}"),
        (_, count) => format!("{MIXED}{count}"),
    }
}

/// Who is bound to a PU.
#[derive(Clone, Default)]
struct Owner {
    procs: u64,
    app: Option<AppId>,
}

/// The distinct cpu sets of a shape, and how many processes have each; `None`: unbound.
type Sets = BTreeMap<Option<CpusetId>, u64>;

/// By logical PU. A PU with processes of several apps names the first.
fn owners(plan: &Plan, shape: &Shape) -> (Vec<Owner>, Sets) {
    let world = plan.world();
    let os = world.topologies.pus_os(shape.topology);
    let logical: BTreeMap<u32, usize> = os.iter().copied().zip(0..).collect();
    let mut owners = vec![Owner::default(); os.len()];
    let mut all = Sets::new();
    for at in &shape.runs {
        let mut own = Sets::new();
        for (place, count) in places(at.of(plan), plan.patterns()) {
            *own.entry(place.cpus).or_default() += count;
        }
        for (set, count) in own {
            *all.entry(set).or_default() += count;
            let pus = set.into_iter().flat_map(|set| world.cpusets.get(set));
            for pu in pus.filter_map(|pu| logical.get(&pu)) {
                owners[*pu].procs += count;
                owners[*pu].app.get_or_insert(at.app);
            }
        }
    }
    (owners, all)
}

/// How many units each process is bound to: cores where all have whole cores, else hwthreads.
fn bound(plan: &Plan, shape: &Shape, kind: ObjKind, sets: &Sets) -> String {
    let world = plan.world();
    let topologies = &world.topologies;
    let of_pu = level(topologies, shape.topology, kind);
    let os = topologies.pus_os(shape.topology);
    // (units that a set touches, its hwthreads, whether it has all hwthreads of each).
    let sizes: Vec<(u64, u64, bool)> = sets
        .keys()
        .flatten()
        .map(|&set| {
            let set = world.cpusets.get(set);
            let pus = || of_pu.iter().zip(os);
            let touched: BTreeSet<Option<u32>> = pus()
                .filter(|&(_, &os)| set.contains(os))
                .map(|(unit, _)| *unit)
                .collect();
            let whole = pus().all(|(unit, &os)| !touched.contains(unit) || set.contains(os));
            (touched.len() as u64, set.len(), whole)
        })
        .collect();
    let whole = sizes.iter().all(|&(_, _, whole)| whole);
    let word = if whole {
        kind.word()
    } else {
        ObjKind::Hwthread.word()
    };
    let sizes = || {
        sizes
            .iter()
            .map(|&(units, pus, _)| if whole { units } else { pus })
    };
    let unbound = sets.get(&None).copied().unwrap_or(0);
    let Some((least, most)) = sizes().min().zip(sizes().max()) else {
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

fn sign<'o>(owners: impl Iterator<Item = &'o Owner> + Clone) -> char {
    let procs = owners.clone().map(|owner| owner.procs);
    let mut apps: Vec<AppId> = owners.clone().filter_map(|owner| owner.app).collect();
    apps.dedup();
    if procs.clone().any(|procs| procs > 1) {
        SHARED
    } else if apps.len() > 1 {
        SEVERAL
    } else {
        apps.first().map_or(FREE, |&app| app_sign(app))
    }
}

/// Which object of a kind each logical PU is in.
fn level(topologies: &Topologies, topology: TopologyId, kind: ObjKind) -> Vec<Option<u32>> {
    let mut of_pu = vec![None; topologies.pus_os(topology).len()];
    for (object, number) in topologies.objects(topology, kind).zip(0..) {
        for &(first, end) in topologies.ranges(object) {
            // The innermost memory node comes first in logical order.
            for pu in &mut of_pu[first as usize..end as usize] {
                pu.get_or_insert(number);
            }
        }
    }
    of_pu
}
