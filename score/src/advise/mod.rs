//! Which placement is good for a pattern: policies and orders tried, counted, ranked by what leaves the node.

// Lists of neighbours.
pub mod graph;
// Exchanges of ranks.
pub mod search;
// Orders of a grid.
mod candidates;

use crate::count;
use crate::error::{ScoreError, bad_pattern};
use crate::level::Objects;
use crate::limit::{ANSWERS_MAX, SEARCH_EDGES_MAX, SEARCH_STEPS};
use crate::matrix::Unit;
use crate::order::Order;
use crate::pattern::{Grid, Part, Pattern};
use crate::score::{AppRanks, Matrices, Score, checked, score, unit_of};
use crate::weight::Weight;
use candidates::Tried;
use graph::Graph;
use rayon::prelude::*;
use search::{Search, grown};
use stowplan_engine::plan::Plan;

/// A way to place the job.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Where it puts the processes.
    pub plan: Plan,
    /// Whether ranks may be put in another order.
    pub reorder: Reorder,
}

/// Whether the ranks of a plan may be put in another order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reorder {
    /// They may.
    Yes,
    /// Several apps, or ranks that a file wrote.
    No,
}

/// The order of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Chosen {
    /// That of the policy.
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
    /// The rank of each place; empty for the policy's own order.
    pub ranks: Vec<u32>,
    /// All figures.
    pub score: Score,
}

/// All answers, the best first.
#[derive(Clone, Debug)]
pub struct Advice {
    /// At most [`ANSWERS_MAX`], by what leaves the node, then the worst node, then the levels below.
    pub answers: Vec<Answer>,
    /// How many policies and orders were counted.
    pub tried: usize,
}

/// Tries policies and orders. The first policy is the job as asked; it is always among the answers.
///
/// # Errors
/// `bad-pattern`, `job-too-large`.
///
/// Cost: a pass over the ranks for each order and policy, on all threads of the pool; local search takes a bounded number of
/// steps, and is left out beyond [`SEARCH_EDGES_MAX`] edges.
pub fn advise(
    policies: &[Policy],
    parts: &[Part],
    matrices: &dyn Matrices,
) -> Result<Advice, ScoreError> {
    let Some(asked) = policies.first() else {
        return Ok(Advice {
            answers: Vec::new(),
            tried: 0,
        });
    };
    let apps = checked(&asked.plan, parts)?;
    if let Some(other) = parts
        .iter()
        .find(|part| part.app != parts[0].app || matches!(part.pattern, Pattern::Between { .. }))
    {
        return bad_pattern(&other.word, "advice is for patterns of one app");
    }
    unit_of(parts, &apps, matrices)?;
    let counting = Counting::new(&asked.plan, parts, &apps, matrices)?;
    let mut tried: Vec<Counted> = policies
        .par_iter()
        .enumerate()
        .map(|(policy, own)| counting.policy(policy, &own.plan))
        .collect();
    for policy in distinct(policies) {
        tried.extend(counting.orders(policy, &policies[policy].plan));
    }
    let count = tried.len();
    let answers = ranked(policies, tried, parts, matrices)?;
    Ok(Advice {
        answers,
        tried: count,
    })
}

/// Policies whose places are to be given other ranks: one of each that fill nodes alike.
fn distinct(policies: &[Policy]) -> Vec<usize> {
    let mut known: Vec<Vec<u32>> = Vec::new();
    let mut found = Vec::new();
    for (at, policy) in policies.iter().enumerate() {
        if policy.reorder == Reorder::Yes {
            let before = places(&policy.plan);
            if !known.contains(&before) {
                known.push(before);
                found.push(at);
            }
        }
    }
    found
}

/// Places before each node, and all of them.
#[must_use]
pub fn places(plan: &Plan) -> Vec<u32> {
    let runs = plan.apps().iter().flat_map(|app| app.runs());
    let mut before = vec![0];
    let mut sum = 0;
    for run in runs {
        for _ in 0..run.nodes.count {
            sum += run.procs;
            before.push(sum);
        }
    }
    before
}

/// Something that was tried, and its figures at the node.
struct Counted {
    policy: usize,
    chosen: Chosen,
    ranks: Vec<u32>,
    leave: u64,
    worst: u64,
}

/// What is counted.
struct Counting<'c> {
    parts: &'c [Part],
    apps: &'c [AppRanks],
    /// Neighbours, where there is a matrix or the pattern is small enough to be searched.
    graph: Option<Graph>,
    matrix: bool,
}

impl<'c> Counting<'c> {
    fn new(
        plan: &Plan,
        parts: &'c [Part],
        apps: &'c [AppRanks],
        matrices: &dyn Matrices,
    ) -> Result<Self, ScoreError> {
        let matrix = parts.iter().any(|part| part.pattern.is_file());
        let edges: u64 = parts.iter().map(|part| count::edges(part, apps)).sum();
        let procs = plan.apps()[parts[0].app as usize].procs().0;
        let graph = if matrix || edges <= SEARCH_EDGES_MAX {
            Some(Graph::of(parts, apps, procs, matrices)?)
        } else {
            None
        };
        Ok(Self {
            parts,
            apps,
            graph,
            matrix,
        })
    }

    /// What leaves the nodes, and the most of one. `nodes`: of each rank of the job.
    fn figures(&self, nodes: &Objects) -> (u64, u64) {
        let positive = |sum: i64| u64::try_from(sum).unwrap_or(0);
        let out: Vec<u64> = match &self.graph {
            Some(graph) if self.matrix => {
                let own = &nodes.of_rank[self.apps[self.parts[0].app as usize].clone()];
                graph
                    .leaving(own, nodes.count)
                    .into_iter()
                    .map(positive)
                    .collect()
            }
            _ => {
                let mut out = vec![0; nodes.count as usize];
                for part in self.parts {
                    count::add(part, self.apps, nodes, &mut out);
                }
                out
            }
        };
        (out.iter().sum(), out.iter().max().copied().unwrap_or(0))
    }

    fn policy(&self, policy: usize, plan: &Plan) -> Counted {
        let table = plan.expand();
        let mut nodes = Objects::default();
        let mut known = std::collections::HashMap::new();
        nodes.of_rank.reserve_exact(plan.ranks() as usize);
        let mut last = None;
        for rank in (0..plan.ranks()).map(stowplan_engine::count::Rank) {
            let node = table.node(rank);
            let number = match last {
                Some((other, number)) if other == node => number,
                _ => {
                    let next = nodes.count;
                    let number = *known.entry(node).or_insert(next);
                    nodes.count += u32::from(number == next);
                    number
                }
            };
            last = Some((node, number));
            nodes.of_rank.push(number);
        }
        let (leave, worst) = self.figures(&nodes);
        Counted {
            policy,
            chosen: Chosen::Own,
            ranks: Vec::new(),
            leave,
            worst,
        }
    }

    /// The orders of a policy's places, and what local search makes of the best.
    fn orders(&self, policy: usize, plan: &Plan) -> Vec<Counted> {
        let before = places(plan);
        let procs = plan.ranks();
        let per_node = before
            .windows(2)
            .map(|own| own[1] - own[0])
            .max()
            .unwrap_or(0);
        let mut tried = Vec::new();
        for (grid, halo) in self.grids(procs) {
            tried.extend(candidates::on_grid(&grid, halo.as_ref(), per_node));
        }
        if let Some(graph) = &self.graph {
            tried.push(Tried::Found(grown(graph, &before)));
        }
        let figures: Vec<(u64, u64)> = tried
            .par_iter()
            .map(|order| self.ordered(&order.ranks(procs, per_node), &before))
            .collect();
        let own: Vec<u32> = (0..procs).collect();
        // What is found otherwise may not load one node more than the best that is known.
        let published = tried
            .iter()
            .zip(&figures)
            .filter(|(order, _)| order.is_published());
        let known = published.map(|(_, figures)| *figures).min();
        let fits = |figures: &(u64, u64)| known.is_none_or(|known| figures.1 <= known.1);
        let mut starts: Vec<usize> = (0..tried.len()).collect();
        starts.sort_by_key(|&at| (!fits(&figures[at]), figures[at]));
        starts.truncate(STARTS);
        let worst = known.map(|known| known.1);
        let mut searched: Vec<Vec<u32>> = starts
            .par_iter()
            .map(|&at| self.searched(tried[at].ranks(procs, per_node), &before, worst))
            .collect();
        if tried.is_empty() {
            searched.push(self.searched(own, &before, worst));
        }
        let best = searched
            .into_iter()
            .map(|ranks| (self.ordered(&ranks, &before), ranks))
            .filter(|(figures, _)| fits(figures))
            .min();
        let mut counted: Vec<Counted> = Vec::new();
        for (order, (leave, worst)) in tried.into_iter().zip(figures) {
            if let Tried::Named(order) = order {
                counted.push(Counted {
                    policy,
                    chosen: Chosen::Named(order),
                    ranks: Vec::new(),
                    leave,
                    worst,
                });
            }
        }
        let named = counted.iter().map(|own| (own.leave, own.worst)).min();
        if let Some(((leave, worst), ranks)) = best
            && named.is_none_or(|named| (leave, worst) < named)
        {
            counted.push(Counted {
                policy,
                chosen: Chosen::Search,
                ranks,
                leave,
                worst,
            });
        }
        counted
    }

    /// The grids of the patterns.
    fn grids(&self, procs: u32) -> Vec<(Grid, Option<crate::pattern::Halo>)> {
        let mut grids: Vec<(Grid, Option<crate::pattern::Halo>)> = Vec::new();
        for part in self.parts {
            let found = match (&part.pattern, part.pattern.halo(procs)) {
                (_, Some(halo)) => (halo.grid.clone(), Some(halo)),
                (Pattern::Transpose { rows, columns }, None) => {
                    let sizes = vec![*rows, *columns];
                    (Grid { sizes }, None)
                }
                _ => continue,
            };
            if procs > 0 && !grids.iter().any(|(grid, _)| *grid == found.0) {
                grids.push(found);
            }
        }
        grids
    }

    /// Figures of an order.
    fn ordered(&self, ranks: &[u32], before: &[u32]) -> (u64, u64) {
        let mut nodes = Objects {
            of_rank: vec![0; ranks.len()],
            count: u32::try_from(before.len() - 1).unwrap_or(u32::MAX),
        };
        for (node, own) in (0..).zip(before.windows(2)) {
            for &rank in &ranks[own[0] as usize..own[1] as usize] {
                nodes.of_rank[rank as usize] = node;
            }
        }
        self.figures(&nodes)
    }

    /// What local search makes of an order.
    fn searched(&self, ranks: Vec<u32>, before: &[u32], worst: Option<u64>) -> Vec<u32> {
        let Some(graph) = &self.graph else {
            return ranks;
        };
        let search = Search::from(graph, before, ranks);
        let own = search.figures().1;
        let worst = worst.map_or(own, |worst| i64::try_from(worst).unwrap_or(i64::MAX));
        search.improve(worst, SEARCH_STEPS)
    }
}

/// Orders that local search starts from.
const STARTS: usize = 8;

/// The best, with all figures; the job as asked among them.
fn ranked(
    policies: &[Policy],
    mut tried: Vec<Counted>,
    parts: &[Part],
    matrices: &dyn Matrices,
) -> Result<Vec<Answer>, ScoreError> {
    let asked = |own: &Counted| own.policy == 0 && own.chosen == Chosen::Own;
    let mut order: Vec<usize> = (0..tried.len()).collect();
    order.sort_by_key(|&at| (tried[at].leave, tried[at].worst, !asked(&tried[at]), at));
    // Policies that do the same are told once: the first of them.
    let mut answers: Vec<Answer> = Vec::new();
    let mut full = 0;
    for at in order {
        let own = &mut tried[at];
        let is_asked = asked(own);
        if !is_asked && (full >= 2 * ANSWERS_MAX || answers.len() >= ANSWERS_MAX + 8) {
            continue;
        }
        full += 1;
        let answer = answer(policies, own, parts, matrices)?;
        let known = answers.iter().any(|other| {
            other.score.levels == answer.score.levels
                && matches!((&other.chosen, &answer.chosen), (Chosen::Own, Chosen::Own))
        });
        if is_asked || !known {
            answers.push(answer);
        }
    }
    let is_asked = |answer: &Answer| answer.policy == 0 && answer.chosen == Chosen::Own;
    answers.sort_by_key(|answer| {
        let levels = answer.score.levels.iter();
        let figures: Vec<(Weight, Weight)> =
            levels.map(|level| (level.leave, level.worst)).collect();
        (figures, !is_asked(answer))
    });
    if let Some(at) = answers
        .iter()
        .position(is_asked)
        .filter(|&at| at >= ANSWERS_MAX)
    {
        answers.swap(ANSWERS_MAX - 1, at);
    }
    answers.truncate(ANSWERS_MAX);
    Ok(answers)
}

fn answer(
    policies: &[Policy],
    own: &mut Counted,
    parts: &[Part],
    matrices: &dyn Matrices,
) -> Result<Answer, ScoreError> {
    let plan = &policies[own.policy].plan;
    let ranks = match &own.chosen {
        Chosen::Own => Vec::new(),
        Chosen::Search => std::mem::take(&mut own.ranks),
        Chosen::Named(order) => {
            let before = places(plan);
            let per_node = before
                .windows(2)
                .map(|own| own[1] - own[0])
                .max()
                .unwrap_or(0);
            Tried::Named(order.clone()).ranks(plan.ranks(), per_node)
        }
    };
    let score = if ranks.is_empty() {
        score(plan, parts, matrices)?
    } else {
        let refused = |error: stowplan_engine::plan::BadOrder| ScoreError::Order {
            order: "search".to_owned(),
            why: error.to_string(),
        };
        score(
            &plan.clone().reordered(&ranks).map_err(refused)?,
            parts,
            matrices,
        )?
    };
    Ok(Answer {
        policy: own.policy,
        chosen: own.chosen.clone(),
        ranks,
        score,
    })
}

/// What the answers count.
#[must_use]
pub fn unit(advice: &Advice) -> Unit {
    advice
        .answers
        .first()
        .map_or(Unit::Edges, |answer| answer.score.unit)
}
