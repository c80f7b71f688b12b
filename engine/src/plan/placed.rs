//! The result of placing: where the processes of an app are, the order of their ranks, and the nodes that these refer to.

use super::claimed::Claimed;
use crate::policy::ObjKind;
use crate::table::apps::PolicyId;
use crate::table::cpusets::Cpusets;
use crate::table::names::{Names, NodeId, NodeRange};
use crate::table::patterns::PatternId;
use crate::table::pusets::PuSets;
use crate::table::states::{StateRuns, States};
use crate::table::topologies::Topologies;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Neighbouring nodes that got the same number of processes of one app, in the same pattern.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct PlacedRun {
    /// The nodes, in ascending order.
    pub nodes: NodeRange,
    /// Processes of the app on each of them, at least 1.
    pub procs: u32,
    /// The pattern of these processes, in placement order: they get its first `procs` places.
    pub pattern: PatternId,
    /// The kind of the objects they were mapped to; `None`: they were mapped to no object.
    pub kind: Option<ObjKind>,
    /// Processes of this job that each node held before: the first local rank.
    pub own_before: u32,
    /// Processes of any job that each node held before: the first node rank.
    pub used_before: u32,
}

impl PlacedRun {
    /// Extends this run by the next one if that continues it. Returns whether it did.
    pub(crate) fn join(&mut self, next: &Self) -> bool {
        let nodes = next.nodes;
        let same = self.nodes.end() == nodes.first && Self { nodes, ..*self } == *next;
        self.nodes.count += if same { nodes.count } else { 0 };
        same
    }
}

/// Nodes that an app came to in several passes. Each pass began again with the app's objects or list (`semantics` 4.8).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PassRun {
    /// Neighbouring nodes with the same passes.
    pub nodes: NodeRange,
    /// Processes of the app on each of these nodes when a pass ended, for every pass but the last; ascending. The first is 0 if
    /// the first pass left the node alone, and the app's list had given up its binding when the app came there.
    pub ends: Vec<u32>,
}

/// A placed app, as the stages hand it to [`super::Plan::assemble`].
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Placed {
    /// The policy, with its binding settled; `None` for a hole.
    pub policy: Option<PolicyId>,
    /// Where its processes are: in the job's node order (`semantics` 6).
    pub runs: Vec<PlacedRun>,
    /// The order of its ranks.
    pub order: RankOrder,
    /// Where passes over a node ended, by ascending node; nodes that saw one pass are left out. `None`: not recorded, or the
    /// policy has no passes that begin again.
    pub passes: Option<Vec<PassRun>>,
    /// What it claimed of the nodes.
    #[serde(skip)]
    pub claimed: Claimed,
}

/// Consecutive ranks on one node, as listed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct ListedRun {
    /// The first app rank.
    pub rank: u32,
    /// The node's place in the pool.
    pub node: u32,
    /// Which process of the app on that node has the first rank.
    pub local: u32,
}

/// The order of the ranks of an app. Source: `semantics` 6.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum RankOrder {
    /// Node by node, in placement order.
    #[default]
    Slot,
    /// Node by node, object by object.
    Fill,
    /// Round by round over nodes.
    Node,
    /// Round by round over (node, object) pairs.
    Span,
    /// As listed: runs by ascending rank.
    Listed(Vec<ListedRun>),
}

/// The tables that a plan refers to, shared by all its apps, and with other plans that were made of them.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// The nodes' names, shared by the plans that a cluster makes on the same nodes.
    pub names: Arc<Names>,
    /// Distinct topologies, shared with the machine that the job was placed on.
    pub topologies: Arc<Topologies>,
    /// Sets of PUs by OS number.
    pub cpusets: Arc<Cpusets>,
    /// Sets of PUs by logical number.
    pub pusets: Arc<PuSets>,
    /// Distinct node states.
    pub states: Arc<States>,
    /// The state of each node before the job's first app.
    pub before: StateRuns,
    /// The state of each node after the job's last app.
    pub after: StateRuns,
    /// The node the launcher runs on, if it is one of these.
    pub local: Option<NodeId>,
}

/// A row of a table.
pub(super) fn row(at: usize) -> u32 {
    u32::try_from(at).expect("limit.rs keeps tables below 2^32 rows")
}

/// Rows of listed runs by ascending (node, local). Cost: a sort of the runs.
pub(super) fn listed_by_node(listed: &[ListedRun]) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..row(listed.len())).collect();
    rows.sort_unstable_by_key(|&at| (listed[at as usize].node, listed[at as usize].local));
    rows
}
