//! Our answer to a job on machines of `cases/machines`, to compare with installed launchers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stowplan_engine::count::Rank;
use stowplan_engine::map::{Machine, map_resolved};
use stowplan_engine::policy::ObjKind;
use stowplan_scale_tests::job::Job;

/// Machines that every hwloc can read.
pub(crate) const MACHINES: [&str; 6] = [
    "all-caches",
    "milan-nps4",
    "nps2-smt2",
    "shared-caches",
    "smt2-inter",
    "disallowed",
];

/// Where a process is: node, local rank, cpus by OS number (`None`: unbound).
pub(crate) type Place = (String, u32, Option<Vec<u32>>);

/// A machine that a job is compared on.
pub(crate) struct Hardware {
    pub(crate) path: PathBuf,
    machine: Machine,
    /// OS numbers of the PUs of each core, cores by logical number.
    pub(crate) cores: Vec<Vec<u32>>,
    /// How many PUs there are.
    pub(crate) pus: u32,
}

impl Hardware {
    /// Reads one of [`MACHINES`].
    pub(crate) fn read(name: &str) -> Option<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases/machines");
        let path = folder.join(format!("{name}.xml")).canonicalize().ok()?;
        let draft = stowplan_topo::xml::parse(&std::fs::read(&path).ok()?).ok()?;
        let machine = Machine::uniform(draft).ok()?;
        let (topologies, cpusets) = (&machine.topologies, &machine.cpusets);
        let topology = machine.default?;
        let cores = (0..topologies.count(topology, ObjKind::Core)).filter_map(|logical| {
            let core = topologies.object(topology, ObjKind::Core, logical)?;
            Some(cpusets.get(topologies.cpuset(core)).iter().collect())
        });
        let cores = cores.collect();
        let pus = topologies.count(topology, ObjKind::Hwthread);
        Some(Self {
            path,
            machine,
            cores,
            pus,
        })
    }

    /// Where our engine puts each rank, or the class of its refusal.
    pub(crate) fn answer(&self, job: &Job) -> Result<BTreeMap<u32, Place>, String> {
        let (resolved, _) = job.resolve().map_err(|error| error.class().to_owned())?;
        let found = map_resolved(resolved, self.machine.clone());
        let plan = found.map_err(|error| error.class().to_owned())?.plan;
        let world = plan.world();
        let place = |rank: u32| {
            let place = plan.place(Rank(rank))?;
            let cpus = place
                .cpus
                .map(|cpus| world.cpusets.get(cpus).iter().collect());
            Some((rank, (world.names.name(place.node), place.local_rank, cpus)))
        };
        Ok((0..plan.ranks()).filter_map(place).collect())
    }
}

/// A list of numbers and ranges: `0-3,7`.
pub(crate) fn numbers(list: &str) -> Vec<u32> {
    let item = |item: &str| {
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        let range = (first.parse().unwrap_or(1), last.parse().unwrap_or(0));
        range.0..=range.1
    };
    list.split(',').flat_map(item).collect()
}

/// The first rank with different places.
pub(crate) fn first_difference(
    ours: &BTreeMap<u32, Place>,
    theirs: &BTreeMap<u32, Place>,
) -> Option<String> {
    if ours.len() != theirs.len() {
        return Some(format!("{} ranks, they have {}", ours.len(), theirs.len()));
    }
    let differing = ours
        .iter()
        .find(|(rank, place)| theirs.get(rank) != Some(place));
    differing.map(|(rank, place)| format!("rank {rank} {place:?}, theirs {:?}", theirs.get(rank)))
}
