//! Named machines: `builtin:NAME`.
//!
//! The shapes are ours, made from public guides; each names its guide. Cores that a site keeps for itself are disallowed, so the
//! topology does not have them (`semantics` 1.1). The synthetic description of a machine is the whole node.

use crate::devices::Documented;
use crate::error::TopoError;
use crate::{reduce, synthetic};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::gpus::GpuFamily;
use stowplan_engine::table::topologies::{TopologyDraft, Vendor};

/// A machine that can be named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Machine {
    /// Its name, after `builtin:`.
    pub name: &'static str,
    /// Its site, or what it is.
    pub site: &'static str,
    /// How many nodes it has; 0 if it is a kind of node and not a machine.
    pub nodes: u32,
    /// One node, as a synthetic description.
    pub synthetic: &'static str,
    /// PUs of the description that the node lacks.
    pub removed: Option<Removed>,
    /// Cores that the site keeps for itself, by logical number in the whole node.
    pub kept: &'static [u32],
    /// Where the shape is from.
    pub source: &'static str,
    /// Its GPUs, as the site documents them.
    pub gpus: Option<Documented>,
}

/// Runs of PUs that repeat at an equal distance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Removed {
    /// First OS number of each run, within a period.
    pub starts: &'static [u32],
    /// PUs of each run.
    pub length: u32,
    /// Distance at which the runs repeat, to the end of the machine.
    pub period: u32,
}

const NPS4_2X64: &str = "package:2 group:4 [numa] l3:2 core:8 pu:2(indexes=2*128:1*2)";
/// Dies of four MI250X, by the L3 caches in logical order.
const MI250X: &[u32] = &[4, 5, 2, 3, 6, 7, 0, 1];
const GH200: &str = "package:4 [numa] l3:1 core:72 pu:1";

/// One machine of the table.
const fn machine(
    name: &'static str,
    site: &'static str,
    nodes: u32,
    synthetic: &'static str,
    kept: &'static [u32],
    source: &'static str,
) -> Machine {
    Machine {
        name,
        site,
        nodes,
        synthetic,
        removed: None,
        kept,
        source,
        gpus: None,
    }
}

impl Machine {
    /// The same machine with GPUs near the objects of a kind.
    const fn with_gpus(
        self,
        near: ObjKind,
        visible: &'static [u32],
        family: GpuFamily,
        source: &'static str,
    ) -> Self {
        let gpus = Some(Documented {
            near,
            visible,
            family,
            tiles: 1,
            source,
        });
        Self { gpus, ..self }
    }

    /// The same machine, with cards that each show as this many GPUs.
    const fn with_tiles(self, tiles: u32) -> Self {
        match self.gpus {
            Some(gpus) => Self {
                gpus: Some(Documented { tiles, ..gpus }),
                ..self
            },
            None => self,
        }
    }
}

/// All machines, in the order of `stowplan topo list`.
pub const MACHINES: &[Machine] = &[
    machine(
        "frontier",
        "ORNL",
        9_856,
        "package:1 group:4 [numa] l3:2 l2:8 core:1 pu:2(indexes=2*64:1*2)",
        &[0, 8, 16, 24, 32, 40, 48, 56],
        "OLCF user guide",
    )
    .with_gpus(
        ObjKind::L3,
        MI250X,
        GpuFamily::Rsmi,
        "OLCF Frontier user guide: dies of MI250X, NUMA 0 with GPU 4 and 5",
    ),
    machine(
        "lumi-g",
        "CSC",
        2_978,
        "package:1 group:4 [numa] l3:2 l2:8 core:1 pu:2(indexes=2*64:1*2)",
        &[0, 8, 16, 24, 32, 40, 48, 56],
        "LUMI documentation",
    )
    .with_gpus(
        ObjKind::L3,
        MI250X,
        GpuFamily::Rsmi,
        "LUMI documentation, lumig-job: map_cpu:49,57,17,25,1,9,33,41",
    ),
    machine("lumi-c", "CSC", 2_048, NPS4_2X64, &[], "LUMI documentation"),
    machine(
        "perlmutter-cpu",
        "NERSC",
        3_072,
        NPS4_2X64,
        &[],
        "user documentation",
    ),
    machine(
        "perlmutter-gpu",
        "NERSC",
        1_792,
        "package:1 group:4 [numa] l3:2 core:8 pu:2(indexes=2*64:1*2)",
        &[],
        "user documentation",
    )
    .with_gpus(
        ObjKind::Numa,
        &[3, 2, 1, 0],
        GpuFamily::Cuda,
        "NERSC documentation; BLAST-WarpX/warpx#5683, AMReX-Codes/amrex#4326",
    ),
    machine(
        "aurora",
        "ANL",
        10_624,
        "package:2 [numa] [numa] l3:1 core:52 pu:2(indexes=2*104:1*2)",
        &[0, 52],
        "ALCF user guide: OS numbers 0, 52, 104, 156 are kept",
    )
    .with_gpus(
        ObjKind::Package,
        &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
        GpuFamily::Ze,
        "ALCF running jobs on Aurora: two tiles a GPU, numbered flat",
    )
    .with_tiles(2),
    machine(
        "elcap",
        "LLNL",
        11_136,
        "package:4 [numa] l3:3 l2:8 core:1 pu:2(indexes=2*96:1*2)",
        &[],
        "press and Top500; El Capitan, four MI300A a node",
    )
    .with_gpus(
        ObjKind::Package,
        &[0, 1, 2, 3],
        GpuFamily::Rsmi,
        "LLNL mpibind tutorial, module 4: MI300A in SPX mode",
    ),
    machine(
        "fugaku",
        "RIKEN",
        158_976,
        "package:1 numa:4 l2:1 core:12 pu:1",
        &[],
        "R-CCS: helper cores are not in the description",
    ),
    machine(
        "alps-gh200",
        "CSCS",
        2_688,
        GH200,
        &[],
        "user documentation",
    )
    .with_gpus(
        ObjKind::Package,
        &[0, 1, 2, 3],
        GpuFamily::Cuda,
        "CSCS documentation: each GPU is attached to its NUMA node",
    ),
    machine(
        "alps-rome",
        "CSCS",
        1_024,
        "package:2 group:4 [numa] l3:4 core:4 pu:2(indexes=2*128:1*2)",
        &[],
        "user documentation",
    ),
    machine(
        "jupiter",
        "JSC",
        5_900,
        GH200,
        &[],
        "user documentation; about so many nodes",
    )
    .with_gpus(
        ObjKind::Package,
        &[0, 1, 2, 3],
        GpuFamily::Cuda,
        "JSC: JUPITER configuration; order as on Alps, not confirmed",
    ),
    machine(
        "leonardo-booster",
        "CINECA",
        3_456,
        "package:1 [numa] l3:1 core:32 pu:1",
        &[],
        "user documentation",
    )
    .with_gpus(
        ObjKind::Package,
        &[0, 1, 2, 3],
        GpuFamily::Cuda,
        "CINECA; which of its two NUMA nodes each GPU is near is not known",
    ),
    machine(
        "leonardo-dcgp",
        "CINECA",
        1_536,
        "package:2 [numa] l3:1 core:56 pu:1",
        &[],
        "user documentation; NUMA mode not confirmed",
    ),
    machine(
        "marenostrum5-gpp",
        "BSC",
        6_408,
        "package:2 [numa] l3:1 core:56 pu:1",
        &[],
        "user documentation",
    ),
    machine(
        "marenostrum5-acc",
        "BSC",
        1_120,
        "package:2 [numa] l3:1 core:40 pu:1",
        &[],
        "user documentation",
    )
    .with_gpus(
        ObjKind::Package,
        &[0, 1, 2, 3],
        GpuFamily::Cuda,
        "POP: GPU affinity on MareNostrum 5",
    ),
    machine(
        "summit",
        "ORNL, 2018-2024",
        4_608,
        "package:2 [numa] l3:11 l2:1 core:2 pu:4",
        &[21, 43],
        "OLCF user guide: one core a package is kept; OS numbers jump there on the machine",
    )
    .with_gpus(
        ObjKind::Package,
        &[0, 1, 2, 3, 4, 5],
        GpuFamily::Cuda,
        "OLCF Summit user guide: three GPUs a socket",
    ),
    Machine {
        removed: Some(Removed {
            starts: &[38, 46],
            length: 2,
            period: 48,
        }),
        ..machine(
            "hbv4",
            "Azure",
            0,
            "package:2 group:2 [numa] l3:6 core:8 pu:1",
            &[],
            "Microsoft: 176 cores of 192, two L3 of 6 cores in each NUMA node",
        )
    },
    Machine {
        removed: Some(Removed {
            starts: &[44],
            length: 4,
            period: 48,
        }),
        ..machine(
            "hbv4-seen",
            "Azure",
            0,
            "package:2 group:2 [numa] l3:6 core:8 pu:1",
            &[],
            "openpmix/prrte#2332: 176 cores of 192, one L3 of 4 cores in each NUMA node",
        )
    },
    machine(
        "twin-turin",
        "two sockets of 64 cores",
        0,
        "package:2 group:4 [numa] l3:2 l2:8 core:1 pu:2(indexes=2*128:1*2)",
        &[],
        "a server for eight GPUs",
    ),
    machine(
        "laptop",
        "one socket of 8 cores",
        0,
        "package:1 l3:1 core:8 pu:2(indexes=2*8:1*2)",
        &[],
        "a common shape",
    ),
];

/// Machines whose cpus are not AMD's.
const VENDORS: &[(&str, Vendor)] = &[
    ("aurora", Vendor::Intel),
    ("leonardo-booster", Vendor::Intel),
    ("leonardo-dcgp", Vendor::Intel),
    ("marenostrum5-gpp", Vendor::Intel),
    ("marenostrum5-acc", Vendor::Intel),
    ("fugaku", Vendor::Other),
    ("alps-gh200", Vendor::Other),
    ("jupiter", Vendor::Other),
    ("summit", Vendor::Other),
    ("laptop", Vendor::Unsaid),
];

/// The machine of this name. Upper and lower case are equal.
#[must_use]
pub fn find(name: &str) -> Option<&'static Machine> {
    MACHINES
        .iter()
        .find(|machine| machine.name.eq_ignore_ascii_case(name))
}

impl Machine {
    /// One node as a job may use it: without the cores that the site keeps.
    ///
    /// # Errors
    /// None in practice: a test builds every machine of the table.
    pub fn draft(&self) -> Result<TopologyDraft, TopoError> {
        let mut draft = self.without_kept()?;
        draft.vendor = self.vendor();
        if let Some(gpus) = self.gpus {
            gpus.give(&mut draft);
        }
        Ok(draft)
    }

    /// Who makes its cpus.
    fn vendor(&self) -> Vendor {
        let own = VENDORS.iter().find(|(name, _)| *name == self.name);
        own.map_or(Vendor::Amd, |&(_, vendor)| vendor)
    }

    fn without_kept(&self) -> Result<TopologyDraft, TopoError> {
        let draft = self.whole()?;
        if self.kept.is_empty() {
            return Ok(draft);
        }
        let cores = draft
            .objects
            .iter()
            .filter(|object| object.kind == ObjKind::Core);
        let kept: Vec<u32> = (0..)
            .zip(cores)
            .filter(|(core, _)| self.kept.contains(core))
            .flat_map(|(_, core)| core.pus.iter().cloned().flatten())
            .map(|logical| draft.pus_os[logical as usize])
            .collect();
        Ok(reduce::withhold_pus(draft, |os| !kept.contains(&os)))
    }

    /// One node with all its cores.
    ///
    /// # Errors
    /// As [`Machine::draft`].
    pub fn whole(&self) -> Result<TopologyDraft, TopoError> {
        let draft = synthetic::parse(self.synthetic)?;
        let Some(removed) = self.removed else {
            return Ok(draft);
        };
        let is_there = |os: u32| {
            let within = os % removed.period;
            !removed
                .starts
                .iter()
                .any(|&start| (start..start + removed.length).contains(&within))
        };
        Ok(reduce::keep_pus(draft, is_there))
    }
}

/// The machine whose name is nearest to an unknown name: one begins with the other, contains it, or is spelled almost the same.
#[doc(hidden)]
pub fn nearest(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    if name.is_empty() {
        return None;
    }
    let names = || MACHINES.iter().map(|machine| machine.name);
    names()
        .find(|known| known.starts_with(&name))
        .or_else(|| names().find(|known| name.starts_with(known)))
        .or_else(|| names().find(|known| known.contains(&name)))
        .or_else(|| names().find(|known| close(known, &name)))
}

/// Whether two names differ only in one stretch of at most two letters. Their lengths may differ by one.
fn close(known: &str, given: &str) -> bool {
    let (known, given) = (known.as_bytes(), given.as_bytes());
    if known.len().abs_diff(given.len()) > 1 || known.len() < 4 {
        return false;
    }
    let same_start = known.iter().zip(given).take_while(|(a, b)| a == b).count();
    let same_end = known
        .iter()
        .rev()
        .zip(given.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    same_start + same_end + 2 >= known.len().max(given.len())
}
