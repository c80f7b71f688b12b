//! A plan and its patterns -> the traffic that leaves each level.

use crate::score::above::Above;
use crate::score::column::orders;
use crate::score::error::{ScoreError, bad_pattern};
use crate::score::leaving::{Counter, Seated};
use crate::score::limit::PATTERNS_MAX;
use crate::score::matrix::{Matrix, Unit};
use crate::score::network::OnNetwork;
use crate::score::pattern::{Part, Pattern, fits};
use crate::score::places::Places;
use crate::score::talks::{self, AppRanks};
use crate::score::weight::Weight;
use std::io::BufRead;
use stowplan_engine::plan::Plan;

pub use crate::score::leaving::Leaving;

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
/// Cost: for a halo whose ranks go node by node, the objects of each level, times the offsets. Else, for each level, a pass over
/// the ranks; for halos, one pass for each offset. Matrices are streamed, with a column of each level in memory.
pub fn score(plan: &Plan, parts: &[Part], matrices: &dyn Matrices) -> Result<Score, ScoreError> {
    score_on(plan, parts, matrices, None)
}

/// Scores a plan, also above its nodes.
///
/// # Errors
/// As [`score`].
///
/// Cost: as [`score`], the levels of the network counted as those of the machine.
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
        on,
    };
    scored(seated, parts, unit, matrices)
}

/// All figures of places and their ranks.
pub(crate) fn scored(
    seated: Seated<'_>,
    parts: &[Part],
    unit: Unit,
    matrices: &dyn Matrices,
) -> Result<Score, ScoreError> {
    let edges = |part: &Part| Weight::whole(talks::edges(part, seated.apps));
    let mut edges = parts.iter().map(edges).sum();
    let mut counter = Counter::of(seated, parts);
    for part in parts {
        if let Pattern::File(name) = &part.pattern {
            let first = seated.apps[part.app as usize].start;
            edges += counter.matrix(open(part, name, seated.apps, matrices)?, first)?;
        }
    }
    Ok(Score {
        ranks: seated.places.plan.ranks(),
        nodes: counter.nodes(),
        unit,
        edges,
        levels: counter.inside(),
        above: counter.above(),
    })
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
    if let Some(part) = parts.first().filter(|_| plan.resolved_apps().has_parts()) {
        let why = "its launcher mixes the ranks of the job's apps, and a pattern is of ranks that follow one another";
        return bad_pattern(&part.word, why.to_owned());
    }
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
