//! Rounds over nodes that are hardly ever equal to their neighbours: each rank is another node's, and what it gets stands far
//! from what its neighbours get.
//!
//! That is a matrix to be transposed, of rows of unequal length: nodes are read one after the other, some rounds of each, and
//! put into a *tile*, which has a row for each of these rounds; full, its rows go to the table's. So each cache line is read
//! once and written once, however far a round stands from the one before it: as far as lines that push each other out of
//! a cache, where nodes are a power of two.

use super::super::places::{KindBits, Packed, Places};
use super::super::profile::{OwnTurns, Profiles};
use super::super::rounds::{Rounds, Turn};
use super::super::{AppPlan, PlacedRun, row};
use super::{COLUMNS, Columns};
use smallvec::SmallVec;
use std::array::from_fn;
use std::ops::Range;

/// Rounds that are written side by side: two cache lines of places.
const ROUNDS: usize = 16;
/// Turns of a row: they go to the table in pieces of two kilobytes.
const WIDE: usize = 520;
/// Lanes that are put into the tile at once: what a processor adds and stores at once.
const QUAD: usize = 4;

/// One round's rows of the table that are not written yet.
struct Part<'c> {
    out: Columns<'c>,
    /// Turns of the round before the first row, that are not seen yet.
    skip: usize,
}

/// Neighbouring turns of a round.
#[derive(Clone, Debug)]
struct Row {
    len: usize,
    /// As [`Columns::each`] has them.
    columns: [[u32; WIDE]; COLUMNS],
}

/// Scratch: neighbouring turns of neighbouring rounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Tile {
    /// By round. Later rounds have no more turns than earlier ones.
    rows: Vec<Row>,
    quad: Quad,
}

/// Some *lanes*: a lane is one turn of a node in each of some rounds.
#[derive(Clone, Debug, Default)]
struct Quad {
    lanes: usize,
    /// In which rows of the tile they have turns.
    rows: Range<usize>,
    kind: KindBits,
    /// By lane: row of the pool, local and node rank of the app's first process there.
    node: [u32; QUAD],
    own: [u32; QUAD],
    used: [u32; QUAD],
    /// By lane and row of the tile: which process it is, and what it gets.
    locals: [[u32; ROUNDS]; QUAD],
    places: [[Packed; ROUNDS]; QUAD],
}

/// What is read: all places and turns stand written out.
#[derive(Clone, Copy)]
pub(super) struct Written<'p> {
    pub(super) app: &'p AppPlan,
    pub(super) places: &'p Places,
    pub(super) profiles: Option<&'p Profiles>,
}

/// Writes the app ranks from `first` on. `live`: scratch.
pub(super) fn write(
    from: Written<'_>,
    first: u32,
    mut out: Columns<'_>,
    rounds: &Rounds,
    (live, tile): (&mut Vec<u32>, &mut Tile),
) {
    let Turn { mut round, .. } = rounds.turn(first, |run, round| from.app.weight(run, round));
    let mut rank = first;
    live.clear();
    live.extend(0..row(from.app.placed.runs.len()));
    while out.len() > 0 {
        let mut parts: SmallVec<[Part<'_>; ROUNDS]> = SmallVec::new();
        let begin = round;
        while out.len() > 0 && parts.len() < ROUNDS {
            let band = rounds.band(rounds.band_of(rank));
            let start = band.rank + (round - band.rounds.0) * band.width;
            let rows = out.len().min((start + band.width - rank) as usize);
            parts.push(Part {
                out: out.take(rows),
                skip: (rank - start) as usize,
            });
            rank += row(rows);
            round += 1;
        }
        if tile.rows.len() < parts.len() {
            tile.rows.resize(parts.len(), Row::EMPTY);
        }
        live.retain(|&run| tile.run(from, run, begin, &mut parts));
        tile.flush(&mut parts);
    }
}

impl Row {
    const EMPTY: Self = Self {
        len: 0,
        columns: [[0; WIDE]; COLUMNS],
    };

    /// Adds the turns that lanes have in this row. What stands behind them is written over by those that come next.
    #[inline]
    fn push(&mut self, quad: &Quad, row: usize) {
        let at = self.len;
        let mut put = |column: usize, values: [u32; QUAD]| {
            if let Some(out) = self.columns[column][at..].first_chunk_mut() {
                *out = values;
            }
        };
        let local: [u32; QUAD] = from_fn(|lane| quad.locals[lane][row]);
        put(0, quad.node);
        put(1, from_fn(|lane| quad.own[lane].wrapping_add(local[lane])));
        put(2, from_fn(|lane| quad.used[lane].wrapping_add(local[lane])));
        put(3, from_fn(|lane| quad.kind.object(quad.places[lane][row])));
        put(4, from_fn(|lane| quad.places[lane][row].cpus));
        self.len = at + quad.lanes;
    }
}

impl Tile {
    /// Moves all to the table.
    fn flush(&mut self, parts: &mut [Part<'_>]) {
        self.push(parts);
        self.write(parts);
    }

    /// Moves the rows to the table: a column of all of them, then the next.
    fn write(&mut self, parts: &mut [Part<'_>]) {
        let each = self.rows.iter().zip(parts).map(|(row, part)| {
            let skip = part.skip.min(row.len);
            part.skip -= skip;
            let rows = (row.len - skip).min(part.out.len());
            (skip, part.out.take(rows).each())
        });
        let mut each: SmallVec<[_; ROUNDS]> = each.collect();
        for column in 0..COLUMNS {
            for (row, (skip, out)) in self.rows.iter().zip(&mut each) {
                let out = &mut out[column];
                out.copy_from_slice(&row.columns[column][*skip..][..out.len()]);
            }
        }
        for row in &mut self.rows {
            row.len = 0;
        }
    }

    /// Moves the lanes to the rows.
    fn push(&mut self, parts: &mut [Part<'_>]) {
        if self.rows[0].len + QUAD > WIDE {
            self.write(parts);
        }
        let rows = self.quad.rows.clone();
        for (at, row) in rows.clone().zip(&mut self.rows[rows]) {
            row.push(&self.quad, at);
        }
        self.quad.lanes = 0;
    }

    /// Takes up what a run has in the rounds from `begin` on; whether it has more behind them.
    fn run(&mut self, from: Written<'_>, at: u32, begin: u32, parts: &mut [Part<'_>]) -> bool {
        let run = &from.app.placed.runs[at as usize];
        let places = &from.places.all()[from.places.start(run.pattern) as usize..];
        let end = begin + row(parts.len());
        for node in run.nodes.first..run.nodes.end() {
            let mut round = begin;
            while round < end {
                let own = match from.profiles {
                    Some(profiles) => profiles.own_turns(at, round),
                    None => OwnTurns {
                        first: round,
                        count: u32::from(run.procs > round),
                        until: run.procs,
                        locals: None,
                    },
                };
                if own.count == 0 {
                    break;
                }
                let until = own.until.min(end);
                let rows = (round - begin) as usize..(until - begin) as usize;
                let turns = match (own.locals, from.profiles) {
                    (Some(start), Some(profiles)) => {
                        let (locals, places) = profiles.dealt();
                        let first = (start + own.first) as usize;
                        (Some(&locals[first..]), &places[first..])
                    }
                    (Some(_) | None, _) => (None, &places[own.first as usize..]),
                };
                if own.count == 1 {
                    let lane = self.lane((run, node), rows.clone(), parts);
                    self.quad.fill(lane, own.first, turns);
                } else {
                    self.strided((run, node), rows, own, turns, parts);
                }
                round = until;
            }
        }
        from.app.pairs(at, end) > 0
    }

    /// Takes up several turns of a node in each of some rounds.
    #[inline(never)]
    fn strided(
        &mut self,
        who: (&PlacedRun, u32),
        rows: Range<usize>,
        own: OwnTurns,
        (locals, places): (Option<&[u32]>, &[Packed]),
        parts: &mut [Part<'_>],
    ) {
        for turn in 0..own.count {
            let lane = self.lane(who, rows.clone(), parts);
            let mut at = turn as usize;
            for round in rows.clone() {
                let local = locals.map_or_else(|| own.first + row(at), |all| all[at]);
                self.quad.locals[lane][round] = local;
                self.quad.places[lane][round] = places[at];
                at += own.count as usize;
            }
        }
    }

    /// A lane for a node, in some rows.
    #[inline]
    fn lane(
        &mut self,
        (run, node): (&PlacedRun, u32),
        rows: Range<usize>,
        parts: &mut [Part<'_>],
    ) -> usize {
        let kind = KindBits::new(run.kind);
        if self.quad.lanes == QUAD || self.quad.rows != rows || self.quad.kind != kind {
            self.push(parts);
            (self.quad.rows, self.quad.kind) = (rows, kind);
        }
        let quad = &mut self.quad;
        let lane = quad.lanes % QUAD;
        quad.lanes = lane + 1;
        quad.node[lane] = node;
        quad.own[lane] = run.own_before;
        quad.used[lane] = run.used_before;
        lane
    }
}

impl Quad {
    /// Neighbouring turns of a node, the first of which is `first`, for the lane's rows.
    #[inline]
    fn fill(&mut self, lane: usize, first: u32, (locals, places): (Option<&[u32]>, &[Packed])) {
        let rows = self.rows.clone();
        match locals {
            Some(locals) => copy(&mut self.locals[lane][rows.clone()], locals),
            None => {
                let zero = first.wrapping_sub(row(rows.start));
                self.locals[lane] = from_fn(|at| zero.wrapping_add(row(at)));
            }
        }
        copy(&mut self.places[lane][rows], places);
    }
}

/// The first of some turns.
#[inline]
fn copy<T: Copy>(out: &mut [T], from: &[T]) {
    match (out.first_chunk_mut::<ROUNDS>(), from.first_chunk()) {
        // Of a known length: the compiler makes it a few instructions.
        (Some(out), Some(from)) => *out = *from,
        (Some(_) | None, _) => out.copy_from_slice(&from[..out.len()]),
    }
}
