//! What a user wrote out, entry by entry: rankfiles, sequence files, LSF's affinity files.
//! Source: `semantics` 4.5, 4.6, `per-app` 9.1.

use super::cursor::{Cursor, whole_ranges};
use super::hostlist::short_name;
use super::lines::{Comments, Line, each_line, file_at, utf8};
use super::slotlist::read_slot_list;
use crate::error::SpecError;
use crate::error::at::At;
use crate::error::spec::FileFault;
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
        let listing = Listing {
            path: path.to_owned(),
            ..Listing::default()
        };
        Self {
            listing,
            ..Self::default()
        }
    }
    fn name(&mut self, name: &str) -> EntryNameId {
        if let Some(&id) = self.names.get(name) {
            return id;
        }
        let id = self.listing.names.push(name.to_owned());
        self.names.insert(name.to_owned(), id);
        id
    }
    /// The id of a slot list; `None` when `read` cannot read it.
    fn slot_list(
        &mut self,
        text: &str,
        read: impl Fn(&str) -> Option<Vec<SlotPart>>,
    ) -> Option<SlotListId> {
        if let Some(&id) = self.lists.get(text) {
            return Some(id);
        }
        let id = self.listing.slot_lists.push(read(text)?);
        self.listing.slot_texts.push(text.to_owned());
        self.lists.insert(text.to_owned(), id);
        Some(id)
    }
    /// Adds an entry, to its neighbour if that says the same.
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
    fn next(&mut self, node: EntryNode, cpus: Option<SlotListId>, line: u32) {
        let last = self.listing.entries.last();
        self.push(Entry {
            number: last.map_or(0, |last| last.number + last.count),
            node,
            cpus,
            line,
            count: 1,
        });
    }
}

/// A sequence file: a node a line, perhaps with cpus.
///
/// # Errors
/// `bad-seqfile`: no UTF-8, no entry at all, cpus that do not parse.
///
/// Cost: one pass; equal neighbours are one entry.
pub fn read_sequence(path: &str, bytes: &[u8]) -> Result<Listing, SpecError> {
    let text = utf8(path, bytes).map_err(|(at, fault)| SpecError::BadSeqfile { at, fault })?;
    let mut all = Collector::new(path);
    each_line(path, text, Comments::Kept, |line| {
        if line.text.starts_with('#') {
            return Ok(());
        }
        let mut words = words(line.text);
        let Some((_, name)) = words.next() else {
            return Ok(());
        };
        let cpus = match words.next() {
            None => None,
            Some((start, list)) => match all.slot_list(list, read_slot_list) {
                Some(id) => Some(id),
                None => {
                    let at = line.at(start, start + list.len());
                    return Err(SpecError::BadSeqfile {
                        at,
                        fault: FileFault::Syntax("this is no list of cpus"),
                    });
                }
            },
        };
        let node = EntryNode::Name(all.name(short_name(name)));
        all.next(node, cpus, line.number);
        Ok(())
    })?;
    if all.listing.entries.is_empty() {
        return Err(SpecError::BadSeqfile {
            at: file_at(path),
            fault: FileFault::Empty,
        });
    }
    Ok(all.listing)
}

/// LSF's affinity file: a process a line, with OS numbers of PUs. A file without entries gives an empty listing.
///
/// # Errors
/// `bad-affinityfile`: no UTF-8, a line of three or more than four fields, a list that does not parse.
pub fn read_affinity(path: &str, bytes: &[u8]) -> Result<Listing, SpecError> {
    let text = utf8(path, bytes).map_err(|(at, fault)| SpecError::BadAffinityfile { at, fault })?;
    let mut all = Collector::new(path);
    each_line(path, text, Comments::Kept, |line| {
        if line.text.trim_start().starts_with('#') {
            return Ok(());
        }
        let fields: Vec<(usize, &str)> = words(line.text).take(5).collect();
        let bad = |start: usize, end: usize, what| {
            let at = line.at(start, end);
            Err(SpecError::BadAffinityfile {
                at,
                fault: FileFault::Syntax(what),
            })
        };
        let cpus = match fields.as_slice() {
            [] => return Ok(()),
            [_] => None,
            [_, (start, list)] | [_, (start, list), _, _] => {
                let pus =
                    |text: &str| whole_ranges(text).map(|ranges| vec![SlotPart::OsPus(ranges)]);
                match all.slot_list(list, pus) {
                    Some(id) => Some(id),
                    None => {
                        return bad(
                            *start,
                            start + list.len(),
                            "this is no list of PUs, as 0-3,8",
                        );
                    }
                }
            }
            _ => {
                return bad(
                    0,
                    line.text.len(),
                    "a line holds a host, PUs, NUMA nodes and a policy: 1, 2 or 4 fields",
                );
            }
        };
        let node = EntryNode::Name(all.name(short_name(fields[0].1)));
        all.next(node, cpus, line.number);
        Ok(())
    })?;
    Ok(all.listing)
}

/// White-space separated words with their first bytes.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let base = text.as_ptr() as usize;
    text.split_whitespace()
        .map(move |word| (word.as_ptr() as usize - base, word))
}

/// A rankfile: `rank N=NODE [slot=LIST]` a line. Entries come out sorted by rank.
///
/// # Errors
/// `bad-rankfile` with line and column; `duplicate-rank`, found at the number, before the rest of that line is judged.
///
/// Cost: one pass and a sort.
pub fn read_rankfile(path: &str, bytes: &[u8]) -> Result<Listing, SpecError> {
    let text = utf8(path, bytes).map_err(|(at, fault)| SpecError::BadRankfile { at, fault })?;
    let mut all = Collector::new(path);
    let mut entries: Vec<Entry> = Vec::new();
    let mut seen: HashMap<u32, u32> = HashMap::new();
    each_line(path, text, Comments::Blanked, |line| {
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
    let bad = |at: At, what| SpecError::BadRankfile {
        at,
        fault: FileFault::Syntax(what),
    };
    let here = |cursor: &Cursor<'_>| line.at(cursor.position(), cursor.position() + 1);
    if cursor.eat("rank").is_none() {
        return Err(bad(
            here(&cursor),
            "an entry is written rank 0=NODE slot=LIST",
        ));
    }
    cursor.skip_blanks();
    let start = cursor.position();
    let Some(number) = cursor.number().filter(|&number| number < RANKS_MAX) else {
        return Err(bad(here(&cursor), "the number of a rank must stand here"));
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
        return Err(bad(here(&cursor), "= must stand here"));
    }
    cursor.skip_blanks();
    let start = cursor.position();
    let name = cursor.take_while(|c| !c.is_whitespace() && c != '=');
    let node = rank_node(all, name)
        .ok_or_else(|| bad(line.at(start, start + name.len().max(1)), "this is no node"))?;
    let cpus = rank_slots(all, line, &mut cursor)?;
    Ok(Entry {
        number,
        node,
        cpus,
        line: line.number,
        count: 1,
    })
}

fn rank_node(all: &mut Collector, name: &str) -> Option<EntryNode> {
    if let Some(nth) = name.strip_prefix("+n") {
        let mut cursor = Cursor::new(nth);
        return cursor
            .number()
            .filter(|_| cursor.is_done())
            .map(EntryNode::Nth);
    }
    let host = match name.split_once('@') {
        None => name,
        Some((_, host)) => host,
    };
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    let sound = !host.is_empty() && host.chars().all(fits) && !short_name(host).is_empty();
    sound.then(|| EntryNode::Name(all.name(short_name(host))))
}

/// `slot=LIST`, if there is more on the line.
fn rank_slots(
    all: &mut Collector,
    line: Line<'_>,
    cursor: &mut Cursor<'_>,
) -> Result<Option<SlotListId>, SpecError> {
    let bad = |start: usize, end: usize, what| {
        let at = line.at(start, end.max(start + 1));
        Err(SpecError::BadRankfile {
            at,
            fault: FileFault::Syntax(what),
        })
    };
    cursor.skip_blanks();
    if cursor.is_done() {
        return Ok(None);
    }
    let start = cursor.position();
    let key = cursor.take_while(|c| c.is_ascii_lowercase());
    cursor.skip_blanks();
    if !matches!(key, "slot" | "slots") || cursor.eat("=").is_none() {
        return bad(start, cursor.position(), "slot= must stand here");
    }
    cursor.skip_blanks();
    let start = cursor.position();
    let list = cursor.take_while(|c| !c.is_whitespace());
    let end = cursor.position();
    cursor.skip_blanks();
    if !cursor.is_done() {
        return bad(
            cursor.position(),
            line.text.len(),
            "nothing may stand behind the slot list",
        );
    }
    match all.slot_list(list, read_slot_list) {
        Some(id) => Ok(Some(id)),
        None => bad(start, end, "this is no slot list"),
    }
}
