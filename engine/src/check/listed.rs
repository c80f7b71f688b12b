//! What entries of sequences, rankfiles and LSF files promise: the node and the cpus of a process.

use super::hardware::{Bits, Hardware};
use crate::id::Id as _;
use crate::policy::{CpuMode, MapBy, ObjKind};
use crate::table::apps::{AppId, AppTable, Numbering};
use crate::table::listings::{Entry, EntryNode, Listing, SlotListId, SlotPart};
use crate::table::names::{Names, NodeId};

/// The entries of one app, by app rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries<'t> {
    pub(super) listing: &'t Listing,
    /// The number of the entry of app rank 0.
    offset: u32,
    /// With NOLOCAL, entries of a sequence on the local node do not count: then numbers are no ranks.
    pub(super) numbered: bool,
}

impl<'t> Entries<'t> {
    /// `base`: the app's first rank. `None`: the app has no listing.
    pub(super) fn of(table: &'t AppTable, app: AppId, base: u32) -> Option<Self> {
        let (id, numbering) = *table.listing.get(app)?.as_ref()?;
        let policy = table.policy(app)?;
        let own_lsf = |other: AppId| {
            let policy = table.policy(other);
            policy.is_some_and(|policy| policy.map == MapBy::Lsf)
        };
        let offset = match numbering {
            Numbering::App => 0,
            Numbering::Job => base,
        };
        // Lines of LSF count over the apps that it took; its offset is not in the plan, so only a job of such apps is judged.
        let counted = policy.map != MapBy::Lsf || table.ids().all(own_lsf);
        Some(Self {
            listing: &table.listings[id],
            offset,
            numbered: counted && policy.nolocal == crate::policy::NoLocal::No,
        })
    }

    /// The entry of an app rank.
    pub(super) fn entry(&self, app_rank: u32) -> Option<&'t Entry> {
        let number = self.offset.checked_add(app_rank)?;
        let entries = &self.listing.entries;
        let at = entries.partition_point(|entry| entry.number <= number);
        let entry = entries.get(at.checked_sub(1)?)?;
        (number - entry.number < entry.count).then_some(entry)
    }

    /// How many ranks from this one on the entry stands for.
    pub(super) const fn left_of(&self, entry: &Entry, app_rank: u32) -> u32 {
        (entry.number + entry.count).saturating_sub(self.offset + app_rank)
    }

    /// Whether any entry writes cpus.
    pub(super) fn writes_cpus(&self) -> bool {
        self.listing
            .entries
            .iter()
            .any(|entry| entry.cpus.is_some())
    }

    /// The node an entry names; `None` where only the app's node list would tell.
    pub(super) fn node(&self, entry: &Entry, names: &Names) -> Option<NodeId> {
        match entry.node {
            EntryNode::Name(name) => names.find_name(&self.listing.names[name]),
            EntryNode::Nth(_) => None,
        }
    }

    /// The cpus of a slot list on a node: the union of its parts, less what is not allowed.
    pub(super) fn cpus(
        &self,
        list: SlotListId,
        hardware: Hardware<'_>,
        mode: CpuMode,
        allowed: &Bits,
    ) -> Bits {
        let mut bits = Bits::empty(hardware.pus as usize);
        for part in &self.listing.slot_lists[list] {
            add_part(&mut bits, part, hardware, hardware.mode(mode));
        }
        bits.keep(allowed);
        bits
    }
}

fn add_part(bits: &mut Bits, part: &SlotPart, hardware: Hardware<'_>, mode: CpuMode) {
    let unit = match mode {
        CpuMode::Core => ObjKind::Core,
        CpuMode::Hwthread => ObjKind::Hwthread,
    };
    match part {
        SlotPart::Cpus(ranges) => add_objects(bits, hardware, unit, ranges),
        SlotPart::Packages(ranges) => add_objects(bits, hardware, ObjKind::Package, ranges),
        SlotPart::Machine => bits.add(&hardware.machine()),
        SlotPart::CoresOf { package, cores } => {
            let Some(object) = hardware.object(ObjKind::Package, *package) else {
                return;
            };
            let area = hardware.ranges(object);
            let unit = hardware.kind(ObjKind::Core);
            let inner = hardware
                .targets(unit)
                .into_iter()
                .map(|core| hardware.ranges(core))
                .filter(|core| super::hardware::inside(core, area));
            for (at, core) in (0_u32..).zip(inner) {
                let named = cores.as_ref().is_none_or(|ranges| {
                    ranges
                        .iter()
                        .any(|&(first, last)| first <= at && at <= last)
                });
                if named {
                    bits.add(core);
                }
            }
        }
        SlotPart::OsPus(ranges) => {
            let numbers = hardware.tables().pus_os(hardware.topology);
            for (logical, os) in (0..).zip(numbers) {
                if ranges
                    .iter()
                    .any(|&(first, last)| first <= *os && *os <= last)
                {
                    bits.set(logical);
                }
            }
        }
    }
}

fn add_objects(bits: &mut Bits, hardware: Hardware<'_>, kind: ObjKind, ranges: &[(u32, u32)]) {
    let total = hardware.total(kind);
    for &(first, last) in ranges {
        for at in first..=last.min(total.saturating_sub(1)) {
            if let Some(object) = hardware.object(kind, at) {
                bits.add(hardware.ranges(object));
            }
        }
    }
}

/// A node's place in the pool.
pub(super) fn place(node: NodeId) -> u32 {
    super::hardware::number(node.row())
}
