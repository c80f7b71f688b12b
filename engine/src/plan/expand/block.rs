//! Rounds over nodes that are hardly ever equal to their neighbours: each rank is another node's, or nearly so, and what it
//! gets stands far from what its neighbours get.
//!
//! That is a matrix to be transposed, of rows of unequal length. Nodes are taken up in *blocks*, each with some rounds, and a
//! block is written round by round: what a node gets in one round, which stands beside what it gets in the next, is read once, and
//! each round of the table grows by pieces of a kilobyte.

use super::super::places::Places;
use super::super::profile::Profiles;
use super::super::rounds::Rounds;
use super::super::{AppPlan, row};
use super::Columns;
use super::lanes::{Lanes, ROUNDS, Shape};
use smallvec::SmallVec;

/// Rounds of a group that need no allocation.
const INLINE: usize = 16;

/// What is read: all places and turns stand written out.
#[derive(Clone, Copy)]
pub(super) struct Written<'p> {
    pub(super) app: &'p AppPlan,
    pub(super) places: &'p Places,
    pub(super) profiles: Option<&'p Profiles>,
}

/// One round's rows of the table that are not written yet.
struct Part<'c> {
    out: Columns<'c>,
    /// Turns of the round before the first row, that are not seen yet.
    skip: usize,
}

/// Writes the app ranks from `first` on. `live`: scratch.
pub(super) fn write(
    from: Written<'_>,
    first: u32,
    mut out: Columns<'_>,
    rounds: &Rounds,
    (live, lanes): (&mut Vec<u32>, &mut Lanes),
) {
    let band = |rank| rounds.band(rounds.band_of(rank));
    let mut rank = first;
    live.clear();
    lanes.of(from);
    live.extend(0..row(from.app.placed.runs.len()));
    while out.len() > 0 {
        let mut parts: SmallVec<[Part<'_>; INLINE]> = SmallVec::new();
        let of_begin = band(rank);
        let (begin, _) = of_begin.round(rank);
        while out.len() > 0 && parts.len() < ROUNDS {
            let band = band(rank);
            let (_, skip) = band.round(rank);
            let rows = out.len().min((band.width - skip) as usize);
            parts.push(Part {
                out: out.take(rows),
                skip: skip as usize,
            });
            rank += row(rows);
        }
        let end = begin + row(parts.len());
        let shape = if from.profiles.is_some() {
            Shape::Told
        } else if end <= of_begin.rounds.1 {
            Shape::Whole
        } else {
            Shape::Falling
        };
        lanes.begin(shape, begin..end);
        for &run in &*live {
            lanes.run(from, run, |lanes| {
                write_out(lanes, &mut parts);
            });
        }
        write_out(lanes, &mut parts);
        if out.len() > 0 {
            live.retain(|&run| from.app.pairs(run, end) > 0);
        }
    }
}

/// Writes the rounds of a block.
fn write_out(lanes: &Lanes, parts: &mut [Part<'_>]) {
    for (round, part) in parts.iter_mut().enumerate() {
        let turns = lanes.turns(round);
        let skip = part.skip.min(turns);
        part.skip -= skip;
        let rows = (turns - skip).min(part.out.len());
        lanes.write(round, skip, part.out.take(rows));
    }
}
