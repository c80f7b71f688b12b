//! Counts policies and orders: the figures of each at the node.

use super::graph::Graph;
use super::grid_orders::{self, Tried};
use super::search::{Search, grown};
use super::{Chosen, Policy, fullest, seats};
use crate::score::column::{Order as Seating, column, orders};
use crate::score::error::{ScoreError, bad_pattern};
use crate::score::figures::{Matrices, checked, unit_of};
use crate::score::leaving::Seated;
use crate::score::level::Level;
use crate::score::limit::{SEARCH_EDGES_MAX, SEARCH_STEPS};
use crate::score::matrix::Unit;
use crate::score::network::OnNetwork;
use crate::score::numbers::Numbers;
use crate::score::pattern::{Grid, Halo, Part, Pattern};
use crate::score::places::Places;
use crate::score::talks::{self, AppRanks};
use crate::score::tree::places;
use rayon::prelude::*;
use stowplan_engine::plan::Plan;

/// Orders that local search starts from.
const STARTS: usize = 8;

/// Something that was tried, and its figures at the node.
pub(super) struct Counted {
    pub(super) policy: usize,
    pub(super) chosen: Chosen,
    pub(super) ranks: Vec<u32>,
    pub(super) leave: u64,
    pub(super) worst: u64,
}

impl Counted {
    /// Whether it is the job as asked.
    pub(super) fn is_asked(&self) -> bool {
        self.policy == 0 && self.chosen == Chosen::Own
    }
}

/// What was tried, its figures, and the best figures of the literature.
type Figured<'f> = (&'f [Tried], &'f [(u64, u64)], Option<(u64, u64)>);

/// The orders of a policy's places.
pub(super) struct Ordered {
    /// How many were counted.
    pub(super) tried: usize,
    pub(super) counted: Vec<Counted>,
    /// The best published order: what leaves all nodes, and the most that leaves one.
    pub(super) published: Option<(u64, u64)>,
}

/// What is counted, and what that needs.
pub(super) struct Counting<'c> {
    pub(super) parts: &'c [Part],
    pub(super) apps: Vec<AppRanks>,
    /// What weights count.
    pub(super) unit: Unit,
    /// The neighbours of ranks, if there is a matrix or the pattern is small enough to be searched.
    pub(super) graph: Option<Graph>,
    pub(super) matrix: bool,
}

impl<'c> Counting<'c> {
    /// `policies`: at least one.
    ///
    /// # Errors
    /// `bad-pattern`, `job-too-large`.
    pub(super) fn new(
        policies: &[Policy],
        parts: &'c [Part],
        matrices: &dyn Matrices,
    ) -> Result<Self, ScoreError> {
        let plan = &policies[0].plan;
        let apps = checked(plan, parts)?;
        let between = |part: &&Part| {
            part.app != parts[0].app || matches!(part.pattern, Pattern::Between { .. })
        };
        if let Some(other) = parts.iter().find(between) {
            return bad_pattern(&other.word, "advice is for patterns of one app");
        }
        let unit = unit_of(parts, &apps, matrices)?;
        let matrix = parts.iter().any(|part| part.pattern.is_file());
        let edges: u64 = parts.iter().map(|part| talks::edges(part, &apps)).sum();
        let procs = plan.apps()[parts[0].app as usize].procs().0;
        let graph = if matrix || edges <= SEARCH_EDGES_MAX {
            Some(Graph::of(parts, &apps, procs, matrices)?)
        } else {
            None
        };
        Ok(Self {
            parts,
            apps,
            unit,
            graph,
            matrix,
        })
    }

    /// What leaves all objects of a level and the most of one, in the units of the graph if there is a matrix.
    pub(super) fn figures(
        &self,
        places: &Places<'_>,
        orders: &[Seating<'_>],
        numbers: &Numbers,
    ) -> (u64, u64) {
        let Some(graph) = self.graph.as_ref().filter(|_| self.matrix) else {
            return self
                .seated(places, orders, None)
                .figures(self.parts, numbers);
        };
        let mut of_rank = Vec::new();
        let column = column(numbers, orders, &mut of_rank);
        let own = &column.of_rank[self.apps[self.parts[0].app as usize].clone()];
        let out = graph.leaving(own, column.count);
        let whole = |sum: i64| u64::try_from(sum).unwrap_or(0);
        let worst = out.iter().max().copied().unwrap_or(0);
        (whole(out.iter().sum()), whole(worst))
    }

    /// Places and their ranks.
    pub(super) fn seated<'s>(
        &'s self,
        places: &'s Places<'s>,
        orders: &'s [Seating<'s>],
        on: Option<&'s OnNetwork>,
    ) -> Seated<'s> {
        Seated {
            places,
            orders,
            apps: &self.apps,
            on,
        }
    }

    /// The figures at the node.
    fn at_node(&self, places: &Places<'_>, orders: &[Seating<'_>]) -> (u64, u64) {
        let numbers = Numbers::of(places, &places.inside(Level::Node));
        self.figures(places, orders, &numbers)
    }

    pub(super) fn policy(&self, policy: usize, plan: &Plan) -> Result<Counted, ScoreError> {
        let places = Places::of(plan)?;
        let (leave, worst) = self.at_node(&places, &orders(&places));
        Ok(Counted {
            policy,
            chosen: Chosen::Own,
            ranks: Vec::new(),
            leave,
            worst,
        })
    }

    /// Counts the orders of a policy's places, and the best result of local search.
    pub(super) fn orders(&self, policy: usize, plan: &Plan) -> Result<Ordered, ScoreError> {
        let before = places(plan);
        let own_places = Places::of(plan)?;
        let procs = plan.ranks();
        let per_node = fullest(plan);
        let mut tried = Vec::new();
        let grids = self.grids(procs);
        let words = grid_orders::words_of(&grids);
        for (grid, halo) in grids {
            tried.extend(grid_orders::on_grid(&grid, halo.as_ref(), per_node));
        }
        if !tried.is_empty() {
            tried.push(Tried::Blocked);
        }
        if let Some(graph) = &self.graph {
            tried.push(Tried::Found(grown(graph, &before)));
        }
        let figures: Vec<(u64, u64)> = tried
            .par_iter()
            .map(|order| self.ordered(&own_places, &order.ranks(procs, per_node)))
            .collect();
        // An order found in another way may not load a node more than the best published order does.
        let published = tried.iter().zip(&figures);
        let published = published.filter(|(order, _)| order.is_published(words));
        let known = published.map(|own| *own.1).min();
        let found = self.search((&tried, &figures, known), &own_places, &before);
        let fits = |figures: &(u64, u64)| known.is_none_or(|known| figures.1 <= known.1);
        let mut counted: Vec<Counted> = Vec::new();
        let figured = tried.len();
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
        let named = counted.iter().map(|own| (own.leave, own.worst));
        let named = named.filter(fits).min();
        if let Some(((leave, worst), ranks)) = found
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
        Ok(Ordered {
            tried: figured,
            counted,
            published: known,
        })
    }

    /// The best result of local search, started from the tried orders. No node has more than the best published order gives it.
    fn search(
        &self,
        (tried, figures, known): Figured<'_>,
        own_places: &Places<'_>,
        before: &[u32],
    ) -> Option<((u64, u64), Vec<u32>)> {
        let procs = own_places.plan.ranks();
        let per_node = fullest(own_places.plan);
        let fits = |figures: &(u64, u64)| known.is_none_or(|known| figures.1 <= known.1);
        let mut starts: Vec<usize> = (0..tried.len()).collect();
        starts.sort_by_key(|&at| (!fits(&figures[at]), figures[at]));
        // Without a graph there is no search: the best tried order stays as it is.
        starts.truncate(if self.graph.is_some() { STARTS } else { 1 });
        let worst = known.map(|known| known.1);
        let mut searched: Vec<Vec<u32>> = starts
            .par_iter()
            .map(|&at| self.searched(tried[at].ranks(procs, per_node), before, worst))
            .collect();
        if tried.is_empty() {
            let own = (0..procs).collect();
            searched.push(self.searched(own, before, worst));
        }
        searched
            .into_iter()
            .map(|ranks| (self.ordered(own_places, &ranks), ranks))
            .filter(|(figures, _)| fits(figures))
            .min()
    }

    /// The grids of the patterns.
    pub(super) fn grids(&self, procs: u32) -> Vec<(Grid, Option<Halo>)> {
        let mut grids: Vec<(Grid, Option<Halo>)> = Vec::new();
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
    pub(super) fn ordered(&self, places: &Places<'_>, ranks: &[u32]) -> (u64, u64) {
        self.at_node(places, &seats(places.plan, ranks))
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
