//! R as an allocation: which cores and GPUs of which nodes the instance has. Source: RFC 20, `lines/flux/spec.md` 3.

use crate::launchers::cpus::read_list;
use roaring::RoaringBitmap;
use serde_json::Value;
use stowplan_engine::count::counted;
use stowplan_engine::limit::{NODES_MAX, PUS_MAX};
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
    let whole: Value = serde_json::from_slice(text).map_err(|error| format!("no JSON: {error}"))?;
    let execution = &whole["execution"];
    let names = names(execution)?;
    let ranked = ranked(execution)?;
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

/// `execution.nodelist`.
fn names(execution: &Value) -> Result<Vec<NameRange>, String> {
    let list = execution["nodelist"]
        .as_array()
        .ok_or("execution.nodelist must be an array")?;
    let mut names = Vec::new();
    for entry in list {
        let entry = entry.as_str().ok_or("execution.nodelist must hold texts")?;
        let read = read_host_names(entry);
        names.extend(read.map_err(|_| format!("nodelist: {entry} is no host list"))?);
    }
    Ok(names)
}

/// `execution.R_lite`, by rising rank: the nodelist pairs with the ranks in this order, not in that of the entries.
fn ranked(execution: &Value) -> Result<Vec<(u32, Entry)>, String> {
    let lite = execution["R_lite"]
        .as_array()
        .ok_or("execution.R_lite must be an array")?;
    let mut all: Vec<(u32, Entry)> = Vec::new();
    let mut seen = RoaringBitmap::new();
    for entry in lite {
        let ranks = entry["rank"]
            .as_str()
            .and_then(|text| id_set(text, NODES_MAX));
        let ranks = ranks.ok_or("R_lite has a rank that is no set of numbers")?;
        let children = &entry["children"];
        let cores = children["core"]
            .as_str()
            .and_then(|text| id_set(text, PUS_MAX));
        let cores = cores.ok_or("R_lite has cores that are no set of numbers")?;
        let gpus = match children.get("gpu") {
            None => Some(RoaringBitmap::new()),
            Some(gpus) => gpus.as_str().and_then(|text| id_set(text, PUS_MAX)),
        };
        let gpus = gpus.ok_or("R_lite has GPUs that are no set of numbers")?;
        if !seen.is_disjoint(&ranks) {
            return Err("R_lite has a rank twice".to_owned());
        }
        for (first, count) in stretches(&ranks) {
            let (cores, gpus) = (cores.clone(), Some(gpus.clone()));
            let rank = Some(first);
            let entry = Entry {
                count,
                rank,
                cores,
                gpus,
            };
            all.push((first, entry));
        }
        seen |= ranks;
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

/// Reads a set such as `0-3,7`, with or without brackets.
fn id_set(text: &str, highest: u32) -> Option<RoaringBitmap> {
    let inner = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    read_list(inner.unwrap_or(text), highest)
}
