//! Which placement is good for a pattern: tries policies and orders, counts them, and ranks them by the traffic that leaves nodes.

// Lists of neighbours.
pub mod graph;
// Exchanges of ranks.
pub mod search;
// Orders of a grid.
mod grid_orders;
// What is tried, counted at the node.
mod counting;
// The best of it, with all figures.
mod ranked;
// Orders for the levels above the nodes.
pub mod above;
// Advice for a job on a network.
pub mod on_network;

use crate::score::column::Order as Seating;
use crate::score::error::ScoreError;
use crate::score::figures::{Matrices, NoMatrices, Score, checked};
use crate::score::limit::KNOWN_EDGES_MAX;
use crate::score::network::OnNetwork;
use crate::score::order::Order;
use crate::score::pattern::Part;
use crate::score::talks;
use crate::score::tree::places;
use crate::score::weight::Weight;
use counting::{Counted, Counting};
use grid_orders::Tried;
use rayon::prelude::*;
use std::sync::Arc;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{PlacedRun, Plan};

/// A way to place the job.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Where it puts the processes.
    pub plan: Plan,
    /// Whether ranks may be put in another order.
    pub reorder: Reorder,
    /// The network with the nodes of the plan, and in which order it takes them; for all policies of a job, or for none.
    pub on: Option<(Arc<OnNetwork>, Nodes)>,
}

impl Policy {
    /// The network with the nodes of the plan.
    fn network(&self) -> Option<&OnNetwork> {
        self.on.as_ref().map(|(on, _)| &**on)
    }
}

/// In which order a policy takes nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nodes {
    /// As the job has them.
    Asked,
    /// By the network, where the job has another order.
    Network,
}

/// Whether the ranks of a plan may be put in another order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reorder {
    /// They may.
    Yes,
    /// They may not: there are several apps, or a file gave the ranks.
    No,
}

/// The order of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Chosen {
    /// The order of the policy.
    Own,
    /// One that has a word.
    Named(Order),
    /// What local search found.
    Search,
}

/// A way to place the job, and what it costs.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Which policy.
    pub policy: usize,
    /// The order of its ranks.
    pub chosen: Chosen,
    /// All figures.
    pub score: Score,
    /// The rank of each place, if local search found it.
    found: Vec<u32>,
}

impl Answer {
    /// The rank of each place. `plan`: the plan of its policy, with one app. Cost: the ranks.
    #[must_use]
    pub fn ranks(&self, plan: &Plan) -> Vec<u32> {
        match &self.chosen {
            Chosen::Search | Chosen::Named(_) => ranks_of(&self.chosen, &self.found, plan),
            Chosen::Own => {
                let mut ranks = vec![0; plan.ranks() as usize];
                let mut sum = 0;
                let mut before = |run: &PlacedRun| {
                    let own = (sum, run.procs);
                    sum += run.nodes.count * run.procs;
                    own
                };
                let runs = plan.apps().iter().map(|app| app.runs().iter());
                let runs: Vec<Vec<(u32, u32)>> =
                    runs.map(|runs| runs.map(&mut before).collect()).collect();
                for (rank, at) in plan.rows() {
                    let (first, procs) = runs[at.app.row()][at.run as usize];
                    ranks[(first + at.node * procs + at.local) as usize] = rank.0;
                }
                ranks
            }
        }
    }

    /// Whether it is the job as asked.
    fn is_asked(&self) -> bool {
        self.policy == 0 && self.chosen == Chosen::Own
    }
}

/// The rank of each place of an order that was found or has a word.
fn ranks_of(chosen: &Chosen, found: &[u32], plan: &Plan) -> Vec<u32> {
    match chosen {
        Chosen::Named(order) if found.is_empty() => {
            Tried::Named(order.clone()).ranks(plan.ranks(), fullest(plan))
        }
        Chosen::Named(_) | Chosen::Own | Chosen::Search => found.to_vec(),
    }
}

/// All answers, the best first.
#[derive(Clone, Debug, Default)]
pub struct Advice {
    /// At most `ANSWERS_MAX`, by what leaves the node, then the worst node, then the levels below.
    pub answers: Vec<Answer>,
    /// How many policies and orders were counted.
    pub tried: usize,
    /// On a network of groups, the first answer, from 1, whose busiest pair carries at most 0.8 of the first one's.
    pub lighter_pair: Option<usize>,
}

/// Tries policies and orders. The first policy is the job as asked; it is always among the answers.
///
/// # Errors
/// `bad-pattern`, `job-too-large`.
///
/// Cost: a pass over the ranks for each order and policy, on all threads of the pool; local search takes a bounded number of
/// steps, and is left out beyond `SEARCH_EDGES_MAX` edges.
pub fn advise(
    policies: &[Policy],
    parts: &[Part],
    matrices: &dyn Matrices,
) -> Result<Advice, ScoreError> {
    if policies.is_empty() {
        return Ok(Advice::default());
    }
    let counting = Counting::new(policies, parts, matrices)?;
    let (found, tried) = gathered(&counting, policies)?;
    Ok(Advice {
        answers: counting.ranked(policies, found, matrices)?,
        tried,
        lighter_pair: None,
    })
}

/// What is worth an answer, counted at the node, and how much was tried.
fn gathered(
    counting: &Counting<'_>,
    policies: &[Policy],
) -> Result<(Vec<Counted>, usize), ScoreError> {
    let mut tried: Vec<Counted> = policies
        .par_iter()
        .enumerate()
        .map(|(policy, own)| counting.policy(policy, &own.plan))
        .collect::<Result<_, _>>()?;
    let (mut count, mut known) = (tried.len(), None);
    for policy in distinct(policies, |_| true) {
        let own = counting.orders(policy, &policies[policy].plan)?;
        count += own.tried;
        tried.extend(own.counted);
        known = known.into_iter().chain(own.published).min();
    }
    // An order is no advice if less leaves in all, but more leaves one node than with the best published order.
    tried.retain(|own| {
        own.is_asked()
            || known.is_none_or(|(leave, worst)| own.leave >= leave || own.worst <= worst)
    });
    Ok((tried, count))
}

/// The least that is known to leave the nodes of a plan in any order of its ranks, and the most that then leaves one node. These
/// are the figures of the first answer of advice without other policies. `None`: there is too much to look at beside other work,
/// or no order to try.
///
/// Cost: that of [`advise`] for one policy, of at most [`KNOWN_EDGES_MAX`] edges.
#[must_use]
pub fn best_known(policy: &Policy, parts: &[Part]) -> Option<(Weight, Weight)> {
    let apps = checked(&policy.plan, parts).ok()?;
    let edges: u64 = parts.iter().map(|part| talks::edges(part, &apps)).sum();
    let named = parts.iter().all(|part| !part.pattern.is_file());
    if !named || edges > KNOWN_EDGES_MAX || policy.reorder == Reorder::No {
        return None;
    }
    let found = advise(std::slice::from_ref(policy), parts, &NoMatrices).ok()?;
    let node = found.answers.first()?.score.levels.first()?;
    Some((node.leave, node.worst))
}

/// The policies that qualify and whose ranks may be put in other orders. Of policies that fill nodes alike, only the first is taken.
fn distinct(
    policies: &[Policy],
    qualifies: impl Fn(&Policy) -> bool,
) -> impl Iterator<Item = usize> {
    let mut known: Vec<Vec<u32>> = Vec::new();
    let all = policies.iter().enumerate();
    all.filter_map(move |(at, policy)| {
        if policy.reorder == Reorder::No || !qualifies(policy) {
            return None;
        }
        let before = places(&policy.plan);
        let first = !known.contains(&before);
        first.then(|| {
            known.push(before);
            at
        })
    })
}

/// The rank of each place of the one app with processes.
fn seats<'r>(plan: &Plan, ranks: &'r [u32]) -> Vec<Seating<'r>> {
    let of_app = |app: &stowplan_engine::plan::AppPlan| match app.procs().0 {
        0 => Seating::Places,
        _ => Seating::RankOf(ranks),
    };
    plan.apps().iter().map(of_app).collect()
}

/// The most processes on a node.
fn fullest(plan: &Plan) -> u32 {
    let runs = plan.apps().iter().flat_map(|app| app.runs());
    runs.map(|run| run.procs).max().unwrap_or(0)
}
