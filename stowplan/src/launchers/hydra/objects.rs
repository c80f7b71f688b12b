//! The objects of a node as Hydra sees them: ranges of logical PUs, by name. Source: `lines/hydra/spec.md` 6.

use super::version::Version;
use crate::launchers::line::Hardware;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::topologies::TopologyId;

/// A set of PUs by logical number, ascending.
pub(crate) type Pus = Vec<u32>;

/// What a name of an object means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Objects of this kind.
    Of(ObjKind),
    /// A kind that no topology has.
    Never,
    /// A device: which objects it is near is not known.
    Device,
}

/// How names of devices begin.
const DEVICES: &[&str] = &["pci", "gpu", "ib", "hfi", "hsn", "eth", "en"];

/// The kind with this name; `None`: it is no name. Names are exact and lower case.
pub(super) fn kind(name: &str, version: Version) -> Option<Kind> {
    let of = |kind| Some(Kind::Of(kind));
    match name {
        "machine" => of(ObjKind::Machine),
        "socket" | "package" => of(ObjKind::Package),
        "die" => of(ObjKind::Die),
        "numa" => of(ObjKind::Numa),
        "numanode" if version.knows_numanode() => of(ObjKind::Numa),
        "core" => of(ObjKind::Core),
        "hwthread" => of(ObjKind::Hwthread),
        "l1cache" | "l1dcache" | "l1ucache" => of(ObjKind::L1),
        "l2cache" | "l2dcache" | "l2ucache" => of(ObjKind::L2),
        "l3cache" | "l3dcache" | "l3ucache" => of(ObjKind::L3),
        "l4cache" | "l4dcache" | "l4ucache" => of(ObjKind::L4),
        "l5cache" | "l5dcache" | "l5ucache" => of(ObjKind::L5),
        "l1icache" | "l2icache" | "l3icache" => Some(Kind::Never),
        _ if DEVICES.iter().any(|device| name.starts_with(device)) => Some(Kind::Device),
        _ => None,
    }
}

/// The PUs of each object of a kind, in order; objects without PUs, and those whose PUs are an earlier one's, are left out.
pub(crate) fn objects(hardware: &dyn Hardware, topology: TopologyId, kind: ObjKind) -> Vec<Pus> {
    let topologies = hardware.topologies();
    let pus = u32::try_from(topologies.pus_os(topology).len()).unwrap_or(u32::MAX);
    if kind == ObjKind::Hwthread {
        return (0..pus).map(|pu| vec![pu]).collect();
    }
    let mut found: Vec<Pus> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for object in topologies.objects(topology, kind) {
        let own: Pus = topologies
            .ranges(object)
            .iter()
            .flat_map(|&(first, end)| first..end)
            .collect();
        if !own.is_empty() && known.insert(own.clone()) {
            found.push(own);
        }
    }
    found
}

/// The objects of all kinds, the smallest first.
pub(crate) fn all_objects(hardware: &dyn Hardware, topology: TopologyId) -> Vec<Pus> {
    let kinds = ObjKind::ALL.into_iter();
    let mut all: Vec<Pus> = kinds
        .flat_map(|kind| objects(hardware, topology, kind))
        .collect();
    all.sort_by_key(Vec::len);
    all
}

/// Whether a set lies inside another.
pub(crate) fn lies_in(own: &[u32], around: &[u32]) -> bool {
    let near = own.first() >= around.first() && own.last() <= around.last();
    near && own.iter().all(|pu| around.binary_search(pu).is_ok())
}
