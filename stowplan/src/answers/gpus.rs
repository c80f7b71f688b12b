//! The GPUs and network cards of a node's processes in words.

use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::plan::gpus::GivenGpus;
use stowplan_engine::table::cpusets::list_form;
use stowplan_engine::table::names::NodeId;

/// The most entries of a line; of more, only the first are shown.
const ENTRIES_MAX: usize = 64;
/// The most processes whose network cards are looked at.
const PROCESSES_MAX: usize = 4096;
/// The most processes of a round that are examined.
const ROUND_MAX: u32 = 65;

/// Visible numbers as a list, `0-1,4`; `-` for none.
#[must_use]
pub fn list(gpus: &[u32]) -> String {
    match gpus {
        [] => "-".to_owned(),
        gpus => list_form(&gpus.iter().copied().collect()),
    }
}

/// The GPUs of a node's processes by local rank, `4 5 2 3`; neighbours that have the same are written `4×8`. `None`: no process
/// has any.
///
/// Cost: the processes up to the last one shown.
#[must_use]
pub fn by_local_rank(plan: &Plan, given: &GivenGpus, node: NodeId) -> Option<String> {
    let on: Vec<_> = plan.on_node(node).collect();
    let first = on.iter().map(|on| on.run.own_before).min()?;
    let end = on.iter().map(|on| on.run.own_before + on.run.procs).max()?;
    let mut entries: Vec<(String, u32)> = Vec::new();
    let mut at = first;
    while at < end && entries.len() <= ENTRIES_MAX {
        let turns = given.turns(node, at);
        let count = turns.map_or(end - at, |turns| turns.count.min(end - at));
        let looked = match turns {
            Some(turns) if turns.len() > 1 => count.min(ROUND_MAX),
            Some(_) | None => 1,
        };
        for ahead in 0..looked {
            let own = list(turns.map_or(&[][..], |turns| turns.set(ahead)));
            let same = if looked == 1 { count } else { 1 };
            match entries.last_mut() {
                Some((last, times)) if *last == own => *times += same,
                Some(_) | None => entries.push((own, same)),
            }
        }
        at += count;
    }
    in_words(entries)
}

/// The network cards of a node's processes by local rank, in the same way.
///
/// Cost: the processes up to the last one shown.
#[must_use]
pub fn nics_by_local_rank(plan: &Plan, node: NodeId) -> Option<String> {
    let mut entries: Vec<(String, u32)> = Vec::new();
    for place in plan.procs_on(node).take(PROCESSES_MAX) {
        let own = match plan.nics().of(&place) {
            [] => "-".to_owned(),
            names => names.join(","),
        };
        if entries.len() > ENTRIES_MAX {
            break;
        }
        match entries.last_mut() {
            Some((last, times)) if *last == own => *times += 1,
            Some(_) | None => entries.push((own, 1)),
        }
    }
    in_words(entries)
}

/// Entries with how often each stands; `None`: there is nothing in any of them.
fn in_words(mut entries: Vec<(String, u32)>) -> Option<String> {
    if entries.iter().all(|(own, _)| own == "-") {
        return None;
    }
    let more = entries.len() > ENTRIES_MAX;
    entries.truncate(ENTRIES_MAX);
    let mut words: Vec<String> = entries
        .into_iter()
        .map(|(own, times)| match times {
            1 => own,
            times => format!("{own}×{times}"),
        })
        .collect();
    if more {
        words.push("…".to_owned());
    }
    Some(words.join(" "))
}

/// The id of the node in a row.
#[must_use]
pub fn node(row: u32) -> NodeId {
    NodeId::from_row(row as usize)
}
