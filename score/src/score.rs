//! A plan and its patterns -> the traffic that leaves each level.

use crate::above::{Above, Counter};
use crate::column::{Order, column, orders};
use crate::count;
use crate::error::{ScoreError, bad_pattern};
use crate::level::Level;
use crate::limit::PATTERNS_MAX;
use crate::matrix::{Matrix, Unit};
use crate::memory::{Columns, Memory};
use crate::network::OnNetwork;
use crate::numbers::Numbers;
use crate::pattern::{Part, Pattern, fits};
use crate::places::Places;
use crate::regular::{self, Figures};
use crate::streamed::Streamed;
use crate::talks::AppRanks;
use crate::weight::Weight;
use std::io::BufRead;
use stowplan_engine::plan::Plan;

/// Where matrix files come from.
pub trait Matrices {
    /// A matrix by the name that the pattern gives it.
    ///
    /// # Errors
    /// Why it cannot be opened, in words.
    fn open(&self, name: &str) -> Result<Box<dyn BufRead + Send + '_>, String>;
}

/// There are no matrices.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMatrices;

impl Matrices for NoMatrices {
    fn open(&self, _: &str) -> Result<Box<dyn BufRead + Send + '_>, String> {
        Err("matrices are not read here".to_owned())
    }
}

/// What leaves the objects of a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaving {
    /// The level.
    pub level: Level,
    /// Summed over all ranks.
    pub leave: Weight,
    /// The largest sum of one object.
    pub worst: Weight,
}

/// The figures of a plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Score {
    /// Ranks of the plan.
    pub ranks: u32,
    /// Nodes with ranks.
    pub nodes: u32,
    /// What the weights count.
    pub unit: Unit,
    /// The sum of all weights.
    pub edges: Weight,
    /// The levels, from the node down.
    pub levels: Vec<Leaving>,
    /// The levels of the network, if one is given.
    pub above: Option<Above>,
}

/// Scores a plan. Several patterns add up.
///
/// # Errors
/// `bad-pattern`, `job-too-large`.
///
/// Cost: for a halo over equal nodes by slot, a few planes of the grid. Else, for each level, a pass over the ranks; for halos,
/// one pass for each offset. Matrices are streamed, with a column of each level in memory.
pub fn score(plan: &Plan, parts: &[Part], matrices: &dyn Matrices) -> Result<Score, ScoreError> {
    score_on(plan, parts, matrices, None)
}

/// Scores a plan, also above its nodes.
///
/// # Errors
/// As [`score`].
///
/// Cost: as [`score`]; above, for a halo by slot, the objects of each level, times the offsets; else a pass a level.
pub fn score_on(
    plan: &Plan,
    parts: &[Part],
    matrices: &dyn Matrices,
    on: Option<&OnNetwork>,
) -> Result<Score, ScoreError> {
    let apps = checked(plan, parts)?;
    let unit = unit_of(parts, &apps, matrices)?;
    let places = Places::of(plan)?;
    let seated = Seated {
        orders: &orders(&places),
        places: &places,
        apps: &apps,
        memory: &Memory::default(),
        on,
    };
    seated.score(parts, unit, matrices)
}

/// Places, and their ranks.
pub(crate) struct Seated<'s> {
    pub(crate) places: &'s Places<'s>,
    /// Shape `[apps]`.
    pub(crate) orders: &'s [Order<'s>],
    pub(crate) apps: &'s [AppRanks],
    pub(crate) memory: &'s Memory,
    /// The network of the plan's nodes.
    pub(crate) on: Option<&'s OnNetwork>,
}

impl Seated<'_> {
    /// All figures.
    pub(crate) fn score(
        &self,
        parts: &[Part],
        unit: Unit,
        matrices: &dyn Matrices,
    ) -> Result<Score, ScoreError> {
        let edges = |part: &Part| Weight::whole(count::edges(part, self.apps));
        let mut edges = parts.iter().map(edges).sum();
        let nodes = self.numbers(Level::Node);
        let mut above = self.on.map(|on| Counter::new(self.places, on));
        if let Some(above) = &mut above {
            above.add(parts, self.apps, self.orders);
        }
        let levels = if parts.iter().any(|part| part.pattern.is_file()) {
            self.streamed(parts, matrices, &mut edges, above.as_mut())?
        } else {
            self.counted(parts, above.as_ref().and_then(|above| above.named))
        };
        Ok(Score {
            ranks: self.places.plan.ranks(),
            nodes: nodes.nodes,
            unit,
            edges,
            levels,
            above: above.map(Counter::figures),
        })
    }

    fn numbers(&self, level: Level) -> Numbers {
        Numbers::of(self.places, &self.places.inside(level))
    }

    /// Counts named patterns level by level, with one column in memory. Levels that divide the ranks alike are counted once.
    /// `of_nodes`: what leaves nodes, if that is known.
    fn counted(&self, parts: &[Part], of_nodes: Option<Figures>) -> Vec<Leaving> {
        let of_nodes = of_nodes.map(|known| (self.numbers(Level::Node), known));
        let mut known: Vec<(Numbers, Figures)> = of_nodes.into_iter().collect();
        let mut levels = Vec::new();
        for level in self.places.levels() {
            let numbers = self.numbers(level);
            let equal = known.iter().find(|(other, _)| *other == numbers);
            let figures = if let Some(&(_, figures)) = equal {
                figures
            } else {
                let figures = self.figures(&numbers, parts);
                known.push((numbers, figures));
                figures
            };
            levels.push(Leaving {
                level,
                leave: Weight::whole(figures.leave),
                worst: Weight::whole(figures.worst),
            });
        }
        levels
    }

    /// What leaves the objects of a level for named patterns.
    pub(crate) fn figures(&self, numbers: &Numbers, parts: &[Part]) -> Figures {
        let all = self.places.plan.ranks();
        if let [part] = parts
            && self.apps[part.app as usize].len() == all as usize
            && let Some(halo) = part.pattern.halo(all).filter(|_| all > 0)
        {
            if matches!(self.orders[part.app as usize], Order::Places) {
                let count = |columns: &mut Columns| regular::figures(&halo, numbers, columns);
                return self.memory.with_columns(count);
            }
            if numbers.count == all {
                let apart = Numbers::apart(all);
                let count = |columns: &mut Columns| regular::figures(&halo, &apart, columns);
                return self.memory.with_columns(count);
            }
        }
        let orders = self.orders;
        let count = |columns: &mut Columns| {
            Figures::of(count::leaving(parts, self.apps, numbers, orders, columns))
        };
        self.memory.with_columns(count)
    }

    /// Counts matrices, and named patterns beside them. Columns of all levels are in memory, and each entry is seen once.
    fn streamed(
        &self,
        parts: &[Part],
        matrices: &dyn Matrices,
        edges: &mut Weight,
        above: Option<&mut Counter<'_>>,
    ) -> Result<Vec<Leaving>, ScoreError> {
        let mut known: Vec<Numbers> = Vec::new();
        let mut levels = Vec::new();
        for level in self.places.levels() {
            let numbers = self.numbers(level);
            let at = known.iter().position(|other| *other == numbers);
            levels.push((level, at.unwrap_or(known.len())));
            if at.is_none() {
                known.push(numbers);
            }
        }
        let ranks = self.places.plan.ranks() as usize;
        let mut streamed = Streamed::new(ranks, known.len(), above);
        streamed.ready(self.orders);
        let mut of_rank = Vec::new();
        for (at, numbers) in known.iter().enumerate() {
            let column = column(numbers, self.orders, &mut of_rank);
            let mut named = vec![0_u64; column.count as usize];
            for part in parts {
                count::add(part, self.apps, column, &mut named);
            }
            streamed.level(at, column.of_rank, &named);
        }
        drop(of_rank);
        for part in parts {
            if let Pattern::File(name) = &part.pattern {
                let first = self.apps[part.app as usize].start;
                *edges += streamed.add(open(part, name, self.apps, matrices)?, first)?;
            }
        }
        let out = streamed.out;
        let leaving = levels.into_iter().map(|(level, at)| Leaving {
            level,
            leave: out[at].iter().copied().sum(),
            worst: out[at].iter().max().copied().unwrap_or_default(),
        });
        Ok(leaving.collect())
    }
}

/// The ranks of each app. Refuses a pattern whose apps are not there, or which does not fit its app.
pub(crate) fn checked(plan: &Plan, parts: &[Part]) -> Result<Vec<AppRanks>, ScoreError> {
    if parts.len() > PATTERNS_MAX {
        return Err(ScoreError::TooLarge {
            what: "patterns",
            found: parts.len() as u64,
            limit: PATTERNS_MAX as u64,
        });
    }
    let ranks = |app: &stowplan_engine::plan::AppPlan| {
        let first = app.base().0 as usize;
        first..first + app.procs().0 as usize
    };
    let apps: Vec<AppRanks> = plan.apps().iter().map(ranks).collect();
    for part in parts {
        let named = if let Pattern::Between { a, b, .. } = part.pattern {
            vec![a, b]
        } else {
            vec![part.app]
        };
        for app in named {
            if app as usize >= apps.len() {
                let why = format!("there is no app {app}: the job has {}, from 0", apps.len());
                return bad_pattern(&part.word, why);
            }
        }
        fits(part, plan.apps()[part.app as usize].procs().0)?;
    }
    Ok(apps)
}

/// What the weights of all patterns count. Refuses patterns that count different things.
pub(crate) fn unit_of(
    parts: &[Part],
    apps: &[AppRanks],
    matrices: &dyn Matrices,
) -> Result<Unit, ScoreError> {
    let mut known: Option<(Unit, &str)> = None;
    for part in parts {
        let unit = if let Pattern::File(name) = &part.pattern {
            open(part, name, apps, matrices)?.unit()
        } else {
            Unit::Edges
        };
        match known {
            Some((other, word)) if other != unit => {
                let why = format!(
                    "it counts {}, and {word} counts {}",
                    unit.word(),
                    other.word()
                );
                return bad_pattern(&part.word, why);
            }
            _ => known = Some((unit, &part.word)),
        }
    }
    Ok(known.map_or(Unit::Edges, |(unit, _)| unit))
}

/// The matrix of a pattern.
pub(crate) fn open<'m>(
    part: &'m Part,
    name: &str,
    apps: &[AppRanks],
    matrices: &'m dyn Matrices,
) -> Result<Matrix<'m>, ScoreError> {
    let procs = u32::try_from(apps[part.app as usize].len()).unwrap_or(u32::MAX);
    match matrices.open(name) {
        Ok(text) => Matrix::open(&part.word, procs, text),
        Err(why) => bad_pattern(&part.word, why),
    }
}
