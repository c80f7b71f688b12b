//! The exact ranks and cpus of the nodes of a shape, in a line or two.

use super::series::{self, CpuList};
use super::shapes::Shape;
use crate::format::hosts;
use std::collections::HashMap;
use std::rc::Rc;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{AppPlan, Plan, RankOrder};
use stowplan_engine::table::names::{NodeId, NodeRange, push_joined};

/// The most processes of a node that are examined; of more, only the first are shown.
const PROCS_MAX: usize = 1 << 14;
/// The most stretches of neighbouring nodes whose ranks are written.
const STRETCHES_MAX: usize = 64;
/// The most parts of a stretch that are written, each with its own step.
const PARTS_MAX: usize = 64;
/// The most ranks that are looked up, over all stretches.
const ASKED_MAX: usize = 1 << 18;

/// A process on the first node of a shape.
pub(super) struct Local {
    /// The number of its app.
    pub(super) app: u32,
    /// Its cpus as OS numbers; empty: unbound.
    pub(super) cpus: CpuList,
}

/// The processes on the first node of a shape, and how ranks continue from node to node.
pub(super) struct Placement {
    /// The processes by local rank; at most the first [`PROCS_MAX`].
    pub(super) locals: Vec<Local>,
    /// Neighbouring nodes on which the ranks move by the same step.
    stretches: Vec<Stretch>,
    /// Whether some nodes are left out.
    untold: bool,
}

/// Consecutive nodes: the ranks of each node are those of the node before, shifted by the steps.
struct Stretch {
    nodes: Vec<NodeRange>,
    count: u64,
    /// The ranks of the first node, by local rank.
    ranks: Vec<u32>,
    /// The steps from each node to the next, by local rank; empty if there is one node.
    steps: Vec<i64>,
}

impl Placement {
    /// Cost: the processes of one node, and of some nodes of each stretch of neighbours; [`ASKED_MAX`] bounds their number.
    pub(super) fn new(plan: &Plan, shape: &Shape) -> Self {
        let first = shape.nodes.first().map_or(0, |range| range.first);
        let mut placement = Self {
            locals: locals(plan, first),
            stretches: Vec::new(),
            untold: false,
        };
        let mut asked = 0;
        for &range in &shape.nodes {
            let mut at = range.first;
            while at < range.end() {
                asked += 2 * placement.locals.len();
                if placement.stretches.len() > STRETCHES_MAX || asked > ASKED_MAX {
                    placement.untold = true;
                    return placement;
                }
                let next = Stretch::from(
                    plan,
                    NodeRange {
                        first: at,
                        count: range.end() - at,
                    },
                );
                at += u32::try_from(next.count).unwrap_or(u32::MAX);
                match placement.stretches.last_mut() {
                    Some(last) if last.takes(&next) => last.join(next),
                    Some(_) | None => placement.stretches.push(next),
                }
            }
        }
        placement
    }

    /// The ranks of the first node, and the step to the next if it is even: `0-63 +64`.
    pub(super) fn ranks(&self) -> String {
        let Some(first) = self.stretches.first() else {
            return String::new();
        };
        let cut = if self.locals.len() == PROCS_MAX {
            "…"
        } else {
            ""
        };
        if self.even() {
            first.text() + cut
        } else {
            format!("{} …", series::numbers(&first.ranks))
        }
    }

    /// Whether [`Placement::ranks`] tells the ranks of all nodes.
    pub(super) fn even(&self) -> bool {
        self.stretches.len() == 1 && !self.untold
    }

    /// Every stretch with its hosts and ranks.
    pub(super) fn stretches(&self, plan: &Plan) -> String {
        let names = &plan.world().names;
        let one = |stretch: &Stretch| {
            let hosts: Vec<String> = stretch
                .nodes
                .iter()
                .map(|&nodes| hosts::host_list(names, nodes))
                .collect();
            format!("{}: {}", hosts.join(","), stretch.text())
        };
        let mut parts: Vec<String> = self.stretches.iter().take(STRETCHES_MAX).map(one).collect();
        if self.untold || self.stretches.len() > STRETCHES_MAX {
            parts.push("…".to_owned());
        }
        parts.join(" · ")
    }

    /// The cpus of each local rank: `0-63: 0,64 +1`.
    pub(super) fn cpus(&self) -> String {
        let sets: Vec<CpuList> = self
            .locals
            .iter()
            .map(|local| Rc::clone(&local.cpus))
            .collect();
        series::sets(0, &sets)
    }
}

impl Stretch {
    /// The longest stretch at the start of a range of equal nodes.
    ///
    /// On equal neighbours, ranks move by the same steps unless they are listed.
    fn from(plan: &Plan, range: NodeRange) -> Self {
        let own = ranks(plan, range.first);
        let mut stretch = Self {
            nodes: vec![NodeRange { count: 1, ..range }],
            count: 1,
            ranks: own,
            steps: Vec::new(),
        };
        if range.count == 1 {
            return stretch;
        }
        stretch.steps = steps(&stretch.ranks, &ranks(plan, range.first + 1));
        let even = |&node: &u32| stretch.leads_to(node - range.first, &ranks(plan, node));
        let listed = |app: &AppPlan| matches!(app.order(), RankOrder::Listed(_));
        let written = plan.apps().iter().any(listed);
        let middle = range.first + range.count / 2;
        let count = if !written && even(&middle) && even(&(range.end() - 1)) {
            range.count
        } else {
            let more = range.first + 2..range.end();
            let more = more.take(STRETCHES_MAX).take_while(even).count();
            2 + u32::try_from(more).unwrap_or(0)
        };
        stretch.nodes = vec![NodeRange { count, ..range }];
        stretch.count = u64::from(count);
        stretch
    }

    /// Whether these are the ranks of the node that is `nodes` nodes after the first.
    fn leads_to(&self, nodes: u32, ranks: &[u32]) -> bool {
        let far = |((first, step), rank): ((&u32, &i64), &u32)| {
            i64::from(*first) + step * i64::from(nodes) == i64::from(*rank)
        };
        self.ranks.len() == ranks.len() && self.ranks.iter().zip(&self.steps).zip(ranks).all(far)
    }

    /// Whether `next` continues this stretch.
    fn takes(&self, next: &Self) -> bool {
        let Ok(count) = u32::try_from(self.count) else {
            return false;
        };
        let own = next.steps.is_empty() || self.steps.is_empty() || self.steps == next.steps;
        let before = self.steps.is_empty()
            && (next.steps.is_empty() || steps(&self.ranks, &next.ranks) == next.steps);
        own && (before || self.leads_to(count, &next.ranks))
    }

    fn join(&mut self, next: Self) {
        if self.steps.is_empty() {
            self.steps = steps(&self.ranks, &next.ranks);
        }
        self.count += next.count;
        for nodes in next.nodes {
            push_joined(&mut self.nodes, nodes);
        }
    }

    /// `0-63 +64`. If apps or rounds move by different steps, each part has its own: `0-126 +127, 5000 +1`.
    fn text(&self) -> String {
        if self.steps.is_empty() {
            return series::numbers(&self.ranks);
        }
        let mut parts = Vec::new();
        let mut start = 0;
        for same in self.steps.chunk_by(|one, next| one == next) {
            if parts.len() == PARTS_MAX {
                parts.push("…".to_owned());
                break;
            }
            let ranks = &self.ranks[start..start + same.len()];
            parts.push(format!("{} {:+}", series::numbers(ranks), same[0]));
            start += same.len();
        }
        parts.join(", ")
    }
}

/// The differences between two rows of ranks.
fn steps(one: &[u32], other: &[u32]) -> Vec<i64> {
    let apart = |(one, other): (&u32, &u32)| i64::from(*other) - i64::from(*one);
    one.iter().zip(other).map(apart).collect()
}

/// The ranks of a node, by local rank.
fn ranks(plan: &Plan, node: u32) -> Vec<u32> {
    let procs = plan.procs_on(NodeId::from_row(node as usize));
    procs.take(PROCS_MAX).map(|proc| proc.rank.0).collect()
}

fn locals(plan: &Plan, node: u32) -> Vec<Local> {
    let mut sets: HashMap<_, CpuList> = HashMap::new();
    let procs = plan
        .procs_on(NodeId::from_row(node as usize))
        .take(PROCS_MAX);
    procs
        .map(|proc| {
            let list = || {
                proc.cpus.map_or_else(
                    || [].into(),
                    |set| plan.world().cpusets.get(set).iter().collect(),
                )
            };
            let cpus = Rc::clone(sets.entry(proc.cpus).or_insert_with(list));
            Local {
                app: plan.resolved_apps().number(proc.app),
                cpus,
            }
        })
        .collect()
}
