//! The differences between two plans, for people and as a table.

use super::devices::OtherNics;
use super::threads::OtherThreads;
use super::{Change, Diff, GROUPS_MAX, Group, OtherGpus, RUNS_KEPT};
use crate::answers::row::{Row, Rows};
use std::io::{self, Write};
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::names::NodeId;

/// The most changes of rules that are shown.
const RULES_SHOWN: usize = 3;
/// Columns for a list of ranks.
const LIST_COLUMNS: usize = 60;
/// The first line of the table.
pub const HEADER: &str =
    "#rank\tchange\tnode_a\tlocal_rank_a\tcpus_a\tnode_b\tlocal_rank_b\tcpus_b\n";

/// A page of at most 24 lines: counts, the cause, then what moved and where.
#[must_use]
pub fn page(diff: &Diff, a: &Plan, b: &Plan) -> Vec<String> {
    let ranks = |count: u32| match count {
        1 => "1 rank".to_owned(),
        count => format!("{count} ranks"),
    };
    let mut lines = vec![format!(
        "{} same · {} on another node · {} on other cpus of the same node · {} with another local rank alone · {} gone · {} new",
        ranks(diff.same),
        diff.moved.node,
        diff.moved.cpus,
        diff.moved.local_rank,
        diff.gone,
        diff.new
    )];
    if diff.moved.gpus > 0 {
        let with = ranks(diff.moved.gpus);
        lines.push(format!("{with} with other GPUs alone"));
    }
    if diff.moved.nics > 0 {
        let with = ranks(diff.moved.nics);
        lines.push(format!("{with} with other network cards alone"));
    }
    if diff.moved.threads > 0 {
        let with = ranks(diff.moved.threads);
        lines.push(format!("{with} with threads on other cpus alone"));
    }
    if diff.reordered {
        lines.push("reordered: the places are the same, other ranks are on them".to_owned());
    }
    if let Some(cause) = &diff.cause {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "not given".into());
        lines.push(format!(
            "cause  {} of app {}: {} -> {}",
            cause.option,
            cause.app,
            value(&cause.a),
            value(&cause.b)
        ));
    }
    let rules = diff.changes.iter().take(RULES_SHOWN);
    lines.extend(rules.map(|change| format!("rule   since {change}")));
    if !diff.groups.is_empty() {
        lines.push(String::new());
    }
    debug_assert!(diff.groups.len() <= GROUPS_MAX, "so many have room");
    lines.extend(diff.groups.iter().map(|group| line(group, a, b)));
    lines
}

/// One group: its ranks, where they were and where they are.
fn line(group: &Group, a: &Plan, b: &Plan) -> String {
    let first = group.runs.first().map_or(0, |run| run.0);
    let ours = Rows::new(a).row(Rank(first));
    let theirs = Rows::new(b).row(Rank(first));
    let name = |plan: &Plan, node: u32| plan.world().names.name(NodeId::from_row(node as usize));
    let what = match (group.change, group.nodes) {
        (Change::Gone, _) => "gone".to_owned(),
        (Change::New, _) => "new".to_owned(),
        (Change::Node, Some((from, to))) => format!("node {} -> {}", name(a, from), name(b, to)),
        (Change::Node, None) => "another node".to_owned(),
        (Change::Cpus, Some((on, _))) => format!("other cpus of {}", name(a, on)),
        (Change::Cpus, None) => "other cpus of the same node".to_owned(),
        (Change::LocalRank, Some((on, _))) => format!("another local rank on {}", name(a, on)),
        (Change::LocalRank, None) => "another local rank alone".to_owned(),
        (Change::Gpus, Some((on, _))) => format!("other GPUs of {}", name(a, on)),
        (Change::Gpus, None) => "other GPUs".to_owned(),
        (Change::Nics, Some((on, _))) => format!("other network cards of {}", name(a, on)),
        (Change::Nics, None) => "other network cards".to_owned(),
        (Change::Threads, Some((on, _))) => format!("other threads on {}", name(a, on)),
        (Change::Threads, None) => "other threads".to_owned(),
    };
    let at = |row: &Option<Row>| {
        row.as_ref().map_or_else(
            || "-".to_owned(),
            |row| {
                let cpus = row.cpus.as_ref().map_or("unbound", |cpus| cpus);
                format!("{} local {} cpus {cpus}", row.node, row.local_rank)
            },
        )
    };
    let places = || [a, b].map(|plan| plan.place(Rank(first)));
    let other = match group.change {
        Change::Gpus => {
            OtherGpus::of(a, b).map(|gpus| gpus.cells(places()).map(|cell| format!("gpus {cell}")))
        }
        Change::Nics => OtherNics::of(a, b)
            .map(|nics| nics.cells(Rank(first)).map(|cell| format!("nics {cell}"))),
        Change::Threads => OtherThreads::of(a, b).map(|mut threads| threads.cells(Rank(first))),
        Change::Node | Change::Cpus | Change::LocalRank | Change::Gone | Change::New => None,
    };
    let [before, after] = other.unwrap_or_else(|| [at(&ours), at(&theirs)]);
    format!(
        "ranks {}  ({})  {what}; {first}: {before} -> {after}",
        list(group),
        group.ranks,
    )
}

/// The ranks of a group, as many as fit.
fn list(group: &Group) -> String {
    let mut text = String::new();
    for &(first, last) in &group.runs {
        let part = if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        };
        if text.len() + part.len() > LIST_COLUMNS {
            return text + ",…";
        }
        if !text.is_empty() {
            text.push(',');
        }
        text += &part;
    }
    if group.runs.len() > RUNS_KEPT {
        text += ",…";
    }
    text
}

/// Writes a line for each rank that is not the same.
///
/// # Errors
/// When `out` refuses a write.
///
/// Cost: two searches per rank.
pub fn write_tsv(a: &Plan, b: &Plan, out: &mut dyn Write) -> io::Result<()> {
    // Columns for GPUs only where the plans give others.
    let gpus = OtherGpus::of(a, b);
    let nics = OtherNics::of(a, b);
    let mut threads = OtherThreads::of(a, b);
    match &gpus {
        None => out.write_all(HEADER.as_bytes())?,
        Some(_) => writeln!(out, "{}\tgpus_a\tgpus_b", HEADER.trim_end())?,
    }
    let (mut ours, mut theirs) = (Rows::new(a), Rows::new(b));
    let mut buf = Vec::new();
    for rank in 0..a.ranks().max(b.ranks()) {
        let (here, there) = (ours.row(Rank(rank)), theirs.row(Rank(rank)));
        let places = || [a, b].map(|plan| plan.place(Rank(rank)));
        let given = gpus.as_ref().map(|gpus| gpus.cells(places()));
        let others = given.as_ref().filter(|[ours, theirs]| ours != theirs);
        let moved = change(here.as_ref(), there.as_ref());
        let moved = moved.or(others.map(|_| Change::Gpus));
        let cards = nics.as_ref().is_some_and(|own| own.differ(Rank(rank)));
        let moved = moved.or(cards.then_some(Change::Nics));
        let mut elsewhere = || threads.as_mut().is_some_and(|own| own.differ(Rank(rank)));
        let Some(change) = moved.or_else(|| elsewhere().then_some(Change::Threads)) else {
            continue;
        };
        write!(
            buf,
            "{rank}\t{}\t{}\t{}",
            change.word(),
            cells(here.as_ref()),
            cells(there.as_ref())
        )?;
        if let Some([ours, theirs]) = given {
            write!(buf, "\t{ours}\t{theirs}")?;
        }
        buf.push(b'\n');
        if buf.len() > 1 << 16 {
            out.write_all(&buf)?;
            buf.clear();
        }
    }
    out.write_all(&buf)
}

/// What happened to a rank, given its row in each plan.
#[must_use]
pub fn change(a: Option<&Row>, b: Option<&Row>) -> Option<Change> {
    match (a, b) {
        (None, None) => None,
        (Some(_), None) => Some(Change::Gone),
        (None, Some(_)) => Some(Change::New),
        (Some(a), Some(b)) if a.node != b.node => Some(Change::Node),
        (Some(a), Some(b)) if a.cpus != b.cpus => Some(Change::Cpus),
        (Some(a), Some(b)) if a.local_rank != b.local_rank => Some(Change::LocalRank),
        (Some(_), Some(_)) => None,
    }
}

fn cells(row: Option<&Row>) -> String {
    row.map_or_else(
        || "-\t-\t-".to_owned(),
        |row| {
            let cpus = row.cpus.as_deref().unwrap_or("-");
            format!("{}\t{}\t{cpus}", row.node, row.local_rank)
        },
    )
}
