//! Distinct topologies: their objects, their PUs, their devices.
//!
//! A topology here is what remains after `semantics` 1.1: disallowed PUs are gone, and so are the objects that had no other
//! PUs. PUs have a **logical** number (their position in the tree, from 0) and an **OS** number (the kernel's number). Inner
//! loops use logical numbers, in which nearly every object is one range; people see OS numbers.

use super::cpusets::{CpusetId, Cpusets};
pub(crate) use super::draft::drafted_kinds;
pub use super::draft::{Device, DraftError, DraftObject, KeptPu, Latency, TopologyDraft};
use super::gpus::Gpu;
use super::interner::{Interner, digest_of};
pub use super::vendor::Vendor;
use crate::define_id;
use crate::id::{Column, Id as _, Lists};
use crate::limit::{GPUS_MAX, OBJECTS_MAX, PUS_MAX};
use crate::policy::ObjKind;
use std::ops::Range;

define_id! {
    /// A row of [`Topologies`].
    TopologyId
}

define_id! {
    /// An object of a topology: a row of the object columns of [`Topologies`].
    ObjectId
}

/// Distinct topologies. Equal drafts share one id.
#[derive(Clone, Default, Debug)]
pub struct Topologies {
    /// OS numbers of the PUs, in logical order. Shape `[topologies][PUs]`.
    pub(crate) pus_os: Lists<TopologyId, u32>,
    /// Objects of each kind: rows of the object columns. Shape `[topologies][kinds]`.
    pub(crate) rows: Column<TopologyId, [(u32, u32); KINDS]>,
    /// NUMA nodes that are mapping targets (`semantics` 1.1), in logical order. Shape `[topologies][domains]`.
    pub(crate) domains: Lists<TopologyId, ObjectId>,
    /// OS devices. Shape `[topologies][devices]`.
    pub(crate) devices: Lists<TopologyId, Device>,
    /// GPUs, in logical order: what each object of their kind has beside its PUs. Shape `[topologies][GPUs]`.
    pub(crate) gpus: Lists<TopologyId, Gpu>,
    /// Network cards, to be shown. Shape `[topologies][cards]`.
    pub(crate) nics: Lists<TopologyId, Device>,
    /// PUs that jobs do not get, to be shown. Shape `[topologies][PUs]`.
    pub(crate) kept: Lists<TopologyId, KeptPu>,
    /// OS numbers of PUs that may not be used. Shape `[topologies][PUs]`.
    pub(crate) disallowed: Lists<TopologyId, u32>,
    /// Latencies between NUMA nodes. Shape `[topologies]`.
    pub(crate) latency: Column<TopologyId, Option<Latency>>,
    /// Who made the cpus. Shape `[topologies]`.
    pub(crate) vendor: Column<TopologyId, Vendor>,
    /// Shape of the object columns: `[objects]`.
    pub(crate) kind: Column<ObjectId, ObjKind>,
    /// OS number.
    pub(crate) os: Column<ObjectId, Option<u32>>,
    /// PUs by OS number.
    pub(crate) cpuset: Column<ObjectId, CpusetId>,
    /// PUs by logical number, as (first, end). Shape `[objects][ranges]`.
    pub(crate) ranges: Lists<ObjectId, (u32, u32)>,
    /// Topologies by the hash of their draft. The drafts are not kept: the tables say the same in a third of the bytes.
    known: Interner<TopologyId>,
    /// PUs of the current object.
    scratch: Vec<u32>,
}

impl Topologies {
    /// Adds a topology, or finds an equal one.
    ///
    /// # Errors
    /// A [`DraftError`] when the draft is not sound. Cost: linear in the draft.
    pub fn add(
        &mut self,
        mut draft: TopologyDraft,
        cpusets: &mut Cpusets,
    ) -> Result<TopologyId, DraftError> {
        validate(&draft)?;
        let disallowed = std::mem::take(&mut draft.disallowed);
        let (nics, kept) = (
            std::mem::take(&mut draft.nics),
            std::mem::take(&mut draft.kept),
        );
        let vendor = draft.vendor;
        draft.in_order();
        let digest = digest_of(&draft);
        if let Some(known) = self
            .known
            .find(digest, |id| self.placing_draft(id) == draft)
        {
            if self.vendor[known] != vendor {
                self.vendor[known] = Vendor::Unsaid;
            }
            return Ok(known);
        }
        let os_numbers = &draft.pus_os;
        let mut rows = [(0, 0); KINDS];
        let mut objects = draft.objects.iter().peekable();
        for kind in ObjKind::ALL.into_iter().chain(BESIDE) {
            let first = self.kind.len();
            while let Some(object) = objects.next_if(|object| object.kind == kind) {
                self.push_object(kind, object.os, &object.pus, os_numbers, cpusets);
            }
            if kind == ObjKind::Hwthread {
                for (logical, &os) in (0..).zip(os_numbers) {
                    let own = logical..logical + 1;
                    let own = std::slice::from_ref(&own);
                    self.push_object(kind, Some(os), own, os_numbers, cpusets);
                }
            }
            if kind == ObjKind::Gpu {
                for gpu in &draft.gpus {
                    self.push_object(kind, None, &gpu.pus, os_numbers, cpusets);
                }
            }
            if kind == ObjKind::Device {
                for device in &draft.devices {
                    self.push_object(kind, None, &device.pus, os_numbers, cpusets);
                }
                for gpu in named_elsewhere(&draft.devices, &draft.gpus) {
                    self.push_object(kind, None, &gpu.pus, os_numbers, cpusets);
                }
            }
            rows[kind as usize] = (row_number(first), row_number(self.kind.len()));
        }
        let topology = self.pus_os.push(os_numbers.iter().copied());
        self.rows.push(rows);
        let domains = self.numa_domains(topology, cpusets);
        self.domains.push(domains);
        self.devices.push(draft.devices);
        self.gpus.push(draft.gpus);
        self.latency.push(draft.latency);
        self.disallowed.push(disallowed);
        self.nics.push(nics);
        self.kept.push(kept);
        self.vendor.push(vendor);
        self.known.keep(digest, topology);
        Ok(topology)
    }

    /// A topology as it was handed in. Another table can add it.
    ///
    /// Cost: linear in its objects.
    #[must_use]
    pub fn draft(&self, topology: TopologyId) -> TopologyDraft {
        TopologyDraft {
            vendor: self.vendor[topology],
            nics: self.nics(topology).to_vec(),
            kept: self.kept(topology).to_vec(),
            ..self.placing_draft(topology)
        }
    }

    /// The part of a draft on which placement depends.
    fn placing_draft(&self, topology: TopologyId) -> TopologyDraft {
        let objects = drafted_kinds().flat_map(|kind| {
            self.objects(topology, kind).map(move |object| DraftObject {
                kind,
                os: self.os(object),
                pus: { self.ranges(object).iter() }
                    .map(|&(first, end)| first..end)
                    .collect(),
            })
        });
        TopologyDraft {
            pus_os: self.pus_os(topology).to_vec(),
            objects: objects.collect(),
            devices: self.devices(topology).to_vec(),
            gpus: self.gpus(topology).to_vec(),
            nics: Vec::new(),
            kept: Vec::new(),
            latency: self.latency(topology).cloned(),
            disallowed: Vec::new(),
            vendor: Vendor::Unsaid,
        }
    }

    fn push_object(
        &mut self,
        kind: ObjKind,
        os: Option<u32>,
        ranges: &[Range<u32>],
        os_numbers: &[u32],
        cpusets: &mut Cpusets,
    ) {
        let pus = ranges
            .iter()
            .flat_map(|range| &os_numbers[range.start as usize..range.end as usize]);
        self.kind.push(kind);
        self.os.push(os);
        self.scratch.clear();
        self.scratch.extend(pus);
        self.cpuset.push(cpusets.intern_pus(&mut self.scratch));
        self.ranges
            .push(ranges.iter().map(|range| (range.start, range.end)));
    }

    /// The NUMA nodes that are mapping targets: by ascending OS number, up to the first that overlaps one already taken.
    /// Returned in logical order.
    fn numa_domains(&self, topology: TopologyId, cpusets: &Cpusets) -> Vec<ObjectId> {
        let mut by_os: Vec<ObjectId> = self.objects(topology, ObjKind::Numa).collect();
        by_os.sort_by_key(|&object| (self.os[object], object));
        let mut taken = roaring::RoaringBitmap::new();
        let mut domains = Vec::new();
        for object in by_os {
            let set = cpusets.get(self.cpuset[object]);
            if !taken.is_disjoint(set) {
                break;
            }
            taken |= set;
            domains.push(object);
        }
        domains.sort_unstable();
        domains
    }

    /// Number of distinct topologies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }
    /// Whether there are no topologies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    /// All ids, ascending.
    pub fn ids(&self) -> impl Iterator<Item = TopologyId> + use<> {
        self.rows.ids()
    }
    /// OS numbers of the PUs, in logical order.
    #[must_use]
    pub fn pus_os(&self, topology: TopologyId) -> &[u32] {
        &self.pus_os[topology]
    }
    /// OS numbers of PUs that are there and may not be used, where the file tells them; a plan that was read has none.
    #[must_use]
    pub fn disallowed(&self, topology: TopologyId) -> &[u32] {
        &self.disallowed[topology]
    }
    /// Network cards; a plan that was read has none.
    #[must_use]
    pub fn nics(&self, topology: TopologyId) -> &[Device] {
        &self.nics[topology]
    }
    /// PUs that jobs do not get; a plan that was read has none.
    #[must_use]
    pub fn kept(&self, topology: TopologyId) -> &[KeptPu] {
        &self.kept[topology]
    }
    /// Every object of a kind, in logical order (all NUMA nodes, also those that are not mapping targets).
    pub fn objects(
        &self,
        topology: TopologyId,
        kind: ObjKind,
    ) -> impl ExactSizeIterator<Item = ObjectId> + DoubleEndedIterator + use<> {
        let (first, end) = self.rows[topology][kind as usize];
        (first as usize..end as usize).map(ObjectId::from_row)
    }
    /// Number of objects of a kind.
    #[must_use]
    pub fn count(&self, topology: TopologyId, kind: ObjKind) -> u32 {
        let (first, end) = self.rows[topology][kind as usize];
        end - first
    }
    /// The object of a kind with this logical index.
    #[must_use]
    pub fn object(&self, topology: TopologyId, kind: ObjKind, logical: u32) -> Option<ObjectId> {
        let (first, end) = self.rows[topology][kind as usize];
        (logical < end - first).then(|| ObjectId::from_row((first + logical) as usize))
    }
    /// NUMA nodes that are mapping targets, in logical order.
    #[must_use]
    pub fn domains(&self, topology: TopologyId) -> &[ObjectId] {
        &self.domains[topology]
    }
    /// The kind of an object.
    #[must_use]
    pub fn kind(&self, object: ObjectId) -> ObjKind {
        self.kind[object]
    }
    /// Logical index of an object among its kind, in its topology.
    #[must_use]
    #[inline]
    pub fn logical(&self, topology: TopologyId, object: ObjectId) -> u32 {
        let (first, _) = self.rows[topology][self.kind[object] as usize];
        row_number(object.row()) - first
    }
    /// OS number of an object.
    #[must_use]
    pub fn os(&self, object: ObjectId) -> Option<u32> {
        self.os[object]
    }
    /// PUs of an object, by OS number.
    #[must_use]
    #[inline]
    pub fn cpuset(&self, object: ObjectId) -> CpusetId {
        self.cpuset[object]
    }
    /// PUs of an object, by logical number: ascending disjoint (first, end).
    #[must_use]
    #[inline]
    pub fn ranges(&self, object: ObjectId) -> &[(u32, u32)] {
        &self.ranges[object]
    }
    /// OS devices, in file order.
    #[must_use]
    pub fn devices(&self, topology: TopologyId) -> &[Device] {
        &self.devices[topology]
    }
    /// The names of the objects that are devices, in their order: OS devices, then GPUs that none of these is.
    pub fn device_names(&self, topology: TopologyId) -> impl Iterator<Item = &str> {
        let devices = self.devices(topology);
        let others = named_elsewhere(devices, self.gpus(topology));
        let names = devices.iter().map(|device| device.name.as_str());
        names.chain(others.map(|gpu| gpu.name.as_str()))
    }
    /// GPUs, in logical order; their PUs are those of the objects of their kind.
    #[must_use]
    pub fn gpus(&self, topology: TopologyId) -> &[Gpu] {
        &self.gpus[topology]
    }
    /// Latencies between NUMA nodes.
    #[must_use]
    pub fn latency(&self, topology: TopologyId) -> Option<&Latency> {
        self.latency[topology].as_ref()
    }
    /// Who made the cpus.
    #[must_use]
    pub fn vendor(&self, topology: TopologyId) -> Vendor {
        self.vendor[topology]
    }
    /// Says who made the cpus, for a reader of plans that learns it after the topology.
    pub(crate) fn set_vendor(&mut self, topology: TopologyId, vendor: Vendor) {
        self.vendor[topology] = vendor;
    }
    /// Slots inferred from the topology: cores, or PUs if there are no cores (`semantics` 1.5).
    #[must_use]
    #[doc(hidden)]
    pub fn inferred_slots(&self, topology: TopologyId) -> u32 {
        match self.count(topology, ObjKind::Core) {
            0 => self.count(topology, ObjKind::Hwthread),
            cores => cores,
        }
    }
}

/// How many kinds of objects there are: those of the tree, and devices.
const KINDS: usize = ObjKind::ALL.len() + BESIDE.len();

/// Kinds beside the tree, behind those of the tree.
const BESIDE: [ObjKind; 2] = [ObjKind::Gpu, ObjKind::Device];

/// GPUs with a name that no OS device has: those of named machines.
fn named_elsewhere<'d>(devices: &'d [Device], gpus: &'d [Gpu]) -> impl Iterator<Item = &'d Gpu> {
    gpus.iter()
        .filter(|gpu| !gpu.name.is_empty() && !devices.iter().any(|device| device.name == gpu.name))
}

fn row_number(row: usize) -> u32 {
    u32::try_from(row).expect("limit.rs keeps tables below 2^32 rows")
}

fn validate(draft: &TopologyDraft) -> Result<(), DraftError> {
    let pus = draft.pus_os.len();
    if pus == 0 {
        return Err(DraftError::NoPu);
    }
    for (what, found, limit) in [
        ("PUs", pus, PUS_MAX),
        ("objects", draft.objects.len(), OBJECTS_MAX),
        ("GPUs", draft.gpus.len(), GPUS_MAX),
        ("devices", draft.devices.len(), OBJECTS_MAX),
    ] {
        if found > limit as usize {
            return Err(DraftError::TooLarge { what, found, limit });
        }
    }
    let mut seen = roaring::RoaringBitmap::new();
    for &os in &draft.pus_os {
        if os >= PUS_MAX {
            return Err(DraftError::LargeOs { os });
        }
        if !seen.insert(os) {
            return Err(DraftError::TwiceOs { os });
        }
    }
    let lists = draft
        .objects
        .iter()
        .map(|object| (object.kind, &object.pus));
    let gpus = draft.gpus.iter().map(|gpu| (ObjKind::Gpu, &gpu.pus));
    for (kind, ranges) in lists.chain(gpus).chain(
        draft
            .devices
            .iter()
            .map(|device| (ObjKind::Machine, &device.pus)),
    ) {
        let mut next = 0;
        for range in ranges {
            if range.start < next || range.end <= range.start || range.end as usize > pus {
                return Err(DraftError::BadRanges { kind, pus });
            }
            next = range.end;
        }
    }
    Ok(())
}
