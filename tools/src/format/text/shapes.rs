//! Shapes of nodes: all nodes on which a job looks the same, wherever they are in the pool.
//!
//! `page.rs` lays out the page that shows them, `table.rs` their rows.

use crate::format::spread::{self, AppRun};
use std::collections::HashMap;
use stowplan_engine::plan::{PlacedRun, Plan};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::names::{NodeRange, push_joined};
use stowplan_engine::table::patterns::{PatternId, Patterns, Place};
use stowplan_engine::table::pusets::PuSetId;
use stowplan_engine::table::topologies::{Topologies, TopologyId};

/// Nodes that look the same.
pub(super) struct Shape {
    pub(super) topology: TopologyId,
    pub(super) allowed: PuSetId,
    /// The run on the first node of each app that is there, by ascending app.
    pub(super) runs: Vec<AppRun>,
    /// Its nodes, as ranges in node order.
    pub(super) nodes: Vec<NodeRange>,
    /// The number of nodes.
    pub(super) count: u64,
    /// The number of processes on each node.
    pub(super) procs: u64,
}

/// Nodes look the same if these are equal.
type Looks = (TopologyId, PuSetId, Vec<(AppId, u32, PatternId)>);

/// The shapes of a plan, in the order of their first nodes.
pub(super) fn shapes(plan: &Plan) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    let mut known: HashMap<Looks, usize> = HashMap::new();
    for stretch in spread::stretches(plan) {
        let state = plan.world().states.get(stretch.state);
        let looks = |at: &AppRun| {
            let run = at.of(plan);
            (at.app, run.procs, run.pattern)
        };
        let key = (
            state.topology,
            state.allowed,
            stretch.runs.iter().map(looks).collect(),
        );
        let at = *known.entry(key).or_insert_with(|| {
            shapes.push(Shape {
                topology: state.topology,
                allowed: state.allowed,
                procs: stretch
                    .runs
                    .iter()
                    .map(|run| u64::from(run.of(plan).procs))
                    .sum(),
                runs: stretch.runs.clone(),
                nodes: Vec::new(),
                count: 0,
            });
            shapes.len() - 1
        });
        shapes[at].count += u64::from(stretch.nodes.count);
        push_joined(&mut shapes[at].nodes, stretch.nodes);
    }
    shapes
}

/// How many processes of a run get each place on one of its nodes. Cost: the pattern, no matter how often it repeats.
pub(super) fn places<'p>(
    run: &PlacedRun,
    patterns: &'p Patterns,
) -> impl Iterator<Item = (Place, u64)> + 'p {
    let pattern = patterns.get(run.pattern);
    let procs = run.procs;
    pattern
        .segments()
        .iter()
        .enumerate()
        .flat_map(move |(at, segment)| {
            let all = u64::from(procs.saturating_sub(pattern.start(at)).min(segment.procs));
            let sum = |runs: &[stowplan_engine::table::patterns::PlaceRun]| {
                runs.iter().map(|run| u64::from(run.count)).sum::<u64>()
            };
            let cycle = segment
                .cycle
                .map_or(segment.runs.len(), |cycle| cycle as usize);
            let (lead, round) = (sum(&segment.runs[..cycle]), sum(&segment.runs[cycle..]));
            let behind = all.saturating_sub(lead);
            let (rounds, rest) = (
                behind.checked_div(round).unwrap_or(0),
                behind.checked_rem(round).unwrap_or(0),
            );
            let mut left_lead = all.min(lead);
            let mut left_rest = rest;
            segment.runs.iter().enumerate().map(move |(row, run)| {
                let own = u64::from(run.count);
                let left = if row < cycle {
                    &mut left_lead
                } else {
                    &mut left_rest
                };
                let part = own.min(*left);
                *left -= part;
                let whole = if row < cycle { 0 } else { rounds * own };
                (run.place, part + whole)
            })
        })
        .filter(|&(_, count)| count > 0)
}

/// The object of a kind that each logical PU is in.
pub(super) fn level(
    topologies: &Topologies,
    topology: TopologyId,
    kind: ObjKind,
) -> Vec<Option<u32>> {
    let mut of_pu = vec![None; topologies.pus_os(topology).len()];
    for (object, number) in topologies.objects(topology, kind).zip(0..) {
        for &(first, end) in topologies.ranges(object) {
            // The innermost memory node comes first in logical order.
            for pu in &mut of_pu[first as usize..end as usize] {
                pu.get_or_insert(number);
            }
        }
    }
    of_pu
}
