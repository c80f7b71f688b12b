//! Reads the nodes of namespaces back from a dump: by name, or as those of another namespace.

use super::fields::{Places, Read, names, place};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use stowplan_session::UsesImage;

/// A set of nodes, as runs (first row, rows after it).
type Runs = Vec<(u32, u32)>;

/// The most runs of all sets together: 128 MiB. A chain of small differences could otherwise stand for far more than its bytes.
const RUNS_MAX: usize = 1 << 24;

/// Which set each namespace uses, and the distinct sets.
///
/// # Errors
/// A node or namespace that does not exist, a namespace that is said by itself, or too many sets.
pub(super) fn of(
    rows: &[Json],
    spaces: &Places,
    nodes: &Places,
) -> Read<(Vec<Option<UsesImage>>, Vec<Runs>)> {
    let mut sets = Sets::default();
    let mut found: Vec<Option<Option<u32>>> = vec![None; rows.len()];
    for first in 0..rows.len() {
        // The namespaces from this one to one whose set is known; each is said by the next.
        let mut chain = Vec::new();
        let mut at = first;
        let mut set = loop {
            if let Some(set) = found[at] {
                break set;
            }
            let Some(other) = rows[at].get("uses_as") else {
                let set = sets.named(&rows[at], nodes)?;
                found[at] = Some(set);
                break set;
            };
            if rows[at].get("uses").is_some() {
                return Err("a namespace has both \"uses\" and \"uses_as\"".to_owned());
            }
            chain.push(at);
            let other = other.as_str().ok_or("\"uses_as\" is no string")?;
            if chain.len() > rows.len() {
                return Err(format!("\"uses_as\" {other:?} leads back to itself"));
            }
            at = spaces.find(other)? as usize;
        };
        for at in chain.into_iter().rev() {
            set = sets.changed(set, &rows[at], nodes)?;
            found[at] = Some(set);
        }
    }
    let uses = found.into_iter().map(|set| set.flatten());
    Ok((uses.map(|set| set.map(UsesImage::Set)).collect(), sets.rows))
}

/// Distinct sets.
#[derive(Default)]
struct Sets {
    known: BTreeMap<Runs, u32>,
    rows: Vec<Runs>,
    runs: usize,
}

impl Sets {
    /// The set whose nodes are named.
    fn named(&mut self, row: &Json, nodes: &Places) -> Read<Option<u32>> {
        self.put(runs(&ids(row, "uses", nodes)?))
    }

    /// A set with the differences of a row.
    fn changed(&mut self, set: Option<u32>, row: &Json, nodes: &Places) -> Read<Option<u32>> {
        let different = |key: &str| match row.get(key) {
            Some(_) => ids(row, key, nodes),
            None => Ok(Vec::new()),
        };
        let (also, without) = (different("uses_also")?, different("uses_without")?);
        if also.is_empty() && without.is_empty() {
            return Ok(set);
        }
        let base = set.map_or(&[][..], |set| &self.rows[set as usize]);
        self.put(merged(base, &also, &without))
    }

    /// The row of a set; the empty one has none.
    fn put(&mut self, runs: Runs) -> Read<Option<u32>> {
        if runs.is_empty() {
            return Ok(None);
        }
        if let Some(&at) = self.known.get(&runs) {
            return Ok(Some(at));
        }
        self.runs += runs.len();
        if self.runs > RUNS_MAX {
            return Err(format!(
                "the sets of nodes have more than {RUNS_MAX} runs together"
            ));
        }
        let at = place(self.rows.len())?;
        self.rows.push(runs.clone());
        self.known.insert(runs, at);
        Ok(Some(at))
    }
}

/// The rows of the nodes that a key names, ascending.
fn ids(row: &Json, key: &str, nodes: &Places) -> Read<Vec<u32>> {
    let mut ids = Vec::new();
    for name in names(row, key)? {
        ids.push(nodes.find(name.as_str())?);
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// The runs of rows that ascend.
fn runs(ids: &[u32]) -> Runs {
    let mut runs = Runs::new();
    ids.iter().for_each(|&id| push(&mut runs, id, id));
    runs
}

/// Adds a range behind all others.
fn push(runs: &mut Runs, first: u32, last: u32) {
    match runs.last_mut() {
        Some((from, more)) if *from + *more + 1 == first => *more = last - *from,
        Some(_) | None => runs.push((first, last - first)),
    }
}

/// A set with more nodes, and without some. Cost: its runs and the differences.
fn merged(base: &[(u32, u32)], also: &[u32], without: &[u32]) -> Runs {
    let mut out = Runs::new();
    let mut more = also.iter().copied().peekable();
    let mut gone = without.iter().copied().peekable();
    let mut keep = |out: &mut Runs, mut first: u32, last: u32| {
        while gone.next_if(|&id| id < first).is_some() {}
        while let Some(id) = gone.next_if(|&id| id <= last) {
            if id > first {
                push(out, first, id - 1);
            }
            first = id + 1;
        }
        if first <= last {
            push(out, first, last);
        }
    };
    for &(first, rest) in base {
        while let Some(id) = more.next_if(|&id| id < first) {
            keep(&mut out, id, id);
        }
        while more.next_if(|&id| id <= first + rest).is_some() {}
        keep(&mut out, first, first + rest);
    }
    more.for_each(|id| keep(&mut out, id, id));
    out
}
