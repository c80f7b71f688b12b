//! What entries of sequences, rankfiles and LSF files promise: the node and the cpus of a process.

use super::bits::Bits;
use super::hardware::Hardware;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::{CpuMode, MapBy, NoLocal, ObjKind};
use stowplan_engine::table::apps::{AppId, Numbering};
use stowplan_engine::table::listings::{Entry, EntryNode, Listing, SlotListId, SlotPart};
use stowplan_engine::table::names::{Names, NodeId};

/// The entries of one app, by app rank.
#[derive(Clone, Debug)]
pub(super) struct Entries<'t> {
    pub(super) listing: &'t Listing,
    /// The number of the entry of app rank 0.
    offset: u32,
    /// The entries that NOLOCAL leaves in a sequence, as (first number among these, row); `None`: all entries count.
    kept: Option<Vec<(u32, usize)>>,
}

impl<'t> Entries<'t> {
    /// `None`: the app has no listing, or it cannot be told which entry belongs to which rank.
    pub(super) fn of(plan: &'t Plan, app: AppId) -> Option<Self> {
        let table = plan.resolved_apps();
        let (id, numbering) = *table.listing.get(app)?.as_ref()?;
        let policy = table.policy(app)?;
        let listing = &table.listings[id];
        let offset = match (numbering, policy.map) {
            (Numbering::App, _) => 0,
            // Lines of LSF's file are counted across the apps that it placed.
            (Numbering::Job, MapBy::Lsf) => {
                let earlier = table.ids().take_while(|&other| other != app);
                let took = earlier.filter(|&other| {
                    let policy = table.policy(other);
                    policy.is_some_and(|policy| policy.map == MapBy::Lsf)
                });
                took.map(|other| plan.app(other).procs().0).sum()
            }
            (Numbering::Job, _) => plan.app(app).base().0,
        };
        let local = plan
            .world()
            .local
            .filter(|_| policy.nolocal == NoLocal::Yes);
        // The numbers of a rankfile are ranks, even if nodes are left out.
        let local = local.filter(|_| policy.map != MapBy::Rankfile);
        let kept = match local {
            None => None,
            Some(local) => Some(keep(listing, local, &plan.world().names)?),
        };
        Some(Self {
            listing,
            offset,
            kept,
        })
    }

    /// The entry of an app rank, and the first number that the entry covers.
    fn found(&self, app_rank: u32) -> Option<(&'t Entry, u32)> {
        let number = self.offset.checked_add(app_rank)?;
        let entries = &self.listing.entries;
        let (entry, first) = match &self.kept {
            None => {
                let at = entries.partition_point(|entry| entry.number <= number);
                let entry = entries.get(at.checked_sub(1)?)?;
                (entry, entry.number)
            }
            Some(kept) => {
                let at = kept.partition_point(|&(first, _)| first <= number);
                let &(first, row) = kept.get(at.checked_sub(1)?)?;
                (&entries[row], first)
            }
        };
        (number - first < entry.count).then_some((entry, first))
    }

    /// The entry of an app rank.
    pub(super) fn entry(&self, app_rank: u32) -> Option<&'t Entry> {
        self.found(app_rank).map(|(entry, _)| entry)
    }

    /// How many ranks its entry covers from this one on.
    pub(super) fn left_at(&self, app_rank: u32) -> u32 {
        self.found(app_rank).map_or(1, |(entry, first)| {
            (first + entry.count).saturating_sub(self.offset + app_rank)
        })
    }

    /// Whether any entry names cpus.
    pub(super) fn writes_cpus(&self) -> bool {
        self.listing
            .entries
            .iter()
            .any(|entry| entry.cpus.is_some())
    }

    /// The node that an entry names; `None` if only the app's node list could tell.
    pub(super) fn node(&self, entry: &Entry, names: &Names) -> Option<NodeId> {
        match entry.node {
            EntryNode::Name(name) => names.find_host(&self.listing.names[name]),
            EntryNode::Nth(_) => None,
        }
    }

    /// The cpus of a slot list on a node: the union of its parts, without cpus that are not allowed.
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

/// The entries of a sequence that are not on the local node, with their new numbers; `None` if an entry has no node name.
fn keep(listing: &Listing, local: NodeId, names: &Names) -> Option<Vec<(u32, usize)>> {
    let mut kept = Vec::new();
    let mut number = 0_u32;
    for (row, entry) in listing.entries.iter().enumerate() {
        match entry.node {
            EntryNode::Name(name) => {
                if names.find_host(&listing.names[name]) != Some(local) {
                    kept.push((number, row));
                    number = number.checked_add(entry.count)?;
                }
            }
            EntryNode::Nth(_) => return None,
        }
    }
    Some(kept)
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
