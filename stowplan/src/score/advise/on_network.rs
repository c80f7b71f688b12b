//! Advice for a job on a network: never more leaves nodes than without one, unless that is asked for, and as little as possible leaves
//! nodes and levels together.

use super::above::{From, of_grid, searched};
use super::counting::{Counted, Counting};
use super::grid_orders::{Words, words_of};
use super::ranked::{front, once, shown};
use super::{Advice, Answer, Chosen, Nodes, Policy, advise, distinct, gathered, ranks_of, seats};
use crate::score::above::Above;
use crate::score::above::objects::Objects;
use crate::score::column::Order as Seating;
use crate::score::error::ScoreError;
use crate::score::figures::Matrices;
use crate::score::network::{Kind, OnNetwork};
use crate::score::order::Order;
use crate::score::order::planes::{First, planes};
use crate::score::pattern::Part;
use crate::score::places::Places;
use crate::score::tree::Tree;
use crate::score::tree::places;
use crate::score::weight::Weight;
use rayon::prelude::*;
use stowplan_engine::plan::Plan;

/// Orders of today's advice from which is searched.
const STARTS: usize = 6;
/// Ways to fill nodes that are looked at.
const FILLS: usize = 2;
/// Found orders that are kept, by the sum and by the sum among those that leave nodes as little as without a network.
const KEPT: usize = 6;
/// What is to be least.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum By {
    /// The sum, among answers that leave nodes no more than advice without a network.
    Default,
    /// The sum over nodes and levels.
    Sum,
    /// What leaves a level, from the top; then the sum.
    Level(usize),
    /// The busiest pair of the top level; then the sum.
    Pair,
    /// J of these distances; then the sum.
    J(Vec<u32>),
}

/// Tries policies and orders. The first policy is the job as asked. Without a network: [`advise`].
///
/// # Errors
/// `bad-pattern`, `job-too-large`.
///
/// Cost: that of advice without a network, and bounded searches.
pub fn advise_on(
    policies: &[Policy],
    parts: &[Part],
    by: &By,
    matrices: &dyn Matrices,
) -> Result<Advice, ScoreError> {
    let Some(network) = policies.first().and_then(Policy::network) else {
        return advise(policies, parts, matrices);
    };
    let counting = Counting::new(policies, parts, matrices)?;
    let is_asked = |policy: &&Policy| matches!(policy.on, Some((_, Nodes::Asked)));
    let own = policies.iter().take_while(is_asked).count();
    let (mut tried, mut count) = gathered(&counting, &policies[..own])?;
    tried.sort_by_key(|own| (own.leave, own.worst));
    let limit = tried.first().map_or(u64::MAX, |own| own.leave);
    let mut found = Vec::new();
    let in_order = |policy: &Policy| policy.network().is_some_and(OnNetwork::is_in_order);
    let ordered = distinct(policies, in_order).take(FILLS);
    for (at, on) in ordered.filter_map(|at| Some((at, policies[at].network()?))) {
        let more = of_policy(&counting, policies, (at, on), &tried, limit)?;
        count += more.len();
        found.extend(more);
    }
    let mut answers = counting.answers(policies, front(tried), matrices, Policy::network)?;
    let most = answers
        .iter()
        .map(|answer| answer.score.levels[0].leave)
        .min();
    answers.extend(counting.answers(policies, found, matrices, Policy::network)?);
    let answers = sorted(answers, by, most.unwrap_or_default());
    let lighter_pair = lighter(&answers, network.network().kind());
    Ok(Advice {
        answers,
        tried: count,
        lighter_pair,
    })
}

/// The best orders of today's advice for places such as a plan has, as the rank of each place.
fn starts(policies: &[Policy], plan: &Plan, tried: &[Counted]) -> Vec<Vec<u32>> {
    let procs = plan.ranks();
    let before = places(plan);
    let alike =
        |own: &&Counted| own.chosen != Chosen::Own && places(&policies[own.policy].plan) == before;
    tried
        .iter()
        .filter(alike)
        .take(STARTS)
        .map(|own| ranks_of(&own.chosen, &own.ranks, plan))
        .filter(|ranks| ranks.len() == procs as usize)
        .collect()
}

/// The best orders for a policy's places.
fn of_policy(
    counting: &Counting<'_>,
    policies: &[Policy],
    (policy, on): (usize, &OnNetwork),
    tried: &[Counted],
    limit: u64,
) -> Result<Vec<Counted>, ScoreError> {
    let plan = &policies[policy].plan;
    let procs = plan.ranks();
    let tree = Tree::of(plan, Some(on));
    let own_places = Places::of(plan)?;
    let mut starts = starts(policies, plan, tried);
    let grids = counting.grids(procs);
    let mut orders: Vec<(Chosen, Vec<u32>)> = Vec::new();
    for (grid, halo) in &grids {
        for ranks in of_grid(grid, halo.as_ref(), &tree) {
            orders.push((Chosen::Search, ranks));
        }
    }
    starts.extend(orders.iter().map(|own| own.1.clone()));
    let from = if grids.is_empty() {
        From::Graph
    } else {
        From::Grids
    };
    if let Some(graph) = &counting.graph {
        orders.extend(
            searched(graph, &tree, &starts, from)
                .into_iter()
                .map(|ranks| (Chosen::Search, ranks)),
        );
    } else {
        orders.extend(starts.drain(..).map(|ranks| (Chosen::Search, ranks)));
    }
    if words_of(&grids) == Words::Same {
        // Planes have a word, if the pattern is the one that the word stands for.
        for (grid, _) in &grids {
            if let Ok(ranks) = planes(grid, None, &tree, First::Sum) {
                orders.retain(|own| own.1 != ranks);
                orders.push((Chosen::Named(Order::Planes(grid.clone())), ranks));
            }
        }
    }
    orders.sort_by(|a, b| a.1.cmp(&b.1));
    orders.dedup_by(|a, b| a.1 == b.1);
    let mut counted: Vec<(u64, Counted)> = orders
        .into_par_iter()
        .map(|(chosen, ranks)| {
            let seated = seats(plan, &ranks);
            let (leave, worst) = counting.ordered(&own_places, &ranks);
            let sum = leave + counting.above(&own_places, on, &seated);
            (
                sum,
                Counted {
                    policy,
                    chosen,
                    ranks,
                    leave,
                    worst,
                },
            )
        })
        .collect();
    counted.sort_by_key(|(sum, own)| (*sum, own.leave, own.worst));
    let (mut any, mut within) = (0, 0);
    counted.retain(|(_, own)| {
        any += 1;
        within += usize::from(own.leave <= limit);
        any <= KEPT || (own.leave <= limit && within <= KEPT)
    });
    Ok(counted.into_iter().map(|own| own.1).collect())
}

impl Counting<'_> {
    /// What leaves the levels of a network, in the units of the graph if there is a matrix.
    fn above(&self, places: &Places<'_>, on: &OnNetwork, orders: &[Seating<'_>]) -> u64 {
        let levels = on.network().levels().iter();
        let objects = levels.map(|level| Objects::level(places, on, level));
        objects
            .map(|own| self.figures(places, orders, &own.numbers).0)
            .sum()
    }
}

/// The answers, the best first, with the job as asked among them.
fn sorted(answers: Vec<Answer>, by: &By, most: Weight) -> Vec<Answer> {
    let key = |answer: &Answer| {
        (
            key(answer, by),
            !answer.is_asked(),
            answer.chosen == Chosen::Search,
            answer.policy,
        )
    };
    let same = |other: &Answer, answer: &Answer| {
        other.score.levels == answer.score.levels
            && other.score.above == answer.score.above
            && (other.chosen == Chosen::Own) == (answer.chosen == Chosen::Own)
    };
    let mut kept = once(answers, key, same);
    if *by == By::Default {
        let within = |answer: &Answer| answer.score.levels[0].leave <= most;
        if let Some(first) = kept.iter().position(within) {
            let best = kept.remove(first);
            kept.insert(0, best);
        }
    }
    shown(kept)
}

/// What answers are sorted by: what was asked for, the sum, what leaves from the top, the worst from the top.
fn key(answer: &Answer, by: &By) -> Vec<Weight> {
    let Some(above) = &answer.score.above else {
        return Vec::new();
    };
    let first = match by {
        By::Default | By::Sum => above.sum(),
        By::Level(level) => above
            .levels
            .get(*level)
            .map_or(above.node, |level| level.leave),
        By::Pair => above
            .levels
            .first()
            .map(|level| level.pair)
            .unwrap_or_default(),
        By::J(distances) => above.j(distances, answer.score.edges),
    };
    let mut key = vec![first, above.sum()];
    key.extend(above.levels.iter().map(|level| level.leave));
    key.extend(above.levels.iter().map(|level| level.worst));
    key.extend(
        answer
            .score
            .levels
            .iter()
            .flat_map(|level| [level.leave, level.worst]),
    );
    key
}

fn lighter(answers: &[Answer], kind: Kind) -> Option<usize> {
    if !matches!(kind, Kind::Dragonfly | Kind::DragonflyPlus) {
        return None;
    }
    let pair = |above: &Above| above.levels.first().map(|level| level.pair);
    let first = answers.first()?.score.above.as_ref().and_then(pair)?;
    if first == Weight::default() {
        return None;
    }
    let light = |answer: &Answer| {
        let own = answer.score.above.as_ref().and_then(pair);
        own.is_some_and(|own| own.times(5) <= first.times(4))
    };
    answers.iter().position(light).map(|at| at + 1)
}
