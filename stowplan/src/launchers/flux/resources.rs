//! R as an allocation: which cores and GPUs of which nodes the instance has. Source: RFC 20, `lines/flux/spec.md` 3.

use crate::launchers::environment::r::R;
use roaring::RoaringBitmap;
use stowplan_engine::count::counted;
use stowplan_engine::table::names::NameRange;
use stowplan_engine::text::hostlist::read_host_names;

/// Neighbouring nodes with the same cores and GPUs.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// How many nodes.
    pub(super) count: u32,
    /// The rank of the first of them in R; `None`: the nodes were given in words.
    pub(super) rank: Option<u32>,
    /// Their cores, by logical number.
    pub cores: RoaringBitmap,
    /// Their GPUs; `None`: all that the node has.
    pub(super) gpus: Option<RoaringBitmap>,
}

/// The nodes of R.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Resources {
    /// Their names, in the order of their ranks.
    pub names: Vec<NameRange>,
    /// What each has, in the same order.
    pub entries: Vec<Entry>,
}

/// Reads R.
///
/// # Errors
/// What is wrong with it, in words.
pub fn read(text: &[u8]) -> Result<Resources, String> {
    let written = R::read(text)?;
    let mut names = Vec::new();
    for list in &written.hosts {
        let read = read_host_names(list);
        names.extend(read.map_err(|_| format!("nodelist: {list} is no host list"))?);
    }
    let ranked = ranked(written)?;
    let nodes: u64 = names.iter().map(|range| u64::from(range.count)).sum();
    let entries: Vec<Entry> = ranked.into_iter().map(|(_, entry)| entry).collect();
    let ranks: u64 = entries.iter().map(|entry| u64::from(entry.count)).sum();
    if nodes != ranks || nodes == 0 {
        return Err(format!(
            "nodelist names {}, and R_lite has {}",
            counted(nodes, "host"),
            counted(ranks, "rank")
        ));
    }
    Ok(Resources { names, entries })
}

/// `execution.R_lite`, by rising rank: the nodelist pairs with the ranks in this order, not in that of the entries.
fn ranked(written: R) -> Result<Vec<(u32, Entry)>, String> {
    let mut all: Vec<(u32, Entry)> = Vec::new();
    let mut seen = RoaringBitmap::new();
    for own in written.entries {
        if !seen.is_disjoint(&own.ranks) {
            return Err("R_lite has a rank twice".to_owned());
        }
        for (first, count) in stretches(&own.ranks) {
            let entry = Entry {
                count,
                rank: Some(first),
                cores: own.cores.clone(),
                gpus: Some(own.gpus.clone()),
            };
            all.push((first, entry));
        }
        seen |= own.ranks;
    }
    all.sort_by_key(|(first, _)| *first);
    Ok(all)
}

/// Stretches of neighbouring numbers: the first, and how many.
fn stretches(set: &RoaringBitmap) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let mut numbers = set.iter();
    while let Some(range) = numbers.next_range() {
        let (first, last) = (*range.start(), *range.end());
        found.push((first, last - first + 1));
    }
    found
}
