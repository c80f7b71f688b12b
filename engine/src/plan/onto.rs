//! The same places on other hosts: a plan that was made before its nodes were granted is carried to those that were.

use super::claimed::{Claim, Named};
use super::gpus::given::GivenGpus;
use super::placed::{ListedRun, PassRun, Placed, RankOrder};
use super::{Plan, World};
use crate::id::Id as _;
use crate::table::names::{Names, NodeId, NodeRange, push_joined};
use crate::table::states::StateRuns;
use std::sync::Arc;

/// The nodes of a plan that get another host each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Carried {
    /// All nodes of the job.
    All,
    /// Nodes that have processes; the others leave the plan.
    WithProcesses,
}

/// As many hosts are needed as nodes are carried.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{hosts} hosts for {nodes} nodes")]
pub struct HostCount {
    /// Hosts.
    pub hosts: u32,
    /// Nodes that need one.
    pub nodes: u32,
}

/// The nodes that stay, and where they are afterwards.
struct Kept {
    /// Ascending, with gaps between them.
    ranges: Vec<NodeRange>,
    /// Nodes that stay before each range. Shape `[ranges]`.
    before: Vec<u32>,
}

impl Kept {
    fn new(ranges: Vec<NodeRange>) -> Self {
        let before = ranges.iter().scan(0, |sum, nodes| {
            let before = *sum;
            *sum += nodes.count;
            Some(before)
        });
        let before = before.collect();
        Self { ranges, before }
    }

    fn count(&self) -> u32 {
        self.ranges.iter().map(|nodes| nodes.count).sum()
    }

    /// The parts of a range that stay, by their new numbers. Cost: a search, and the parts.
    fn parts(&self, nodes: NodeRange) -> impl Iterator<Item = NodeRange> + '_ {
        let from = self.ranges.partition_point(|own| own.end() <= nodes.first);
        let rows = self.ranges[from..].iter().zip(&self.before[from..]);
        rows.map_while(move |(own, before)| {
            let part = own.overlap(nodes)?;
            let first = before + (part.first - own.first);
            Some(NodeRange { first, ..part })
        })
    }

    /// The new number of a node.
    fn number(&self, node: u32) -> Option<u32> {
        let part = self.parts(NodeRange::one(node)).next();
        part.map(|part| part.first)
    }

    fn list(&self, list: &[NodeRange]) -> Vec<NodeRange> {
        let mut kept = Vec::new();
        for part in list.iter().flat_map(|&nodes| self.parts(nodes)) {
            push_joined(&mut kept, part);
        }
        kept
    }

    /// Ranges with a value each.
    fn valued<T: Clone>(&self, list: &[(NodeRange, T)]) -> Vec<(NodeRange, T)> {
        let parts = list
            .iter()
            .flat_map(|(nodes, value)| self.parts(*nodes).map(move |part| (part, value.clone())));
        parts.collect()
    }

    fn states(&self, runs: &StateRuns) -> StateRuns {
        let mut kept = StateRuns::default();
        let parts = self.ranges.iter().flat_map(|&nodes| runs.within(nodes));
        parts.for_each(|(nodes, state)| kept.push(nodes.count, state));
        kept
    }

    fn named(&self, named: &Named) -> Named {
        Named {
            list: self.list(&named.list),
            mentions: self.list(&named.mentions),
            claims: named.claims.as_deref().map(|claims| self.valued(claims)),
            fixed: named.fixed,
        }
    }

    fn placed(&self, placed: &mut Placed) {
        for run in &mut placed.runs {
            // All nodes of a run have processes, so the run stays in one piece.
            run.nodes.first = self.number(run.nodes.first).unwrap_or(run.nodes.first);
        }
        if let RankOrder::Listed(listed) = &mut placed.order {
            for run in listed {
                let node = self.number(run.node).unwrap_or(run.node);
                *run = ListedRun { node, ..*run };
            }
        }
        if let Some(passes) = &mut placed.passes {
            let parts = passes.iter().flat_map(|pass| {
                let of = |nodes| PassRun {
                    nodes,
                    ends: pass.ends.clone(),
                };
                self.parts(pass.nodes).map(of)
            });
            *passes = parts.collect();
        }
        if let Claim::Of(named, lowered) = &mut placed.claimed.0 {
            *named = Arc::new(self.named(named));
            *lowered = self.valued(lowered);
        }
    }

    fn gpus(&self, given: &GivenGpus) -> GivenGpus {
        let mut given = given.clone();
        given.nodes = self.valued(&given.nodes);
        for lack in &mut given.lacks.apps {
            lack.node = lack.node.and_then(|node| self.number(node));
        }
        given
    }
}

impl Plan {
    /// Nodes that have processes: ascending ranges with gaps between them. Cost: a sort of the placed runs.
    #[must_use]
    pub fn nodes_with_processes(&self) -> Vec<NodeRange> {
        let runs = self.apps.iter().flat_map(|app| app.runs());
        let mut placed: Vec<NodeRange> = runs.map(|run| run.nodes).collect();
        placed.sort_unstable_by_key(|nodes| nodes.first);
        let mut ranges: Vec<NodeRange> = Vec::new();
        for nodes in placed {
            match ranges.last_mut() {
                Some(last) if nodes.first <= last.end() => {
                    *last = NodeRange::until(last.first, last.end().max(nodes.end()));
                }
                Some(_) | None => ranges.push(nodes),
            }
        }
        ranges
    }

    /// The same places on other hosts: the i-th of the nodes that are carried has the i-th name. Files that list places name the
    /// new hosts too, so that the job of the plan can be placed again.
    ///
    /// # Errors
    /// A [`HostCount`] if there are not as many hosts as nodes.
    ///
    /// Cost: the names in files; if nodes leave the plan, also the placed runs.
    pub fn onto(mut self, carried: Carried, names: Names) -> Result<Self, HostCount> {
        let kept = match carried {
            Carried::All => None,
            Carried::WithProcesses => Some(Kept::new(self.nodes_with_processes())),
        };
        let all = self.world.names.len();
        let nodes = kept.as_ref().map_or(all, Kept::count);
        if names.len() != nodes {
            let hosts = names.len();
            return Err(HostCount { hosts, nodes });
        }
        let moved = |node: NodeId| match &kept {
            None => Some(node),
            Some(kept) => Some(NodeId::from_row(kept.number(node.number())? as usize)),
        };
        for listing in self.table.listings.ids() {
            let own = &mut self.table.listings[listing].names;
            for id in own.ids() {
                if let Some(node) = self.world.names.find_name(&own[id]).and_then(moved) {
                    own[id] = names.name(node);
                }
            }
        }
        let local = self.world.local.and_then(moved);
        let Some(kept) = kept.filter(|kept| kept.count() < all) else {
            self.world.names = names;
            return Ok(self);
        };
        let world = World {
            names,
            before: kept.states(&self.world.before),
            after: kept.states(&self.world.after),
            local,
            ..self.world
        };
        let mut placed: Vec<Placed> = self.apps.into_iter().map(|app| app.placed).collect();
        placed.iter_mut().for_each(|app| kept.placed(app));
        let told = self.told.map(|told| Arc::new(kept.gpus(&told)));
        Ok(Self {
            told,
            ..Self::assemble(world, self.table, self.patterns, placed)
        })
    }
}
