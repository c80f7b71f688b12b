//! Who talks to whom in a pattern, in one walk that all counts share: stretches of neighbours, edges, and groups.

use crate::score::pattern::{Halo, Meeting, Part, Pattern};
use std::ops::Range;

/// Ranks of an app.
pub(crate) type AppRanks = Range<usize>;

/// Ranks at equal distances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Group {
    pub(crate) first: usize,
    pub(crate) count: usize,
    pub(crate) step: usize,
}

impl Group {
    /// The values of these ranks. `of_rank`: a value for each rank of the job.
    pub(crate) fn of<'r, T: Copy>(self, of_rank: &'r [T]) -> impl Iterator<Item = T> + use<'r, T> {
        let own = of_rank.get(self.first..).unwrap_or_default().iter();
        own.copied().step_by(self.step).take(self.count)
    }
}

impl From<AppRanks> for Group {
    fn from(ranks: AppRanks) -> Self {
        Self {
            first: ranks.start,
            count: ranks.len(),
            step: 1,
        }
    }
}

/// A part of a pattern, in ranks of the job. Each pair of ranks that talk to each other is shown in one of its directions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Talk {
    /// A stretch of ranks, that of their neighbours, and how many.
    Row(usize, usize, usize),
    /// Two ranks.
    Edge(usize, usize),
    /// All talk to each other.
    Group(Group),
    /// Each of the one talks to each of the other.
    Sides(Group, Group),
}

/// Shows all parts of a pattern. A matrix has none, because it is read entry by entry.
pub(crate) fn each(part: &Part, apps: &[AppRanks], visit: &mut impl FnMut(Talk)) {
    let own = apps[part.app as usize].clone();
    let (start, procs) = (own.start, own.len());
    let halo = part.pattern.halo(u32::try_from(procs).unwrap_or(0));
    if let Some(halo) = halo {
        if procs > 0 {
            of_halo(&halo, start, visit);
        }
        return;
    }
    let mut group = |first: usize, count: usize, step: usize| {
        let first = start + first;
        visit(Talk::Group(Group { first, count, step }));
    };
    match &part.pattern {
        Pattern::Pairs => {
            for first in own.step_by(2).take(procs / 2) {
                visit(Talk::Edge(first, first + 1));
            }
        }
        Pattern::Alltoall(size) => {
            let size = size.map_or(procs, |size| size as usize).max(1);
            for first in (0..procs).step_by(size) {
                group(first, size.min(procs - first), 1);
            }
        }
        Pattern::Transpose { rows, columns } => {
            let (rows, columns) = (*rows as usize, *columns as usize);
            (0..rows).for_each(|row| group(row * columns, columns, 1));
            (0..columns).for_each(|column| group(column, rows, columns));
        }
        Pattern::Tree(children) => {
            for rank in 1..procs {
                let parent = (rank - 1) / *children as usize;
                visit(Talk::Edge(start + rank, start + parent));
            }
        }
        Pattern::Between { a, b, meeting } => {
            let side = |app: u32| apps[app as usize].clone();
            between(side(*a), side(*b), *meeting, visit);
        }
        Pattern::Halo(_) | Pattern::Ring | Pattern::File(_) => {}
    }
}

fn of_halo(halo: &Halo, start: usize, visit: &mut impl FnMut(Talk)) {
    let number = |rank: u64| usize::try_from(rank).unwrap_or(0);
    for own in halo.boxes() {
        own.rows(&halo.grid, &mut |first, count| {
            let to = first.saturating_add_signed(own.shift);
            visit(Talk::Row(
                start + number(first),
                start + number(to),
                number(count),
            ));
        });
    }
}

fn between(a: AppRanks, b: AppRanks, meeting: Meeting, visit: &mut impl FnMut(Talk)) {
    match meeting {
        Meeting::Block => {
            let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
            if few.is_empty() {
                return;
            }
            for at in 0..many.len() {
                let other = at as u128 * few.len() as u128 / many.len() as u128;
                let other = few.start + usize::try_from(other).unwrap_or(0);
                visit(Talk::Edge(many.start + at, other));
            }
        }
        Meeting::All => visit(Talk::Sides(a.into(), b.into())),
    }
}

/// How many edges a pattern has, both directions counted.
pub(crate) fn edges(part: &Part, apps: &[AppRanks]) -> u64 {
    let procs = apps[part.app as usize].len() as u64;
    let group = |size: u64| size * size.saturating_sub(1);
    match &part.pattern {
        Pattern::Halo(halo) => halo.edges(),
        Pattern::Ring if procs == 0 => 0,
        Pattern::Ring => Halo::ring(u32::try_from(procs).unwrap_or(0)).edges(),
        Pattern::Pairs => procs / 2 * 2,
        Pattern::Alltoall(None) => group(procs),
        Pattern::Alltoall(Some(size)) => {
            let size = u64::from(*size);
            procs / size * group(size) + group(procs % size)
        }
        Pattern::Transpose { rows, columns } => {
            let (rows, columns) = (u64::from(*rows), u64::from(*columns));
            rows * group(columns) + columns * group(rows)
        }
        Pattern::Tree(_) => 2 * procs.saturating_sub(1),
        Pattern::Between { a, b, meeting } => {
            let (a, b) = (
                apps[*a as usize].len() as u64,
                apps[*b as usize].len() as u64,
            );
            match meeting {
                Meeting::Block if a.min(b) == 0 => 0,
                Meeting::Block => 2 * a.max(b),
                Meeting::All => 2 * a * b,
            }
        }
        Pattern::File(_) => 0,
    }
}
