//! What a launcher would do with a line, in general terms: nodes, how many processes on each, their cpus, the order of ranks.

use roaring::RoaringBitmap;
use stowplan_engine::plan::RankOrder;
use stowplan_engine::policy::ObjKind;
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

/// Neighbouring processes of a node that get the same.
#[derive(Clone, PartialEq, Debug)]
pub struct LaidProcs {
    /// How many, at least 1.
    pub count: u32,
    /// The object that the launcher mapped them to, if it knows one.
    pub object: Option<(ObjKind, u32)>,
    /// The cpus of each by OS number; `None`: unbound.
    pub cpus: Option<RoaringBitmap>,
    /// The GPUs that each sees, by visible number; `None`: the launcher says nothing of GPUs.
    pub gpus: Option<Vec<u32>>,
}
