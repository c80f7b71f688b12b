//! A comparison for people: counts, the first ranks of each kind, the likely cause.

use super::cause::Cause;
use super::compare::Report;
use super::kinds::{Side, kinds};
use super::line::Lines;
use crate::launchers::cpus::ranges;
use roaring::RoaringBitmap;
use std::fmt::{self, Write};
use stowplan_engine::count::{Rank, counted};
use stowplan_engine::plan::Plan;

/// The most ranges of ranks that are shown.
const SHOWN: usize = 8;

/// Writes a comparison.
///
/// # Errors
/// The error of `out`.
pub fn write(plan: &Plan, lines: &Lines, report: &Report, out: &mut dyn Write) -> fmt::Result {
    let differ = &report.differ;
    if differ.is_empty() {
        return match report.ranks {
            1 => writeln!(out, "the only rank is where it was planned"),
            ranks => writeln!(out, "all {ranks} ranks are where they were planned"),
        };
    }
    let were = if report.ranks == 1 { "was" } else { "were" };
    writeln!(out, "{} {were} planned", counted(report.ranks, "rank"))?;
    for (what, ranks) in [
        ("no line tells of", &differ.missing),
        ("not planned:", &differ.unknown),
        ("told of twice:", &differ.twice),
        ("on another node:", &differ.node),
        ("on other cpus:", &differ.cpus),
        ("shown other GPUs:", &differ.gpus),
    ] {
        if !ranks.is_empty() {
            let count = counted(ranks.len(), "rank");
            writeln!(out, "  {what} {count}: {}", shown(ranks))?;
        }
    }
    each(plan, lines, report, out)?;
    match report.cause {
        None => Ok(()),
        Some(Cause::WrappedList(length)) => {
            let locals = locals(plan, &differ.cpus);
            writeln!(
                out,
                "cause[wrapped-list]: {locals}: masks wrapped after {length}, the list that the launcher had is too short"
            )
        }
        Some(Cause::NarrowStep) => writeln!(
            out,
            "cause[narrow-step]: ranks have parts of their cpus: the step has fewer cpus than the plan counts on"
        ),
        Some(Cause::NodeOrder) => writeln!(
            out,
            "cause[node-order]: ranks are together as planned, on other nodes: the launcher orders nodes in another way"
        ),
    }
}

/// What was planned and what was got, for the first kinds of differences.
fn each(plan: &Plan, lines: &Lines, report: &Report, out: &mut dyn Write) -> fmt::Result {
    let kinds = kinds(plan, lines, report);
    for kind in kinds.iter().take(SHOWN) {
        let ranks = match kind.ranks.len() {
            1 => format!("rank {}", shown(&kind.ranks)),
            more => format!("{more} ranks, {}", shown(&kind.ranks)),
        };
        let alone = kind.ranks.min().filter(|_| kind.ranks.len() == 1);
        let place = alone.and_then(|rank| plan.place(Rank(rank)));
        let local = place.map_or_else(String::new, |place| {
            format!("as local rank {} on ", place.local_rank)
        });
        let on = match kind.planned.node {
            Some(_) => String::new(),
            None if kind.ranks.len() == 1 => format!(", on {} as planned", kind.first),
            None => format!(", on their nodes, {} first", kind.first),
        };
        writeln!(
            out,
            "  {ranks}: planned {local}{}, got {}{on}",
            side(&kind.planned),
            side(&kind.real)
        )?;
    }
    match kinds.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more kinds of differences: --format json"),
    }
}

/// One side of a difference in words.
fn side(side: &Side) -> String {
    let mut words = match &side.cpus {
        Some(cpus) => format!("cpus {cpus}"),
        None => "any cpus".to_owned(),
    };
    if let Some(gpus) = &side.gpus {
        let gpus = if gpus.is_empty() { "none" } else { gpus };
        words.push_str(&format!(", GPUs {gpus}"));
    }
    if let Some(node) = &side.node {
        words.push_str(&format!(" of {node}"));
    }
    words
}

fn shown(ranks: &RoaringBitmap) -> String {
    let text = ranges(ranks, ',');
    let mut parts = text.split(',');
    let first: Vec<&str> = parts.by_ref().take(SHOWN).collect();
    let dots = if parts.next().is_some() { ",…" } else { "" };
    format!("{}{dots}", first.join(","))
}

/// The positions of some ranks among the ranks of their nodes, in rank order, in words.
fn locals(plan: &Plan, ranks: &RoaringBitmap) -> String {
    let mut locals = RoaringBitmap::new();
    let mut nodes = std::collections::HashSet::new();
    let mut known = std::collections::HashMap::new();
    for rank in ranks {
        let Some(place) = plan.place(stowplan_engine::count::Rank(rank)) else {
            continue;
        };
        nodes.insert(place.node);
        let on: &Vec<u32> = known.entry(place.node).or_insert_with(|| {
            let mut on: Vec<u32> = plan
                .procs_on(place.node)
                .map(|place| place.rank.0)
                .collect();
            on.sort_unstable();
            on
        });
        if let Ok(at) = on.binary_search(&rank) {
            locals.insert(u32::try_from(at).unwrap_or(u32::MAX));
        }
    }
    let all = crate::launchers::nodes::RankNodes::of(plan).len() as usize;
    let on = if nodes.len() == all {
        "every node".to_owned()
    } else {
        counted(nodes.len() as u64, "node").to_string()
    };
    format!("ranks {} of {on}", shown(&locals))
}
