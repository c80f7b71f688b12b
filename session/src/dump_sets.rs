//! The sets of nodes of a dump: named, or said as those of another namespace. Nothing in a dump is trusted.

use super::image::Sets;
use stowplan_engine::limit::SET_BYTES_MAX;

/// A set of nodes, as runs (first place, places after it).
type Runs = Vec<(u32, u32)>;

/// The most runs of all sets together. A chain of small differences could otherwise stand for far more than its bytes.
const RUNS_MAX: u64 = SET_BYTES_MAX / 64;

/// How the nodes of a namespace are said. Numbers are places in the tables.
#[derive(Debug)]
pub struct Said {
    /// The namespace whose nodes these are; `None`: no nodes.
    pub other: Option<u32>,
    /// Nodes that are there as well.
    pub also: Vec<u32>,
    /// Nodes that are not there; this counts after `also`.
    pub without: Vec<u32>,
}

/// Why there are no such sets.
#[derive(Debug)]
pub enum Wrong {
    /// The nodes of the namespace at this place are said by its own.
    Circle(usize),
    /// The sets are larger than a state may have.
    TooLarge,
}

/// The distinct sets, and which of them each namespace uses.
#[derive(Debug)]
pub struct DumpSets {
    /// Shape `[distinct sets]`.
    pub list: Vec<Runs>,
    /// Shape `[namespaces]`: a place in `list`; the empty set has none.
    pub(crate) uses: Vec<Option<u32>>,
}

impl DumpSets {
    /// Finds the sets. Shape of `said`: `[namespaces]`.
    ///
    /// # Errors
    /// [`Wrong`]: a circle, or more than [`RUNS_MAX`] runs. Cost: linear in what is said and in these runs.
    pub fn of(said: &[Said]) -> Result<Self, Wrong> {
        let mut sets = Sets::default();
        let mut runs = 0;
        let mut found: Vec<Option<Option<u32>>> = vec![None; said.len()];
        for first in 0..said.len() {
            // The namespaces from this one to one whose set is known; each is said by the next.
            let mut chain = Vec::new();
            let mut at = first;
            let mut set = loop {
                if let Some(set) = found[at] {
                    break set;
                }
                chain.push(at);
                let Some(other) = said[at].other else {
                    break None;
                };
                if chain.len() > said.len() {
                    return Err(Wrong::Circle(at));
                }
                at = other as usize;
            };
            for at in chain.into_iter().rev() {
                let Said { also, without, .. } = &said[at];
                if !also.is_empty() || !without.is_empty() {
                    let base = set.map_or(&[][..], |set: u32| &sets.list[set as usize]);
                    let changed = changed(base, also, without);
                    // What is looked at counts as well, and not only what is new.
                    runs += (base.len() + changed.len()) as u64;
                    if runs > RUNS_MAX {
                        return Err(Wrong::TooLarge);
                    }
                    set = (!changed.is_empty()).then(|| sets.place_of_runs(changed));
                }
                found[at] = Some(set);
            }
        }
        let uses = found.into_iter().map(Option::flatten).collect();
        let list = sets.list;
        Ok(Self { list, uses })
    }
}

/// A set with more nodes, and then without some. Cost: its runs and the differences, sorted.
pub fn changed(base: &[(u32, u32)], also: &[u32], without: &[u32]) -> Runs {
    let has = |id: u32| {
        let behind = base.partition_point(|&(first, _)| first <= id);
        behind > 0 && id - base[behind - 1].0 <= base[behind - 1].1
    };
    let sorted = |ids: &mut dyn Iterator<Item = u32>| {
        let mut ids: Vec<u32> = ids.collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    };
    let more = sorted(&mut also.iter().copied().filter(|&id| !has(id)));
    let there = |id: u32| has(id) || more.binary_search(&id).is_ok();
    let gone = sorted(&mut without.iter().copied().filter(|&id| there(id)));
    // Where the set begins or ends. A node that comes or goes changes that on both of its sides; two changes are none.
    let ends = base
        .iter()
        .flat_map(|&(first, more)| [first, first + more + 1]);
    let turns = more.iter().chain(&gone).flat_map(|&id| [id, id + 1]);
    let mut edges: Vec<u32> = ends.chain(turns).collect();
    // Three lists that ascend: a stable sort merges them.
    edges.sort();
    let mut kept: Vec<u32> = Vec::new();
    for edge in edges {
        if kept.last() == Some(&edge) {
            kept.pop();
        } else {
            kept.push(edge);
        }
    }
    let pairs = kept.chunks_exact(2);
    pairs.map(|pair| (pair[0], pair[1] - pair[0] - 1)).collect()
}
