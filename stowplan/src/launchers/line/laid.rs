//! What a launcher would do with a line, in general terms: nodes, how many processes on each, their cpus, the order of ranks.

use roaring::RoaringBitmap;
use stowplan_engine::plan::RankOrder;
use stowplan_engine::table::names::{Names, NodeRange};

/// Where the processes of a line are.
#[derive(Clone, Debug)]
pub struct Laid {
    /// The version whose rules were used, as the page shows it: `24.11`.
    pub version: String,
    /// What the launcher derived, for the page and for `explain`, in the order in which it decided.
    pub derived: Vec<Derived>,
    /// Notes.
    pub notes: Vec<LineNote>,
    /// The nodes of the allocation, in the launcher's order.
    pub names: Names,
    /// Slots of each node, as runs that cover all nodes.
    pub slots: Vec<(NodeRange, u32)>,
    /// Distinct patterns: what each process of an app gets on a node, in the order of local ranks.
    pub patterns: Vec<Vec<LaidProcs>>,
    /// The programs; their ranks follow one another. A program whose ranks are mixed with those of others is several.
    pub apps: Vec<LaidApp>,
}

/// A thing that the launcher derived, with its origin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Derived {
    /// What: `distribution block:cyclic`.
    pub what: String,
    /// The word, variable or rule that decided it: `-m`, `SLURM_DISTRIBUTION`, `default`.
    pub origin: String,
}

/// A note of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineNote {
    /// Its class: `invented-nodes`.
    pub class: &'static str,
    /// Its sentence.
    pub text: String,
}

impl LineNote {
    /// A line asks for so many nodes and names none.
    pub(crate) fn invented(count: u64) -> Self {
        Self {
            class: "invented-nodes",
            text: format!("{count} nodes were asked for and none named: they are called n0 and on"),
        }
    }
}

/// One program of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaidApp {
    /// Its number among the programs of the line, from 0.
    pub number: u32,
    /// The program, then its arguments.
    pub program: Vec<String>,
    /// Where its processes are: runs of neighbouring nodes, in the order in which ranks go over nodes.
    pub runs: Vec<LaidRun>,
    /// The order of its ranks over these runs: node by node (`Slot`), round by round (`Node`), or a list.
    pub order: RankOrder,
}

/// Neighbouring nodes that have the same processes of an app.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaidRun {
    /// The nodes, as places in [`Laid::names`].
    pub nodes: NodeRange,
    /// A row of [`Laid::patterns`]; its processes are all processes of the app on each of these nodes.
    pub pattern: usize,
}

impl LaidRun {
    /// Adds nodes behind the runs of an app; neighbours with the same processes are one run.
    pub(crate) fn add(runs: &mut Vec<Self>, nodes: NodeRange, pattern: usize) {
        match runs.last_mut() {
            Some(last) if last.pattern == pattern && last.nodes.end() == nodes.first => {
                last.nodes.count += nodes.count;
            }
            Some(_) | None => runs.push(Self { nodes, pattern }),
        }
    }
}

/// Neighbouring processes of a node that get the same.
#[derive(Clone, PartialEq, Debug)]
pub struct LaidProcs {
    /// How many, at least 1.
    pub count: u32,
    /// The cpus of each by OS number; `None`: unbound.
    pub cpus: Option<RoaringBitmap>,
    /// The GPUs that each sees, by visible number; `None`: the launcher says nothing of GPUs.
    pub gpus: Option<Vec<u32>>,
}

impl LaidProcs {
    /// Adds `count` processes behind those of a node; neighbours that get the same are one row.
    pub(crate) fn add(
        procs: &mut Vec<Self>,
        count: u32,
        cpus: Option<RoaringBitmap>,
        gpus: Option<Vec<u32>>,
    ) {
        match procs.last_mut() {
            Some(last) if last.cpus == cpus && last.gpus == gpus => last.count += count,
            Some(_) | None => procs.push(Self { count, cpus, gpus }),
        }
    }
}
