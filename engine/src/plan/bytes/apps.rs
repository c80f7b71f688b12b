//! Resolved apps in bytes, and the check that those read are sound.

use super::each_app::each_app;
use super::frame::BadPlan;
use super::wire::{Reader, Writer};
use crate::id::Id as _;
use crate::limit::{APPS_MAX, PUS_MAX, RANKS_MAX};
use crate::policy::{MapBy, ObjKind};
use crate::table::apps::{AppId, AppTable, Policy, PolicyId};
use crate::table::listings::{EntryNode, Listing, NumberRanges, SlotPart};

pub(super) fn write(writer: &mut Writer, table: &AppTable) {
    let bytes = postcard::to_allocvec(table).expect("a Vec takes every byte");
    writer.blob(&bytes);
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<AppTable, BadPlan> {
    let here = reader.bad("a table of apps");
    let table = postcard::from_bytes(reader.blob()?).ok();
    table.filter(is_sound).ok_or(here)
}

/// The number of the section of arguments.
const ARGUMENTS: u32 = 1;

/// Writes the arguments of programs, if there are any. A plan without arguments has the same bytes as before this section
/// existed.
pub(super) fn write_arguments(writer: &mut Writer, table: &AppTable) {
    let apps = table.with_arguments();
    if apps.len() == 0 {
        return;
    }
    writer.number(ARGUMENTS);
    writer.size(apps.len());
    for (app, words) in apps {
        writer.size(app.row());
        writer.size(words.len());
        words.iter().for_each(|word| writer.text(word));
    }
}

/// Reads the section, behind its number.
pub fn read_arguments(reader: &mut Reader<'_>, table: &mut AppTable) -> Result<(), BadPlan> {
    each_app(reader, table.len(), |reader, app| {
        let counted = "as many arguments as are counted";
        let words = reader.list(counted, |reader| Ok(reader.text()?.to_owned()))?;
        reader.ensure(|| !words.is_empty(), counted)?;
        table.set_arguments(AppId::from_row(app), words);
        Ok(())
    })
}

/// The number of the section of parts of apps.
pub(super) const PARTS: u32 = 9;

/// Writes of which app of the line each row is a part. A plan whose rows are apps has the same bytes as before this section existed.
pub(super) fn write_parts(writer: &mut Writer, table: &AppTable) {
    if table.part_of().is_empty() {
        return;
    }
    writer.number(PARTS);
    for &app in table.part_of() {
        writer.number(app);
    }
}

/// Reads the section, behind its number.
pub(super) fn read_parts(reader: &mut Reader<'_>, table: &mut AppTable) -> Result<(), BadPlan> {
    let most = u32::try_from(table.len()).unwrap_or(u32::MAX);
    let parts = reader.items(table.len(), |reader| {
        reader.number(most, "an app of the line")
    })?;
    table.set_part_of(parts);
    reader.ensure(|| !table.part_of().is_empty(), "several parts of an app")
}

/// Whether columns have equal lengths, ids are those of rows that exist, and numbers are within their bounds.
fn is_sound(table: &AppTable) -> bool {
    let apps = table.len();
    let known = |id: Option<PolicyId>| id.is_none_or(|id| table.policies.get(id).is_some());
    let app = |app| {
        known(table.policy[app])
            && known(table.without_pe[app])
            && table.listing[app].is_none_or(|(id, _)| table.listings.get(id).is_some())
            && table.np[app].is_none_or(|np| np.0 <= RANKS_MAX)
    };
    let policy = |policy: &Policy| {
        policy
            .list
            .is_none_or(|list| list.row() < table.lists.len())
            && !matches!(policy.map, MapBy::Ppr { per: 0, .. })
            && policy.map != MapBy::Object(ObjKind::Machine)
            && policy.pe > 0
    };
    apps <= APPS_MAX as usize
        && table.lengths().iter().all(|&length| length == apps)
        && table.ids().all(app)
        && table.policies.values().iter().all(policy)
        && table.lists.is_sound()
        && ranges(table.lists.values())
        && table.listings.values().iter().all(listing)
}

/// Whether inclusive ranges ascend within the PUs.
pub fn ranges(ranges: &[(u32, u32)]) -> bool {
    ranges
        .iter()
        .all(|&(first, last)| first <= last && last < PUS_MAX)
}

/// Whether the entries of a file ascend and name nodes that there are.
pub fn listing(listing: &Listing) -> bool {
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
            .is_none_or(|list| list.row() < listing.slot_lists.len());
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
