//! What a line asks for: slots of cores and GPUs, on how many nodes, and which tasks. Source: `lines/flux/spec.md` 5.

use super::words::{Count, Line, Means, Said, setting};
use crate::launchers::line::{LineAsked, LineRefused};
use stowplan_engine::count::counted;

/// Whether nodes are given out whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Whole {
    /// `-x`, or `-N` alone.
    Yes,
    /// Only what the slots need.
    No,
}

/// How many tasks there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tasks {
    /// So many, dealt over the cores of the nodes.
    InAll(u64),
    /// So many on each node.
    PerNode(u64),
    /// So many for each core of a node.
    PerCore(u64),
}

/// What a line asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ask {
    /// Nodes, if their number is asked for.
    pub(super) nodes: Option<u32>,
    /// Slots of each node with a number of nodes, else of all.
    pub(super) slots: u64,
    /// Cores of a slot.
    pub(super) cores: u64,
    /// GPUs of a slot.
    pub(super) gpus: u64,
    /// Whole nodes.
    pub(super) whole: Whole,
    /// Tasks.
    pub(super) tasks: Tasks,
}

impl Ask {
    /// All slots.
    pub(super) fn all_slots(&self) -> u64 {
        self.slots.saturating_mul(self.nodes.map_or(1, u64::from))
    }

    /// What a slot has, in words.
    pub(super) fn slot(&self) -> String {
        let cores = counted(self.cores, "core");
        match self.gpus {
            0 => cores.to_string(),
            gpus => format!("{cores} and {}", counted(gpus, "GPU")),
        }
    }
}

/// Counts as they were said; `Some(0)` is not the same as `None`.
struct Counts<'a> {
    asked: &'a LineAsked<'a>,
    line: &'a Line,
}

impl<'a> Counts<'a> {
    fn said(&self, count: Count) -> Option<&'a Said> {
        self.line.last(Means::Count(count))
    }

    /// A count as Python's `int` reads it.
    fn get(&self, count: Count) -> Result<Option<i64>, LineRefused> {
        let Some(said) = self.said(count) else {
            return Ok(None);
        };
        let value = said.value.trim();
        let digits = value.strip_prefix(['+', '-']).unwrap_or(value);
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !plain {
            return Err(said.refuses(self.asked, "launcher-refuses", "invalid int value"));
        }
        match value.parse::<i64>() {
            Ok(number) if number <= i64::from(u32::MAX) => Ok(Some(number)),
            Ok(_) | Err(_) => {
                let why = "it is not known what Flux does with numbers of this size";
                Err(said.refuses(self.asked, "not-modelled", why))
            }
        }
    }

    fn refuse<T>(&self, count: Count, why: &str) -> Result<T, LineRefused> {
        match self.said(count) {
            Some(said) => Err(said.refuses(self.asked, "launcher-refuses", why)),
            None => Err(refuse(self.asked, why)),
        }
    }

    /// A count that must be at least 1, if it is said.
    fn positive(&self, count: Count) -> Result<Option<u64>, LineRefused> {
        match self.get(count)? {
            None => Ok(None),
            Some(number) if number >= 1 => Ok(Some(number.unsigned_abs())),
            Some(_) => self.refuse(count, "at least 1 is expected here"),
        }
    }

    /// As [`Self::positive`], where 0 is as if it were not said.
    fn positive_or_unsaid(&self, count: Count) -> Result<Option<u64>, LineRefused> {
        match self.get(count)? {
            Some(0) => Ok(None),
            Some(_) | None => self.positive(count),
        }
    }

    /// A count that may be 0.
    fn natural(&self, count: Count) -> Result<u64, LineRefused> {
        match self.get(count)? {
            None => Ok(0),
            Some(number) if number >= 0 => Ok(number.unsigned_abs()),
            Some(_) => self.refuse(count, "at least 0 is expected here"),
        }
    }

    fn nodes(&self) -> Result<Option<u32>, LineRefused> {
        let nodes = self.positive(Count::Nodes)?;
        Ok(nodes.map(|nodes| u32::try_from(nodes).unwrap_or(u32::MAX)))
    }
}

fn refuse(asked: &LineAsked<'_>, why: &str) -> LineRefused {
    asked.refused("launcher-refuses", why)
}

/// What a line asks for.
///
/// # Errors
/// `launcher-refuses`, in the order in which Flux looks.
pub(super) fn read(asked: &LineAsked<'_>, line: &Line) -> Result<Ask, LineRefused> {
    let counts = Counts { asked, line };
    for count in [
        Count::Tasks,
        Count::Nodes,
        Count::Cores,
        Count::CoresPerTask,
        Count::GpusPerTask,
        Count::TasksPerNode,
        Count::TasksPerCore,
        Count::GpusPerNode,
    ] {
        counts.get(count)?;
    }
    let is_said = |count| counts.said(count).is_some();
    if is_said(Count::TasksPerNode) && is_said(Count::TasksPerCore) {
        let why = "do not specify both the number of tasks per node and per core";
        return counts.refuse(Count::TasksPerCore, why);
    }
    let per = match counts.positive(Count::TasksPerNode)? {
        Some(each) => Some(Tasks::PerNode(each)),
        None => counts.positive(Count::TasksPerCore)?.map(Tasks::PerCore),
    };
    if counts
        .get(Count::GpusPerNode)?
        .is_some_and(|gpus| gpus != 0)
        && counts.get(Count::Nodes)?.is_none_or(|nodes| nodes == 0)
    {
        return counts.refuse(Count::GpusPerNode, NODES);
    }
    let by_resource = per.is_some() || is_said(Count::GpusPerNode) || is_said(Count::Cores);
    let mut ask = match by_resource {
        true => per_resource(&counts, per)?,
        false => per_task(&counts)?,
    };
    if let Some(tasks) = by_option(asked, line)? {
        ask.tasks = tasks;
    }
    Ok(ask)
}

/// `-n`, `-c`, `-g`.
fn per_task(counts: &Counts<'_>) -> Result<Ask, LineRefused> {
    let mut whole = exclusive(counts);
    let nodes = counts.get(Count::Nodes)?.filter(|&nodes| nodes != 0);
    let tasks = match (counts.positive_or_unsaid(Count::Tasks)?, nodes) {
        (Some(tasks), _) => tasks,
        (None, None) => 1,
        (None, Some(nodes)) => {
            whole = Whole::Yes;
            u64::try_from(nodes).unwrap_or(0)
        }
    };
    let cores = counts.positive_or_unsaid(Count::CoresPerTask)?.unwrap_or(1);
    let gpus = counts.natural(Count::GpusPerTask)?;
    let nodes = counts.nodes()?;
    if nodes.is_some_and(|nodes| u64::from(nodes) > tasks) {
        let why = format!("node count must not be greater than task count, {tasks}");
        return counts.refuse(Count::Nodes, &why);
    }
    if nodes.is_none() && whole == Whole::Yes {
        return Err(refuse(counts.asked, ALONE));
    }
    Ok(Ask {
        nodes,
        slots: tasks.div_ceil(nodes.map_or(1, u64::from)),
        cores,
        gpus,
        whole,
        tasks: Tasks::InAll(tasks),
    })
}

const NODES: &str = "--gpus-per-node requires --nodes";
const ALONE: &str = "-x: exclusive can only be set with a node count, -N";

fn exclusive(counts: &Counts<'_>) -> Whole {
    match counts.line.last(Means::Exclusive) {
        Some(_) => Whole::Yes,
        None => Whole::No,
    }
}

/// `--cores`, `--tasks-per-node` and the like.
fn per_resource(counts: &Counts<'_>, per: Option<Tasks>) -> Result<Ask, LineRefused> {
    let gpus_per_task = counts
        .get(Count::GpusPerTask)?
        .is_some_and(|gpus| gpus != 0);
    for count in [Count::Tasks, Count::CoresPerTask, Count::GpusPerTask] {
        let counts_here = count != Count::GpusPerTask || gpus_per_task;
        if counts.said(count).is_some() && counts_here {
            let why = "per-resource options can't be used with per-task options";
            return counts.refuse(count, why);
        }
    }
    let cores = counts.positive(Count::Cores)?;
    let gpus = counts.natural(Count::GpusPerNode)?;
    let nodes = counts.nodes()?;
    // Also where it is 0.
    if nodes.is_none() && counts.said(Count::GpusPerNode).is_some() {
        return counts.refuse(Count::GpusPerNode, NODES);
    }
    let mut whole = exclusive(counts);
    let (slots, size) = match (nodes, cores) {
        (Some(nodes), Some(cores)) => {
            let nodes = u64::from(nodes);
            if cores < nodes {
                return counts.refuse(Count::Cores, "number of cores cannot be less than nnodes");
            }
            if cores % nodes != 0 {
                let why = "number of cores must be evenly divisible by node count";
                return counts.refuse(Count::Cores, why);
            }
            (1, cores / nodes)
        }
        (None, Some(cores)) => (cores, 1),
        (Some(_), None) => {
            whole = Whole::Yes;
            (1, 1)
        }
        (None, None) => {
            let why = "must specify node or core count with per-resource options";
            return Err(refuse(counts.asked, why));
        }
    };
    if nodes.is_none() && whole == Whole::Yes {
        return Err(refuse(counts.asked, ALONE));
    }
    let slot_tasks = slots * nodes.map_or(1, u64::from);
    Ok(Ask {
        nodes,
        slots,
        cores: size,
        gpus,
        whole,
        tasks: per.unwrap_or(Tasks::InAll(slot_tasks)),
    })
}

/// `-o per-resource.type=node`, `-o per-resource.count=K`.
fn by_option(asked: &LineAsked<'_>, line: &Line) -> Result<Option<Tasks>, LineRefused> {
    let kind = setting(line, "per-resource.type");
    let count = setting(line, "per-resource.count");
    let fails = |said: &Said, why| said.refuses(asked, "launch-fails", why);
    let Some((said, kind)) = kind else {
        return match count {
            Some((said, _)) => Err(fails(said, "per-resource.type is missing")),
            None => Ok(None),
        };
    };
    let each = match count {
        None => 1,
        Some((said, value)) => {
            let number = value.unwrap_or("1").parse::<u32>().ok();
            let number = number.filter(|&number| number > 0);
            u64::from(number.ok_or_else(|| fails(said, "per-resource.count must be > 0"))?)
        }
    };
    match kind {
        Some("node") => Ok(Some(Tasks::PerNode(each))),
        Some("core") => Ok(Some(Tasks::PerCore(each))),
        Some(_) | None => Err(fails(said, "tasks per node or per core are known")),
    }
}
