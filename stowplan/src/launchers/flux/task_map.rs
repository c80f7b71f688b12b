//! `--taskmap`: which ranks are on which node, with the slips of flux-core 0.88. Source: `lines/flux/spec.md` 7, step 2.

use super::deal::{Deal, Dealt};
use super::instance::Instance;
use super::words::{Line, Means, Said};
use crate::launchers::environment::host_names;
use crate::launchers::line::{LineAsked, LineRefused};
use stowplan_engine::count::ProcCount;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{ListedRun, RankOrder};
use stowplan_engine::table::names::NodeRange;
use stowplan_engine::taskmap::{JobNode, TaskMap};

/// Runs of ranks that a map may be cut into.
const RUNS_MAX: usize = 1 << 26;

/// The tasks of each node and the order of ranks.
pub(super) struct Mapped {
    /// Nodes in the order of the job, with the tasks that the map gives them.
    pub(super) nodes: Vec<Dealt>,
    /// The order of ranks over them.
    pub(super) order: RankOrder,
    /// The map's scheme, if one was said.
    pub(super) scheme: Option<String>,
}

/// Maps the tasks of a job as `--taskmap` says.
///
/// # Errors
/// `launch-fails`: the job starts, and its shells give up.
pub(super) fn map(
    asked: &LineAsked<'_>,
    line: &Line,
    instance: &Instance,
    deal: &Deal,
) -> Result<Mapped, LineRefused> {
    let plain = |order| Mapped {
        nodes: deal.nodes.clone(),
        order,
        scheme: None,
    };
    let Some(said) = line.last(Means::TaskMap) else {
        return Ok(plain(RankOrder::Slot));
    };
    let (scheme, value) = match said.value.split_once(':') {
        Some((scheme, value)) => (scheme, Some(value)),
        None => (said.value.as_str(), None),
    };
    let fails = |why: &str| said.refuses(asked, "launch-fails", why);
    let mut mapped = match (scheme, value) {
        ("block", None | Some("")) => plain(RankOrder::Slot),
        ("block", Some(_)) => return Err(fails("block takes no value")),
        ("cyclic", value) => {
            let each = match value.filter(|value| !value.is_empty()) {
                None => Some(1),
                Some(value) => value.parse::<u32>().ok().filter(|&each| each > 0),
            };
            cyclic(deal, each.ok_or_else(|| fails("invalid cyclic stride"))?).map_err(|why| {
                let mut refused = fails(&why);
                refused.help.push("--taskmap=cyclic".to_owned());
                refused
            })?
        }
        ("hostfile", value) => {
            let file = value.unwrap_or("");
            let map = hostfile(asked, said, instance, deal, file)?;
            of_map(deal, &map).map_err(|why| fails(&why))?
        }
        ("manual", value) => {
            let map = TaskMap::read(value.unwrap_or("").as_bytes());
            let map = map.map_err(|error| fails(&format!("invalid taskmap: {error}")))?;
            of_map(deal, &map).map_err(|why| fails(&why))?
        }
        _ => return Err(fails("the schemes are block, cyclic, hostfile and manual")),
    };
    mapped.scheme = Some(said.value.clone());
    Ok(mapped)
}

/// Nodes in turn, `each` tasks at a visit. 0.88 counts a node that has none yet as one task more.
fn cyclic(deal: &Deal, each: u32) -> Result<Mapped, String> {
    if each == 1 {
        return Ok(Mapped {
            nodes: deal.nodes.clone(),
            order: RankOrder::Node,
            scheme: None,
        });
    }
    let given = |tasks: u32, rounds: u32| -> u64 {
        if tasks == 0 {
            return 0;
        }
        let first = u64::from(each.min(tasks.saturating_add(1)));
        let left = u64::from(tasks).saturating_sub(first);
        let later = u64::from(rounds - 1) * u64::from(each);
        first + later.min(left)
    };
    let after = |rounds| {
        let all = deal.nodes.iter();
        let all = all.map(|own| given(own.tasks, rounds) * u64::from(own.nodes.count));
        all.sum::<u64>()
    };
    let wanted = u64::from(deal.tasks);
    let most = deal.nodes.iter().map(|own| own.tasks).max().unwrap_or(1);
    let (mut low, mut high) = (1, most.div_ceil(each).max(1));
    while low < high {
        let middle = low.midpoint(high);
        match after(middle) >= wanted {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    if after(low) != wanted {
        return Err(format!(
            "invalid taskmap: Flux 0.88 gives a node with fewer than {each} tasks one too many here"
        ));
    }
    let mut nodes = deal.nodes.clone();
    for own in &mut nodes {
        own.tasks = u32::try_from(given(own.tasks, low)).unwrap_or(u32::MAX);
    }
    let order = match low {
        1 => RankOrder::Slot,
        rounds => in_rounds(&nodes, each, rounds)?,
    };
    Ok(Mapped {
        nodes,
        order,
        scheme: None,
    })
}

/// The ranks of rounds in which each node gets up to `each` tasks.
fn in_rounds(nodes: &[Dealt], each: u32, rounds: u32) -> Result<RankOrder, String> {
    let mut runs = Vec::new();
    let mut rank = 0;
    for round in 0..rounds {
        let local = round * each;
        for own in nodes.iter().filter(|own| own.tasks > local) {
            let count = each.min(own.tasks - local);
            for node in own.nodes.first..own.nodes.end() {
                runs.push(ListedRun { rank, node, local });
                rank += count;
            }
        }
        if runs.len() > RUNS_MAX {
            return Err("its rounds are more than are listed here".to_owned());
        }
    }
    Ok(RankOrder::Listed(runs))
}

/// One task for each name of a file, again from the top.
fn hostfile(
    asked: &LineAsked<'_>,
    said: &Said,
    instance: &Instance,
    deal: &Deal,
    file: &str,
) -> Result<TaskMap, LineRefused> {
    let fails = |why: String| said.refuses(asked, "launch-fails", &why);
    let bytes = asked.files.read(file);
    let bytes = bytes.map_err(|why| fails(format!("{file} cannot be read: {why}")))?;
    let text = String::from_utf8_lossy(&bytes);
    let starts = starts(&deal.nodes);
    let mut entries = Vec::new();
    for name in text.lines().filter_map(host_names).flatten() {
        if entries.len() >= deal.tasks as usize {
            break;
        }
        let node = instance.names.find_name(&name).and_then(|id| {
            let node = id.number();
            let at = starts
                .iter()
                .find(|(nodes, _)| (nodes.first..nodes.end()).contains(&node))?;
            Some(at.1 + (node - at.0.first))
        });
        entries.push(node.ok_or_else(|| fails(format!("host {name} not found in job nodelist")))?);
    }
    if entries.is_empty() {
        return Err(fails(format!("{file} names no host")));
    }
    let tasks = (0..deal.tasks as usize).map(|task| entries[task % entries.len()]);
    let runs = tasks.map(|node| (JobNode(node), ProcCount(1)));
    TaskMap::from_runs(runs).map_err(|error| fails(error.to_string()))
}

/// The number in the job of the first node of each run.
fn starts(nodes: &[Dealt]) -> Vec<(NodeRange, u32)> {
    let mut number = 0;
    let start = |own: &Dealt| {
        let first = number;
        number += own.nodes.count;
        (own.nodes, first)
    };
    nodes.iter().map(start).collect()
}

/// The tasks of a map whose nodes are those of the job.
fn of_map(deal: &Deal, map: &TaskMap) -> Result<Mapped, String> {
    let nodes: u32 = deal.nodes.iter().map(|own| own.nodes.count).sum();
    let found = map.node_count().map_err(|error| error.to_string())?;
    let tasks = map.task_count().map_err(|error| error.to_string())?.0;
    if found != nodes {
        return Err(format!(
            "invalid taskmap: got {found} nodes, expected {nodes}"
        ));
    }
    if tasks != deal.tasks {
        return Err(format!(
            "invalid taskmap: got {tasks} total tasks, expected {}",
            deal.tasks
        ));
    }
    let starts = starts(&deal.nodes);
    let mut dealt = Vec::new();
    let mut counts = map.counts().into_iter().peekable();
    for (own, &(_, start)) in deal.nodes.iter().zip(&starts) {
        let end = start + own.nodes.count;
        while let Some(stretch) = counts.peek() {
            let (from, to) = (stretch.nodes.start.max(start), stretch.nodes.end.min(end));
            if from < to {
                let first = own.nodes.first + (from - start);
                dealt.push(Dealt {
                    nodes: NodeRange::until(first, first + (to - from)),
                    row: own.row,
                    tasks: stretch.count.0,
                });
            }
            if stretch.nodes.end > end {
                break;
            }
            counts.next();
        }
    }
    Ok(Mapped {
        nodes: dealt,
        order: order(map, &starts)?,
        scheme: None,
    })
}

/// The order of ranks of a map.
fn order(map: &TaskMap, starts: &[(NodeRange, u32)]) -> Result<RankOrder, String> {
    let blocks = map.flux_blocks();
    let mut next = 0;
    let ascends = blocks.iter().all(|block| {
        let in_order = block.repeat == 1 && block.first >= next;
        next = block.first + block.nodes;
        in_order
    });
    if ascends {
        return Ok(RankOrder::Slot);
    }
    if blocks.len() == 1 && blocks.iter().all(|block| block.ppn == 1) {
        return Ok(RankOrder::Node);
    }
    let mut locals = std::collections::HashMap::new();
    let mut runs = Vec::new();
    let mut rank = 0;
    for (node, count) in map.runs() {
        let at = starts.partition_point(|&(_, start)| start <= node.0) - 1;
        let (nodes, start) = starts[at];
        let node = nodes.first + (node.0 - start);
        let local = locals.entry(node).or_insert(0);
        runs.push(ListedRun {
            rank,
            node,
            local: *local,
        });
        *local += count.0;
        rank += count.0;
        if runs.len() > RUNS_MAX {
            return Err("it has more runs of ranks than are listed here".to_owned());
        }
    }
    Ok(RankOrder::Listed(runs))
}
