//! Resolved apps in bytes, and whether what was read of them is sound.

use super::wire::{BadPlan, Reader, Writer};
use crate::limit::{APPS_MAX, PUS_MAX, RANKS_MAX};
use crate::policy::{MapBy, ObjKind};
use crate::table::apps::{AppTable, PolicyId};
use crate::table::listings::{EntryNode, Listing, NumberRanges, SlotPart};

pub(super) fn write(writer: &mut Writer, table: &AppTable) {
    let bytes = postcard::to_allocvec(table).expect("a Vec takes every byte");
    writer.blob(&bytes);
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<AppTable, BadPlan> {
    let here = reader.bad("a table of apps");
    let blob = reader.blob()?;
    let table: AppTable = postcard::from_bytes(blob).map_err(|_| here)?;
    if is_sound(&table) {
        Ok(table)
    } else {
        Err(here)
    }
}

/// Columns of equal length, ids of rows that there are, numbers within their bounds.
fn is_sound(table: &AppTable) -> bool {
    let apps = table.len();
    let ids = |app| {
        let known = |id: Option<PolicyId>| id.is_none_or(|id| table.policies.get(id).is_some());
        let policies = known(table.policy[app]) && known(table.without_pe[app]);
        let listing = table.listing[app].is_none_or(|(id, _)| table.listings.get(id).is_some());
        policies && listing && table.np[app].is_none_or(|np| np.0 <= RANKS_MAX)
    };
    let policies = table.policies.values().iter().all(|policy| {
        let lists = policy
            .list
            .is_none_or(|list| crate::id::Id::row(list) < table.lists.len());
        let per = match policy.map {
            MapBy::Ppr { per, .. } => per > 0,
            MapBy::Slot
            | MapBy::Node
            | MapBy::Object(_)
            | MapBy::Seq
            | MapBy::Rankfile
            | MapBy::PeList
            | MapBy::Dist
            | MapBy::Lsf => true,
        };
        let mapped = match policy.map {
            MapBy::Object(kind) => kind != ObjKind::Machine,
            MapBy::Slot
            | MapBy::Node
            | MapBy::Ppr { .. }
            | MapBy::Seq
            | MapBy::Rankfile
            | MapBy::PeList
            | MapBy::Dist
            | MapBy::Lsf => true,
        };
        lists && per && mapped && policy.pe > 0
    });
    apps <= APPS_MAX as usize
        && table.lengths().iter().all(|&length| length == apps)
        && table.ids().all(ids)
        && policies
        && table.lists.is_sound()
        && ranges(table.lists.values())
        && table.listings.values().iter().all(listing)
}

fn ranges(ranges: &[(u32, u32)]) -> bool {
    ranges
        .iter()
        .all(|&(first, last)| first <= last && last < PUS_MAX)
}

fn listing(listing: &Listing) -> bool {
    let mut next = 0_u64;
    let entries = listing.entries.iter().all(|entry| {
        let ascends = u64::from(entry.number) >= next && entry.count > 0;
        next = u64::from(entry.number) + u64::from(entry.count);
        let named = match entry.node {
            EntryNode::Name(name) => listing.names.get(name).is_some(),
            EntryNode::Nth(_) => true,
        };
        let cpus = entry
            .cpus
            .is_none_or(|list| crate::id::Id::row(list) < listing.slot_lists.len());
        ascends && named && cpus && next <= 1 << 32
    });
    let some = |ranges_of: &NumberRanges| ranges_of.iter().all(|&(first, last)| first <= last);
    let parts = listing.slot_lists.values().iter().all(|part| match part {
        SlotPart::Cpus(ranges) | SlotPart::Packages(ranges) | SlotPart::OsPus(ranges) => {
            some(ranges)
        }
        SlotPart::Machine => true,
        SlotPart::CoresOf { cores, .. } => cores.as_ref().is_none_or(some),
    });
    entries && parts && listing.slot_lists.is_sound()
}
