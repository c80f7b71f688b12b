//! A plan and its patterns -> what leaves each level.

use crate::count;
pub(crate) use crate::count::AppRanks;
use crate::error::{ScoreError, bad_pattern};
use crate::level::{Level, Objects, Ranks};
use crate::limit::PATTERNS_MAX;
use crate::matrix::{Matrix, Unit};
use crate::pattern::{Part, Pattern, fits};
use crate::weight::Weight;
use std::io::BufRead;
use stowplan_engine::plan::Plan;

/// Where matrix files come from.
pub trait Matrices {
    /// A matrix by the name that the pattern gives it.
    ///
    /// # Errors
    /// Why it cannot be had, in words.
    fn open(&self, name: &str) -> Result<Box<dyn BufRead + '_>, String>;
}

/// There are no matrices.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMatrices;

impl Matrices for NoMatrices {
    fn open(&self, _: &str) -> Result<Box<dyn BufRead + '_>, String> {
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
    /// What weights count.
    pub unit: Unit,
    /// The sum of all weights.
    pub edges: Weight,
    /// From the node down.
    pub levels: Vec<Leaving>,
}

/// Scores a plan: several patterns add up.
///
/// # Errors
/// `bad-pattern`, `job-too-large`.
///
/// Cost: for each level a pass over the ranks, for halos one for each pair of offsets; matrices stream, with a column of each
/// level in memory.
pub fn score(plan: &Plan, parts: &[Part], matrices: &dyn Matrices) -> Result<Score, ScoreError> {
    let apps = checked(plan, parts)?;
    let unit = unit_of(parts, &apps, matrices)?;
    let ranks = Ranks::of(plan)?;
    let mut edges = parts
        .iter()
        .map(|part| Weight::whole(count::edges(part, &apps)))
        .sum();
    let levels = if parts.iter().any(|part| part.pattern.is_file()) {
        streamed(&ranks, parts, &apps, matrices, &mut edges)?
    } else {
        counted(&ranks, parts, &apps)
    };
    Ok(Score {
        ranks: plan.ranks(),
        nodes: ranks.nodes.count,
        unit,
        edges,
        levels,
    })
}

/// The ranks of each app, where every pattern is of apps that there are and fits them.
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

/// What all patterns count.
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

/// Named patterns, one level after the other: one column in memory. Levels with equal columns are counted once.
fn counted(ranks: &Ranks<'_>, parts: &[Part], apps: &[AppRanks]) -> Vec<Leaving> {
    let mut known: Vec<(Vec<Option<u32>>, Leaving)> = Vec::new();
    let mut levels = Vec::new();
    for level in ranks.levels() {
        let inside = ranks.inside(level);
        let equal = known.iter().find(|(other, _)| *other == inside);
        let leaving = match equal {
            Some((_, leaving)) => Leaving { level, ..*leaving },
            None if level == Level::Node => of_named(level, &ranks.nodes, parts, apps),
            None => of_named(level, &ranks.objects(&inside), parts, apps),
        };
        known.push((inside, leaving));
        levels.push(leaving);
    }
    levels
}

fn of_named(level: Level, objects: &Objects, parts: &[Part], apps: &[AppRanks]) -> Leaving {
    let mut out = vec![0_u64; objects.count as usize];
    for part in parts {
        count::add(part, apps, objects, &mut out);
    }
    Leaving {
        level,
        leave: out.iter().map(|&sum| Weight::whole(sum)).sum(),
        worst: Weight::whole(out.iter().max().copied().unwrap_or(0)),
    }
}

/// Matrices, and named patterns beside them: columns of all levels in memory, and each entry seen once.
fn streamed(
    ranks: &Ranks<'_>,
    parts: &[Part],
    apps: &[AppRanks],
    matrices: &dyn Matrices,
    edges: &mut Weight,
) -> Result<Vec<Leaving>, ScoreError> {
    let mut levels = Vec::new();
    for level in ranks.levels() {
        let objects = match level {
            Level::Node => ranks.nodes.clone(),
            Level::Kind(_) => ranks.objects(&ranks.inside(level)),
        };
        let mut named = vec![0_u64; objects.count as usize];
        for part in parts {
            count::add(part, apps, &objects, &mut named);
        }
        let out: Vec<Weight> = named.into_iter().map(Weight::whole).collect();
        levels.push((level, objects, out));
    }
    for part in parts {
        let Pattern::File(name) = &part.pattern else {
            continue;
        };
        let first = apps[part.app as usize].start;
        open(part, name, apps, matrices)?.each(&mut |entry| {
            *edges += entry.weight;
            let (from, to) = (first + entry.from as usize, first + entry.to as usize);
            for (_, objects, out) in &mut levels {
                let (a, b) = (objects.of_rank[from], objects.of_rank[to]);
                if a != b {
                    out[a as usize] += entry.weight;
                }
            }
        })?;
    }
    let leaving = levels.into_iter().map(|(level, _, out)| Leaving {
        level,
        leave: out.iter().copied().sum(),
        worst: out.iter().max().copied().unwrap_or_default(),
    });
    Ok(leaving.collect())
}
