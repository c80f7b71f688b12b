//! Rankfiles: `rank N=NODE slot=LIST`. Source: `semantics` 4.6.

use super::cursor::Cursor;
use super::lines::{Line, each_line};
use super::listings::{Collector, Word};
use super::printable::disturbs;
use super::slotlist::read_slot_list;
use crate::error::SpecError;
use crate::error::spec::FileKind;
use crate::limit::RANKS_MAX;
use crate::table::listings::{Entry, EntryNode, Listing, SlotListId};
use std::collections::HashMap;

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
        return bad(cursor.position(), "the number of a rank is expected here");
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
        return bad(cursor.position(), "= is expected here");
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
        return line.bad(start, end, "slot= is expected here");
    }
    cursor.skip_blanks();
    let start = cursor.position();
    let text = cursor.take_while(|c| !c.is_whitespace());
    cursor.skip_blanks();
    if !cursor.is_done() {
        let what = "nothing may follow the slot list";
        return line.bad(cursor.position(), line.text.len(), what);
    }
    let list = Word { start, text };
    all.slot_list(line, list, read_slot_list, "this is no slot list")
        .map(Some)
}
