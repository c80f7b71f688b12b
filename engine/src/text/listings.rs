//! Files that list processes entry by entry: sequence files, LSF's affinity files, and what rankfiles have in common with them.
//! Source: `semantics` 4.5, 4.6, `per-app` 9.1.

use super::cursor::whole_ranges;
use super::lines::{Line, bad_file, each_line};
use super::slotlist::read_slot_list;
use crate::error::SpecError;
use crate::error::spec::{FileFault, FileKind};
use crate::table::listings::{Entry, EntryNameId, EntryNode, Listing, SlotListId, SlotPart};
use std::collections::HashMap;

/// Collects entries; equal names and slot lists share one id.
#[derive(Default)]
pub(super) struct Collector {
    pub(super) listing: Listing,
    names: HashMap<String, EntryNameId>,
    lists: HashMap<String, SlotListId>,
}

impl Collector {
    pub(super) fn new(path: &str) -> Self {
        let mut all = Self::default();
        path.clone_into(&mut all.listing.path);
        all
    }
    pub(super) fn name(&mut self, name: &str) -> EntryNameId {
        if let Some(&id) = self.names.get(name) {
            return id;
        }
        let id = self.listing.names.push(name.to_owned());
        self.names.insert(name.to_owned(), id);
        id
    }
    /// The id of a slot list on a line. `read`: reads the parts of a list; `what`: the fault if it does not parse.
    pub(super) fn slot_list(
        &mut self,
        line: Line<'_>,
        list: Word<'_>,
        read: fn(&str) -> Option<Vec<SlotPart>>,
        what: &'static str,
    ) -> Result<SlotListId, SpecError> {
        if let Some(&id) = self.lists.get(list.text) {
            return Ok(id);
        }
        let Some(parts) = read(list.text) else {
            let end = list.start + list.text.len().max(1);
            return line.bad(list.start, end, what);
        };
        let id = self.listing.slot_lists.push(parts);
        self.listing.slot_texts.push(list.text.to_owned());
        self.lists.insert(list.text.to_owned(), id);
        Ok(id)
    }
    /// Adds an entry. It joins the entry before it if that one says the same.
    pub(super) fn push(&mut self, entry: Entry) {
        if let Some(last) = self.listing.entries.last_mut() {
            let follows = last.number.checked_add(last.count) == Some(entry.number);
            if follows && last.node == entry.node && last.cpus == entry.cpus {
                last.count += entry.count;
                return;
            }
        }
        self.listing.entries.push(entry);
    }
    /// Adds the next entry of a sequence.
    fn next(&mut self, line: Line<'_>, name: Word<'_>, cpus: Option<SlotListId>) {
        let last = self.listing.entries.last();
        let number = last.map_or(0, |last| last.number + last.count);
        let node = EntryNode::Name(self.name(name.text));
        self.push(Entry {
            number,
            node,
            cpus,
            line: line.number,
            count: 1,
        });
    }
}

/// A word of a line, with its first byte.
#[derive(Clone, Copy)]
pub(super) struct Word<'a> {
    pub(super) start: usize,
    pub(super) text: &'a str,
}

/// The words of a line, separated by white space.
fn words(line: &str) -> impl Iterator<Item = Word<'_>> {
    let base = line.as_ptr() as usize;
    line.split_whitespace().map(move |text| Word {
        start: text.as_ptr() as usize - base,
        text,
    })
}

/// Reads a sequence file: one node per line, perhaps with cpus.
///
/// # Errors
/// `bad-seqfile`: not UTF-8, no entry at all, cpus that do not parse.
///
/// Cost: one pass; equal neighboring entries are one entry.
pub fn read_sequence(path: &str, bytes: &[u8]) -> Result<Listing, SpecError> {
    let mut all = Collector::new(path);
    each_line(FileKind::Sequence, path, bytes, |line| {
        let mut words = words(line.text);
        let Some(name) = words.next().filter(|_| !line.text.starts_with('#')) else {
            return Ok(());
        };
        let what = "this is no list of cpus";
        let cpus = words
            .next()
            .map(|list| all.slot_list(line, list, read_slot_list, what));
        all.next(line, name, cpus.transpose()?);
        Ok(())
    })?;
    if all.listing.entries.is_empty() {
        return Err(bad_file(FileKind::Sequence, path, FileFault::Empty));
    }
    Ok(all.listing)
}

/// Reads LSF's affinity file: one process per line, with OS numbers of PUs. A file without entries gives an empty
/// listing.
///
/// # Errors
/// `bad-affinityfile`: not UTF-8, a line of three or more than four fields, a list that does not parse.
pub fn read_affinity(path: &str, bytes: &[u8]) -> Result<Listing, SpecError> {
    let mut all = Collector::new(path);
    each_line(FileKind::Affinity, path, bytes, |line| {
        if line.text.trim_start().starts_with('#') {
            return Ok(());
        }
        let fields: Vec<Word<'_>> = words(line.text).take(5).collect();
        let (name, list) = match fields.as_slice() {
            [] => return Ok(()),
            [name] => (*name, None),
            [name, list] | [name, list, _, _] => (*name, Some(*list)),
            _ => {
                let what = "a line holds a host, PUs, NUMA nodes and a policy: 1, 2 or 4 fields";
                return line.bad(0, line.text.len(), what);
            }
        };
        let what = "this is no list of PUs, as 0-3,8";
        let cpus = list.map(|list| all.slot_list(line, list, read_pus, what));
        all.next(line, name, cpus.transpose()?);
        Ok(())
    })?;
    Ok(all.listing)
}

fn read_pus(text: &str) -> Option<Vec<SlotPart>> {
    Some(vec![SlotPart::OsPus(whole_ranges(text)?)])
}
