//! Nodes that stay in a plan while the others leave it: what is said of nodes by number, by their new numbers.

use super::claimed::{Claim, Named};
use super::gpus::given::GivenGpus;
use super::nics::MappedNics;
use super::placed::{ListedRun, PassRun, Placed, RankOrder};
use crate::table::names::{NodeRange, push_joined};
use crate::table::states::StateRuns;
use std::sync::Arc;

/// Ranges in any order, as ascending ranges with gaps between them. Cost: a sort.
pub(crate) fn joined(mut parts: Vec<NodeRange>) -> Vec<NodeRange> {
    parts.sort_unstable_by_key(|nodes| nodes.first);
    let mut ranges: Vec<NodeRange> = Vec::new();
    for nodes in parts {
        match ranges.last_mut() {
            Some(last) if nodes.first <= last.end() => {
                *last = NodeRange::until(last.first, last.end().max(nodes.end()));
            }
            Some(_) | None => ranges.push(nodes),
        }
    }
    ranges
}

/// The nodes that stay, and where they are afterwards.
pub(crate) struct Kept {
    /// Ascending, with gaps between them.
    ranges: Vec<NodeRange>,
    /// Nodes that stay before each range. Shape `[ranges]`.
    before: Vec<u32>,
}

impl Kept {
    pub(crate) fn new(ranges: Vec<NodeRange>) -> Self {
        let before = ranges.iter().scan(0, |sum, nodes| {
            let before = *sum;
            *sum += nodes.count;
            Some(before)
        });
        let before = before.collect();
        Self { ranges, before }
    }

    pub(crate) fn ranges(&self) -> &[NodeRange] {
        &self.ranges
    }

    pub(crate) fn count(&self) -> u32 {
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
    pub(crate) fn number(&self, node: u32) -> Option<u32> {
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

    pub(crate) fn states(&self, runs: &StateRuns) -> StateRuns {
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

    pub(crate) fn placed(&self, placed: &mut Placed) {
        for run in &mut placed.runs {
            // All nodes of a run have processes, so the run stays in one piece.
            run.nodes.first = self.number(run.nodes.first).unwrap_or(run.nodes.first);
        }
        // Nodes between them may have left.
        placed.runs.dedup_by(|run, last| last.join(run));
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

    pub(super) fn nics(&self, nics: MappedNics) -> MappedNics {
        MappedNics {
            nodes: self.valued(&nics.nodes),
            ..nics
        }
    }

    pub(super) fn gpus(&self, given: &GivenGpus) -> GivenGpus {
        let mut given = given.clone();
        given.nodes = self.valued(&given.nodes);
        for lack in &mut given.lacks.apps {
            lack.node = lack.node.and_then(|node| self.number(node));
        }
        given
    }
}
