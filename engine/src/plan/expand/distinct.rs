//! Rounds over nodes that are hardly ever equal to their neighbours: each rank is another node's, and what it gets stands far
//! from what its neighbours get.
//!
//! That is a matrix to be transposed, of rows of unequal length. So it goes in blocks: some turns of neighbouring nodes, the
//! *lanes*, are written side by side as strides of the columns; some blocks in one round, then the same in the next, as many
//! rounds as a cache line has places. So each line is fetched once, however far a round stands from the one before it: as
//! far as lines that push each other out of a cache, where nodes are a power of two.

use super::super::places::{KindBits, Packed};
use super::super::profile::{OwnTurns, Profiles};
use super::super::rounds::{Rounds, Turn};
use super::super::{AppPlan, Plan, row};
use super::stride::{Lanes, WIDE, strides};
use super::{COLUMNS, Columns};
use crate::policy::ObjKind;
use std::iter::Peekable;

/// Rounds that are written side by side: as many as a cache line has places.
const ROUNDS: usize = 8;
/// Blocks that are written before the next round is.
const BLOCKS: usize = 4;

/// One round's rows.
struct Part<'c> {
    round: u32,
    out: Columns<'c>,
    /// Rows that are written.
    at: usize,
    /// Turns of the round before the first row, that are not seen yet.
    skip: usize,
}

impl Part<'_> {
    /// Whether all its rows are written.
    const fn is_full(&self) -> bool {
        self.at == self.out.len()
    }
}

/// Rows of the app's tables that blocks look into.
#[derive(Clone, Copy)]
struct Tables<'p> {
    plan: &'p Plan,
    app: &'p AppPlan,
    profiles: Option<&'p Profiles>,
    /// The process of each turn, where turns go otherwise than processes.
    locals: &'p [u32],
}

/// Writes the app ranks from `first` on. `live`: scratch.
///
/// The places of all its patterns are written out, the turns of all its profiles too.
pub(super) fn write(
    (plan, app): (&Plan, &AppPlan),
    first: u32,
    mut out: Columns<'_>,
    (rounds, profiles): (&Rounds, Option<&Profiles>),
    live: &mut Vec<u32>,
) {
    let tables = Tables {
        plan,
        app,
        profiles,
        locals: profiles.map_or(&[], Profiles::locals),
    };
    let most = rounds.most_of_distinct.unwrap_or(1).max(1) as usize;
    let Turn { mut round, .. } = rounds.turn(first, |run, round| app.weight(run, round));
    let mut rank = first;
    live.clear();
    live.extend(0..row(app.placed.runs.len()));
    while out.len() > 0 {
        let mut parts: Vec<Part<'_>> = Vec::with_capacity(ROUNDS);
        live.retain(|&run| app.pairs(run, round) > 0);
        while out.len() > 0 && parts.len() < ROUNDS {
            let band = rounds.band(rounds.band_of(rank));
            let start = band.rank + (round - band.rounds.0) * band.width;
            let rows = out.len().min((start + band.width - rank) as usize);
            parts.push(Part {
                round,
                out: out.take(rows),
                at: 0,
                skip: (rank - start) as usize,
            });
            rank += row(rows);
            round += 1;
        }
        let nodes = live.iter().flat_map(|&run| {
            let nodes = app.placed.runs[run as usize].nodes;
            (nodes.first..nodes.end()).map(move |node| (run, node))
        });
        let mut nodes = nodes.peekable();
        let mut blocks: [Block; BLOCKS] = std::array::from_fn(|_| Block::default());
        loop {
            let mut any = false;
            for block in &mut blocks {
                block.enter(app, &mut nodes, WIDE / most);
                any |= block.members > 0;
            }
            if !any || parts.iter().all(Part::is_full) {
                break;
            }
            for part in &mut parts {
                for block in &mut blocks {
                    block.write(tables, part);
                }
            }
        }
    }
}

/// Some neighbouring nodes, and the turns that they have in a round: the lanes. Shape of columns: `[lanes]`, zero behind.
#[derive(Default)]
struct Block {
    /// (run, row of the pool).
    nodes: [(u32, u32); WIDE],
    members: usize,
    kind: Option<ObjKind>,
    lanes: usize,
    /// The round from which on the lanes are others.
    until: u32,
    who: Lanes,
    /// Where the places of the node start; where the processes of its turns do.
    places: [u32; WIDE],
    locals: [u32; WIDE],
    /// The lane's turn in this round, and how much later that of the next is.
    turn: [u32; WIDE],
    stride: [u32; WIDE],
    /// 1: the processes of the node's turns are looked up; 0: they are those of the turns' numbers.
    listed: [u32; WIDE],
    any_listed: u32,
}

impl Block {
    /// Takes up to so many nodes up, all with objects of one kind.
    fn enter(
        &mut self,
        app: &AppPlan,
        nodes: &mut Peekable<impl Iterator<Item = (u32, u32)>>,
        most: usize,
    ) {
        (self.members, self.lanes, self.until) = (0, 0, 0);
        let kind = |run: u32| app.placed.runs[run as usize].kind;
        while self.members < most
            && let Some((run, node)) =
                nodes.next_if(|&(run, _)| self.members == 0 || kind(run) == self.kind)
        {
            self.kind = kind(run);
            self.nodes[self.members] = (run, node);
            self.members += 1;
        }
    }

    /// Who takes part in a round. Once in so many rounds, and where a node has none left.
    fn refill(&mut self, tables: Tables<'_>, round: u32) {
        let mut lane = 0;
        self.until = u32::MAX;
        self.any_listed = 0;
        for &(at, node) in &self.nodes[..self.members] {
            let run = &tables.app.placed.runs[at as usize];
            let own = match tables.profiles {
                Some(profiles) => profiles.own_turns(at, round),
                None => OwnTurns {
                    first: round,
                    count: u32::from(run.procs > round),
                    until: run.procs,
                    locals: None,
                },
            };
            if own.count == 0 {
                continue;
            }
            self.until = self.until.min(own.until);
            self.any_listed |= u32::from(own.locals.is_some());
            let places = tables.plan.places.start(run.pattern);
            for turn in own.first..own.first + own.count {
                let lane_of = lane % WIDE;
                self.who.node[lane_of] = node;
                self.who.own[lane_of] = run.own_before;
                self.who.used[lane_of] = run.used_before;
                self.places[lane_of] = places;
                self.turn[lane_of] = turn;
                self.stride[lane_of] = own.count;
                self.locals[lane_of] = own.locals.unwrap_or(0);
                self.listed[lane_of] = u32::from(own.locals.is_some());
                lane += 1;
            }
        }
        self.lanes = lane;
        for lane in lane..WIDE {
            (self.places[lane], self.turn[lane], self.stride[lane]) = (0, 0, 0);
            self.listed[lane] = 0;
        }
    }

    /// Writes its rows of a round.
    fn write(&mut self, tables: Tables<'_>, part: &mut Part<'_>) {
        if self.until <= part.round {
            self.refill(tables, part.round);
        }
        if self.lanes == 0 {
            return;
        }
        let rows = part.at..part.at + self.lanes;
        if part.skip == 0 && rows.start + WIDE <= part.out.len() {
            // What is behind the lanes is of this round: the next block writes there again.
            let out = part.out.some(rows.start..rows.start + WIDE);
            self.fill(tables, out);
            part.at = rows.end;
        } else {
            let skip = part.skip.min(self.lanes);
            part.skip -= skip;
            let rows = (self.lanes - skip).min(part.out.len() - part.at);
            if rows > 0 {
                let mut lanes = [[0; WIDE]; COLUMNS];
                self.fill(tables, Columns::over(&mut lanes));
                part.out.some(part.at..part.at + rows).copy(&lanes, skip);
                part.at += rows;
            }
        }
        for (turn, stride) in self.turn.iter_mut().zip(&self.stride) {
            *turn += stride;
        }
    }

    /// Writes a stride.
    #[inline]
    fn fill(&self, tables: Tables<'_>, out: Columns<'_>) {
        let mut looked = [0; WIDE];
        let locals = if self.any_listed > 0 {
            self.look(tables.locals, &mut looked);
            &looked
        } else {
            &self.turn
        };
        let mut places = [Packed::default(); WIDE];
        fetch(&mut places, tables.plan.places.all(), &self.places, locals);
        for stride in strides(out) {
            stride.fill(&self.who, KindBits::new(self.kind), locals, &places);
        }
    }

    /// The process of each lane's turn.
    #[inline(never)]
    fn look(&self, locals: &[u32], out: &mut [u32; WIDE]) {
        for (lane, out) in out.iter_mut().enumerate() {
            *out = self.turn[lane];
            if self.listed[lane] > 0 {
                *out = locals[(self.locals[lane] + *out) as usize];
            }
        }
    }
}

/// What each lane gets. Not a part of its caller, where the compiler would keep all these in registers, which are fewer.
#[inline(never)]
fn fetch(got: &mut [Packed; WIDE], places: &[Packed], starts: &[u32; WIDE], locals: &[u32; WIDE]) {
    for ((got, &start), &local) in got.iter_mut().zip(starts).zip(locals) {
        *got = places[start.wrapping_add(local) as usize];
    }
}
