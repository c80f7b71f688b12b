//! Selects some ranks of a plan: by node, by app or by a list. With several of these, the ranks that all of them select.

use crate::job::args::Parts;
use crate::job::error::{JobError, told};
use crate::job::named_nodes::hosts;
use roaring::RoaringBitmap;
use stowplan_engine::count::counted;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::names::{NodeId, NodeRange};
use stowplan_engine::text::cursor::whole_ranges;

/// The ranks that `--node`, `--ranks` and `--app` select; `None`: none of them was given, so all ranks.
///
/// # Errors
/// `no-such-host` for a node that the plan does not have; `bad-value` for a malformed list, or for a rank or app beyond the
/// last.
///
/// Cost: the ranks chosen.
pub fn select(plan: &Plan, parts: &Parts) -> Result<Option<RoaringBitmap>, JobError> {
    let mut chosen: Option<RoaringBitmap> = None;
    let mut meet = |ranks: RoaringBitmap| match &mut chosen {
        Some(chosen) => *chosen &= ranks,
        None => chosen = Some(ranks),
    };
    if let Some(list) = &parts.ranks {
        meet(numbers("--ranks", list, plan.ranks(), "ranks")?);
    }
    if let Some(list) = &parts.app {
        let table = plan.resolved_apps();
        let wanted = numbers("--app", list, table.count(), "apps")?;
        let mut ranks = RoaringBitmap::new();
        for (app, placed) in table.ids().zip(plan.apps()) {
            if wanted.contains(table.number(app)) {
                let base = placed.base().0;
                ranks.insert_range(base..base + placed.procs().0);
            }
        }
        meet(ranks);
    }
    if let Some(list) = &parts.node {
        let mut ranks = RoaringBitmap::new();
        for range in nodes(plan, list)? {
            for node in range.first..range.end() {
                let procs = plan.procs_on(NodeId::from_row(node as usize));
                ranks.extend(procs.map(|proc| proc.rank.0));
            }
        }
        meet(ranks);
    }
    Ok(chosen)
}

/// Reads a list of numbers below `count`.
///
/// # Errors
/// `bad-value`.
pub fn numbers(
    option: &str,
    list: &str,
    count: u32,
    what: &str,
) -> Result<RoaringBitmap, JobError> {
    let bad = |why: String| told("bad-value", format!("{option} {list}: {why}"));
    let Some(ranges) = whole_ranges(list) else {
        return Err(bad("expected a list of numbers such as 37,40-45".to_owned()));
    };
    let mut numbers = RoaringBitmap::new();
    for (first, last) in ranges {
        if last >= count {
            let there = match count {
                0 => format!("there are no {what}"),
                1 => format!("there is 1 of the {what}, 0"),
                _ => format!("there are {count} {what}, 0 to {}", count - 1),
            };
            return Err(bad(there));
        }
        numbers.insert_range(first..=last);
    }
    Ok(numbers)
}

/// The nodes of a host list, in the list's order.
///
/// # Errors
/// `bad-hostlist`, `no-such-host`.
pub fn nodes(plan: &Plan, list: &str) -> Result<Vec<NodeRange>, JobError> {
    let bad = |why: &str| told("bad-hostlist", format!("--node {list}: {why}"));
    let names = &plan.world().names;
    let ranges = hosts(list)
        .map_err(|_| bad("expected names of nodes such as n3,m[0-2], without counts"))?;
    let mut nodes = Vec::new();
    for range in ranges {
        let (found, missing) = names.find(&range);
        if let Some(name) = missing {
            return Err(told(
                "no-such-host",
                format!(
                    "--node {list}: {name} is none of the {} of the job",
                    counted(names.len(), "node")
                ),
            ));
        }
        nodes.extend(found.iter().copied());
    }
    Ok(nodes)
}
