//! Files that list processes entry by entry: rankfiles, sequence files, LSF's affinity files.
//! Source: `semantics` 4.5, 4.6, `per-app` 9.1.

use super::cursor::{Cursor, whole_ranges};
use super::lines::{Line, bad_file, each_line};
use super::printable::disturbs;
use super::slotlist::read_slot_list;
use crate::error::SpecError;
use crate::error::spec::{FileFault, FileKind};
use crate::limit::RANKS_MAX;
use crate::table::listings::{Entry, EntryNameId, EntryNode, Listing, SlotListId, SlotPart};
use std::collections::HashMap;

/// Collects entries; equal names and slot lists share one id.
#[derive(Default)]
struct Collector {
    listing: Listing,
    names: HashMap<String, EntryNameId>,
    lists: HashMap<String, SlotListId>,
}

impl Collector {
    fn new(path: &str) -> Self {
        let mut all = Self::default();
        path.clone_into(&mut all.listing.path);
        all
    }
    fn name(&mut self, name: &str) -> EntryNameId {
        if let Some(&id) = self.names.get(name) {
            return id;
        }
        let id = self.listing.names.push(name.to_owned());
        self.names.insert(name.to_owned(), id);
        id
    }
    /// The id of a slot list on a line. `read`: reads the parts of a list; `what`: the fault if it does not parse.
    fn slot_list(
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
    fn push(&mut self, entry: Entry) {
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
struct Word<'a> {
    start: usize,
    text: &'a str,
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

/// Reads a rankfile: `rank N=NODE [slot=LIST]` per line. The entries are sorted by rank.
///
/// # Errors
/// `bad-rankfile` with line and column; `duplicate-rank`, which is found at the number, before the rest of that line is
/// judged.
///
/// Cost: one pass and a sort.
pub fn read_rankfile(path: &str, bytes: &[u8]) -> Result<Listing, SpecError> {
    let mut all = Collector::new(path);
    let mut entries: Vec<Entry> = Vec::new();
    let mut seen: HashMap<u32, u32> = HashMap::new();
    each_line(FileKind::Rankfile, path, bytes, |line| {
        let mut cursor = Cursor::new(line.text);
        cursor.skip_blanks();
        if !cursor.is_done() {
            entries.push(rank_line(&mut all, &mut seen, line, cursor)?);
        }
        Ok(())
    })?;
    entries.sort_unstable_by_key(|entry| entry.number);
    for entry in entries {
        all.push(entry);
    }
    Ok(all.listing)
}

fn rank_line(
    all: &mut Collector,
    seen: &mut HashMap<u32, u32>,
    line: Line<'_>,
    mut cursor: Cursor<'_>,
) -> Result<Entry, SpecError> {
    let bad = |at: usize, what| line.bad(at, at + 1, what);
    if cursor.eat("rank").is_none() {
        let what = "an entry is written rank 0=NODE slot=LIST";
        return bad(cursor.position(), what);
    }
    cursor.skip_blanks();
    let start = cursor.position();
    let Some(number) = cursor.number().filter(|&number| number < RANKS_MAX) else {
        return bad(cursor.position(), "the number of a rank must stand here");
    };
    if let Some(&first) = seen.get(&number) {
        return Err(SpecError::DuplicateRank {
            at: line.at(start, cursor.position()),
            rank: number,
            first,
        });
    }
    seen.insert(number, line.number);
    cursor.skip_blanks();
    if cursor.eat("=").is_none() {
        return bad(cursor.position(), "= must stand here");
    }
    cursor.skip_blanks();
    let start = cursor.position();
    let name = cursor.take_while(|c| !c.is_whitespace() && c != '=');
    let Some(node) = rank_node(all, name) else {
        return line.bad(start, start + name.len().max(1), "this is no node");
    };
    Ok(Entry {
        number,
        node,
        cpus: rank_slots(all, line, cursor)?,
        line: line.number,
        count: 1,
    })
}

fn rank_node(all: &mut Collector, name: &str) -> Option<EntryNode> {
    if let Some(nth) = name.strip_prefix("+n") {
        let mut cursor = Cursor::new(nth);
        let number = cursor.number().filter(|_| cursor.is_done());
        return number.map(EntryNode::Nth);
    }
    let (user, host) = name.split_once('@').unwrap_or(("", name));
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    let sound = !host.is_empty() && host.chars().all(fits) && !host.starts_with('.');
    (sound && !user.contains(disturbs)).then(|| EntryNode::Name(all.name(name)))
}

/// Reads `slot=LIST`, if there is more on the line.
fn rank_slots(
    all: &mut Collector,
    line: Line<'_>,
    mut cursor: Cursor<'_>,
) -> Result<Option<SlotListId>, SpecError> {
    cursor.skip_blanks();
    if cursor.is_done() {
        return Ok(None);
    }
    let start = cursor.position();
    let key = cursor.take_while(|c| c.is_ascii_lowercase());
    cursor.skip_blanks();
    if !matches!(key, "slot" | "slots") || cursor.eat("=").is_none() {
        let end = cursor.position().max(start + 1);
        return line.bad(start, end, "slot= must stand here");
    }
    cursor.skip_blanks();
    let start = cursor.position();
    let text = cursor.take_while(|c| !c.is_whitespace());
    cursor.skip_blanks();
    if !cursor.is_done() {
        let what = "nothing may stand behind the slot list";
        return line.bad(cursor.position(), line.text.len(), what);
    }
    let list = Word { start, text };
    all.slot_list(line, list, read_slot_list, "this is no slot list")
        .map(Some)
}
