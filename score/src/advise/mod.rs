//! Which placement is good for a pattern: policies and orders tried, counted, ranked by what leaves the node.

// Lists of neighbours.
pub mod graph;
// Exchanges of ranks.
pub mod search;
// Orders of a grid.
mod candidates;

use crate::column::{Order as Seating, column, orders};
use crate::count;
use crate::error::{ScoreError, bad_pattern};
use crate::level::Level;
use crate::limit::{ANSWERS_MAX, SEARCH_EDGES_MAX, SEARCH_STEPS};
use crate::matrix::Unit;
use crate::numbers::Numbers;
use crate::order::Order;
use crate::pattern::{Grid, Part, Pattern};
use crate::places::Places;
use crate::regular::Figures;
use crate::score::{AppRanks, Matrices, NoMatrices, Score, Seated, checked, unit_of};
use crate::weight::Weight;
use candidates::Tried;
use graph::Graph;
use rayon::prelude::*;
use search::{Search, grown};
use stowplan_engine::id::Id as _;
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
    /// All figures.
    pub score: Score,
    /// The rank of each place, where local search found it.
    found: Vec<u32>,
}

impl Answer {
    /// The rank of each place. `plan`: that of its policy, of one app. Cost: the ranks.
    #[must_use]
    pub fn ranks(&self, plan: &Plan) -> Vec<u32> {
        match &self.chosen {
            Chosen::Search => self.found.clone(),
            Chosen::Named(order) => Tried::Named(order.clone()).ranks(plan.ranks(), fullest(plan)),
            Chosen::Own => {
                let mut ranks = vec![0; plan.ranks() as usize];
                let before = places(plan);
                let first: Vec<u32> = plan
                    .apps()
                    .iter()
                    .flat_map(|app| app.runs())
                    .scan(0, |node, run| {
                        let first = *node;
                        *node += run.nodes.count;
                        Some(first)
                    })
                    .collect();
                let runs_before: Vec<usize> = plan
                    .apps()
                    .iter()
                    .scan(0, |runs, app| {
                        let before = *runs;
                        *runs += app.runs().len();
                        Some(before)
                    })
                    .collect();
                for (rank, at) in plan.rows() {
                    let run = runs_before[at.app.row()] + at.run as usize;
                    let place = before[(first[run] + at.node) as usize] + at.local;
                    ranks[place as usize] = rank.0;
                }
                ranks
            }
        }
    }
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
    let unit = unit_of(parts, &apps, matrices)?;
    let counting = Counting::new(&asked.plan, parts, &apps, matrices)?;
    let mut tried: Vec<Counted> = policies
        .par_iter()
        .enumerate()
        .map(|(policy, own)| counting.policy(policy, &own.plan))
        .collect::<Result<_, _>>()?;
    for policy in distinct(policies) {
        tried.extend(counting.orders(policy, &policies[policy].plan)?);
    }
    let count = tried.len();
    let answers = counting.ranked(policies, tried, (unit, matrices))?;
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

    /// What leaves the nodes of a policy with its ranks as they are, or in another order.
    fn figures(&self, places: &Places<'_>, orders: &[Seating<'_>]) -> (u64, u64) {
        let numbers = Numbers::of(places, &places.inside(Level::Node));
        let figures = match &self.graph {
            Some(graph) if self.matrix => {
                let column = column::<u32>(&numbers, orders);
                let own = &column.of_rank[self.apps[self.parts[0].app as usize].clone()];
                let out = graph.leaving(own, column.count).into_iter();
                let out: Vec<u64> = out.map(|sum| u64::try_from(sum).unwrap_or(0)).collect();
                Figures::of(&out)
            }
            _ => {
                let seated = Seated {
                    places,
                    orders,
                    apps: self.apps,
                };
                seated.figures(&numbers, self.parts)
            }
        };
        (figures.leave, figures.worst)
    }

    fn policy(&self, policy: usize, plan: &Plan) -> Result<Counted, ScoreError> {
        let places = Places::of(plan)?;
        let (leave, worst) = self.figures(&places, &orders(&places));
        Ok(Counted {
            policy,
            chosen: Chosen::Own,
            ranks: Vec::new(),
            leave,
            worst,
        })
    }

    /// The orders of a policy's places, and what local search makes of the best.
    fn orders(&self, policy: usize, plan: &Plan) -> Result<Vec<Counted>, ScoreError> {
        let before = places(plan);
        let own_places = Places::of(plan)?;
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
            .map(|order| self.ordered(&own_places, &order.ranks(procs, per_node)))
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
        // Without a graph nothing is searched: the best of what was tried stays as it is.
        starts.truncate(if self.graph.is_some() { STARTS } else { 1 });
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
            .map(|ranks| (self.ordered(&own_places, &ranks), ranks))
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
        Ok(counted)
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
    fn ordered(&self, places: &Places<'_>, ranks: &[u32]) -> (u64, u64) {
        self.figures(places, &seats(places.plan, ranks))
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

/// The rank of each place of the one app with processes.
fn seats<'r>(plan: &Plan, ranks: &'r [u32]) -> Vec<Seating<'r>> {
    let of_app = |app: &stowplan_engine::plan::AppPlan| match app.procs().0 {
        0 => Seating::Places,
        _ => Seating::RankOf(ranks),
    };
    plan.apps().iter().map(of_app).collect()
}

/// The most processes of a node.
fn fullest(plan: &Plan) -> u32 {
    let runs = plan.apps().iter().flat_map(|app| app.runs());
    runs.map(|run| run.procs).max().unwrap_or(0)
}

impl Counting<'_> {
    /// The best, with all figures; the job as asked among them.
    fn ranked(
        &self,
        policies: &[Policy],
        mut tried: Vec<Counted>,
        (unit, matrices): (Unit, &dyn Matrices),
    ) -> Result<Vec<Answer>, ScoreError> {
        let is_asked = |own: &Counted| own.policy == 0 && own.chosen == Chosen::Own;
        tried.sort_by_key(|own| (own.leave, own.worst, !is_asked(own)));
        // More than are shown: some will turn out to do the same.
        let mut at = 0;
        tried.retain(|own| {
            at += 1;
            at <= ANSWERS_MAX * 2 || is_asked(own)
        });
        let scored: Vec<Answer> = if self.matrix {
            let each = tried.into_iter();
            each.map(|own| self.answer(policies, own, (unit, matrices)))
                .collect::<Result<_, _>>()?
        } else {
            let each = tried.into_par_iter();
            each.map(|own| self.answer(policies, own, (unit, &NoMatrices)))
                .collect::<Result<_, _>>()?
        };
        let is_asked = |answer: &Answer| answer.policy == 0 && answer.chosen == Chosen::Own;
        // Policies that do the same are told once: the first of them.
        let mut answers: Vec<Answer> = Vec::new();
        for answer in scored {
            let known = answers.iter().any(|other| {
                other.score.levels == answer.score.levels
                    && matches!((&other.chosen, &answer.chosen), (Chosen::Own, Chosen::Own))
            });
            if is_asked(&answer) || !known {
                answers.push(answer);
            }
        }
        answers.sort_by_key(|answer| {
            let levels = answer.score.levels.iter();
            let figures: Vec<(Weight, Weight)> =
                levels.map(|level| (level.leave, level.worst)).collect();
            (figures, !is_asked(answer))
        });
        let asked = answers.iter().position(is_asked);
        if let Some(at) = asked.filter(|&at| at >= ANSWERS_MAX) {
            answers.swap(ANSWERS_MAX - 1, at);
        }
        answers.truncate(ANSWERS_MAX);
        Ok(answers)
    }

    fn answer(
        &self,
        policies: &[Policy],
        own: Counted,
        (unit, matrices): (Unit, &dyn Matrices),
    ) -> Result<Answer, ScoreError> {
        let plan = &policies[own.policy].plan;
        let named;
        let ranks = match &own.chosen {
            Chosen::Own => None,
            Chosen::Search => Some(&own.ranks),
            Chosen::Named(order) => {
                named = Tried::Named(order.clone()).ranks(plan.ranks(), fullest(plan));
                Some(&named)
            }
        };
        let places = Places::of(plan)?;
        let orders = match ranks {
            None => orders(&places),
            Some(ranks) => seats(plan, ranks),
        };
        let seated = Seated {
            places: &places,
            orders: &orders,
            apps: self.apps,
        };
        let score = seated.score(self.parts, unit, matrices)?;
        Ok(Answer {
            policy: own.policy,
            chosen: own.chosen,
            score,
            found: own.ranks,
        })
    }
}

/// What the answers count.
#[must_use]
pub fn unit(advice: &Advice) -> Unit {
    advice
        .answers
        .first()
        .map_or(Unit::Edges, |answer| answer.score.unit)
}
