//! A topology as a reader hands it in, before the tables take it.

use super::gpus::Gpu;
use super::vendor::Vendor;
use crate::devices::DeviceClass;
use crate::limit::PUS_MAX;
#[cfg(doc)]
use crate::limit::{GPUS_MAX, OBJECTS_MAX};
use crate::policy::ObjKind;
use std::ops::Range;

/// One object, as a reader hands it in.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DraftObject {
    /// Its kind.
    pub kind: ObjKind,
    /// The number the kernel or firmware gave it, if any.
    pub os: Option<u32>,
    /// Its PUs: ascending disjoint half-open ranges of **logical** PU numbers. Empty for memory without cpus.
    pub pus: Vec<Range<u32>>,
}

/// An OS device (network card, GPU, disk).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Device {
    /// Its name, as `mlx5_0`.
    pub name: String,
    /// hwloc's subtype or device type, for people.
    pub subtype: String,
    /// The PUs of the nearest object above it that has PUs: ranges of logical numbers.
    pub pus: Vec<Range<u32>>,
    /// What it is.
    pub class: DeviceClass,
    /// Its place among those of its class, by PCI address; `None`: maps go over no device of this class, or over another name of
    /// the same card.
    pub turn: Option<u32>,
}

/// A PU that is there and that jobs do not get.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct KeptPu {
    /// Its OS number.
    pub os: u32,
    /// The number of its core among the cores of which jobs get nothing: PUs of one core are equal here.
    pub core: u32,
    /// The logical number of a PU that jobs get, in the smallest of the packages, NUMA nodes and caches around it that has any.
    pub beside: u32,
}

/// Latencies between NUMA nodes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Latency {
    /// The NUMA nodes measured, by logical index; row and column order of `values`.
    pub nodes: Vec<u32>,
    /// Shape `[nodes][nodes]`: from, to.
    pub values: Vec<u64>,
}

/// A topology as a reader hands it in, disallowed PUs already dropped.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct TopologyDraft {
    /// OS numbers of the PUs, in logical order.
    pub pus_os: Vec<u32>,
    /// Objects, each kind in logical order; kinds in any order. `Machine` once; `Hwthread`s are derived from `pus_os`.
    pub objects: Vec<DraftObject>,
    /// OS devices, in file order.
    pub devices: Vec<Device>,
    /// GPUs, in logical order.
    pub gpus: Vec<Gpu>,
    /// Network cards. They are only shown: no plan that is saved keeps them, and topologies that differ only in them are equal.
    pub nics: Vec<Device>,
    /// Cores that jobs do not get. They are only shown, as network cards are.
    pub kept: Vec<KeptPu>,
    /// The latency matrix between NUMA nodes, if there is one.
    pub latency: Option<Latency>,
    /// OS numbers of PUs that are there and may not be used. No table of a plan keeps them, and topologies that differ only in
    /// them are equal: some launchers tell them from numbers that the machine lacks.
    pub disallowed: Vec<u32>,
    /// Who made the cpus. Topologies that differ only in this are equal, and theirs is then unsaid.
    pub vendor: Vendor,
}

impl TopologyDraft {
    /// Brings the draft into the form that the tables keep: objects by kind, without the parts that tables do not keep.
    pub(super) fn in_order(&mut self) {
        self.vendor = Vendor::Unsaid;
        self.objects
            .retain(|object| object.kind < ObjKind::Hwthread);
        self.objects.sort_by_key(|object| object.kind);
        self.nics.clear();
        self.kept.clear();
        self.disallowed.clear();
    }
}

/// The kinds of objects in a draft. Hwthreads follow from its PUs, and GPUs are beside the tree.
pub(crate) fn drafted_kinds() -> impl Iterator<Item = ObjKind> {
    let all = ObjKind::ALL.into_iter();
    all.filter(|&kind| kind < ObjKind::Hwthread)
}

/// Why a draft is no topology.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DraftError {
    /// No PU may be used.
    #[error("there is no PU that may be used")]
    NoPu,
    /// More than [`PUS_MAX`] PUs, [`OBJECTS_MAX`] objects or [`GPUS_MAX`] GPUs.
    #[error("{found} {what}, at most {limit} are possible")]
    TooLarge {
        /// `PUs` or `objects`.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// The bound.
        limit: u32,
    },
    /// Two PUs with one OS number.
    #[error("OS number {os} belongs to two PUs")]
    TwiceOs {
        /// The number.
        os: u32,
    },
    /// An OS number beyond the bound.
    #[error("PU OS number {os} is not below {PUS_MAX}")]
    LargeOs {
        /// The number.
        os: u32,
    },
    /// Ranges out of order, overlapping or beyond the PUs.
    #[error("a {} has ranges of PUs that are out of order or beyond the {pus} PUs", .kind.word())]
    BadRanges {
        /// The object's kind.
        kind: ObjKind,
        /// PUs of the topology.
        pus: usize,
    },
}
