//! A block of neighbouring nodes and rounds. What a node gets is read from front to back, as memory is read fastest, and put down
//! round by round, as the table has it.
//!
//! The turns of a node in a round are neighbours where they are read and in the table: as many as it has are put down at once.

use super::super::places::{KindBits, Packed};
use super::super::{PlacedRun, row};
use super::Columns;
use super::block::Written;
use std::ops::Range;

/// Rounds of a block: what a node gets in so many is read from front to back.
pub(super) const ROUNDS: usize = 64;
/// Turns of a round of a block: what they get in these rounds stays in the second cache.
const LANES: usize = 256;
/// Turns of a node in a round, at most.
pub(super) const FEW: u32 = 8;

/// Scratch: a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes {
    /// Turns in the first round, at most [`LANES`]; no round has more.
    width: usize,
    ranks: Ranks,
    shape: Shape,
    /// Which of the app's rounds the block has.
    span: Range<u32>,
    /// Of a whole block: row of the pool of each turn of a round; where ranks are mixed, which of the block's nodes.
    nodes: Vec<u32>,
    /// Where ranks are mixed, the nodes of the block.
    who: Vec<OnNode>,
    /// By round.
    rounds: Vec<Round>,
}

/// A node: row of the pool, local and node rank of the app's first process there.
type OnNode = (u32, u32, u32);

/// How the turns of a block lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Shape {
    /// By node, in one band: each node that has a turn in one round has one in all of them.
    Whole,
    /// By node: each round has those of the nodes that are left.
    Falling,
    /// By span: profiles tell how many a node has in a round, and of which processes.
    #[default]
    Told,
}

/// Local and node rank of the app's first process on a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Ranks {
    /// On every node these.
    Alike(u32, u32),
    /// Not everywhere the same: they are looked up by node.
    #[default]
    Mixed,
}

/// The turns of a round, node by node. Shape of each: `[LANES]`. An odd number of cache lines, so that rounds behind each other do
/// not meet in the same sets of a near cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Round {
    /// What they get, as the table has it.
    object: [u32; LANES],
    cpus: [u32; LANES],
    /// The same as [`Lanes::nodes`], where the block is not whole.
    node: [u32; LANES],
    /// By span: which process of the node's. By node it has the round's number.
    local: [u32; LANES],
    len: usize,
}

const _: () = assert!(size_of::<Round>() / 64 % 2 == 1);

impl Round {
    const EMPTY: Self = Self {
        object: [0; LANES],
        cpus: [0; LANES],
        node: [0; LANES],
        local: [0; LANES],
        len: 0,
    };
}

impl Ranks {
    /// Those of an app.
    fn of(runs: &[PlacedRun]) -> Self {
        let ranks = |run: &PlacedRun| (run.own_before, run.used_before);
        match runs {
            [first, rest @ ..] if rest.iter().all(|run| ranks(run) == ranks(first)) => {
                Self::Alike(first.own_before, first.used_before)
            }
            _ => Self::Mixed,
        }
    }
}

impl Lanes {
    /// For blocks of an app.
    pub(super) fn of(&mut self, from: Written<'_>) {
        self.ranks = Ranks::of(&from.app.placed.runs);
    }

    /// No nodes, in some rounds.
    pub(super) fn begin(&mut self, shape: Shape, rounds: Range<u32>) {
        (self.shape, self.width) = (shape, 0);
        self.nodes.clear();
        self.who.clear();
        self.rounds.resize(rounds.len(), Round::EMPTY);
        self.span = rounds;
        for round in &mut self.rounds {
            round.len = 0;
        }
    }

    /// Takes up what a run has in the block's rounds. `full`: called when that does not fit beside what is here, which goes then.
    #[inline]
    pub(super) fn run(&mut self, from: Written<'_>, at: u32, mut full: impl FnMut(&mut Self)) {
        let run = &from.app.placed.runs[at as usize];
        let rounds = self.span.clone();
        let kind = KindBits::new(run.kind);
        let start = from.places.start(run.pattern);
        let Some(profiles) = from.profiles else {
            let until = run.procs.min(rounds.end);
            if until <= rounds.start {
                return;
            }
            let places = &from.places.all()[(start + rounds.start) as usize..];
            for node in run.nodes.first..run.nodes.end() {
                let node = self.enter((node, run), 1, &mut full);
                match self.shape {
                    Shape::Whole => {
                        let at = self.nodes.len();
                        self.nodes.push(node);
                        column(&mut self.rounds, at, kind, places);
                    }
                    Shape::Falling | Shape::Told => {
                        let out = &mut self.rounds[..(until - rounds.start) as usize];
                        one((out, node, kind), places);
                    }
                }
            }
            return;
        };
        for node in run.nodes.first..run.nodes.end() {
            let mut name = node;
            for own in profiles.turns_from(at, rounds.start) {
                if own.rounds.start >= rounds.end {
                    break;
                }
                if own.rounds.start == rounds.start {
                    name = self.enter((node, run), own.count, &mut full);
                }
                let until = own.rounds.end.min(rounds.end);
                let part = own.rounds.start - rounds.start..until - rounds.start;
                let out = &mut self.rounds[part.start as usize..part.end as usize];
                let into = (out, name, kind);
                let (places, locals) = if let Some(locals) = own.locals {
                    let first = (locals + own.first) as usize;
                    let (locals, places) = profiles.dealt();
                    (&places[first..], Locals::Listed(&locals[first..]))
                } else {
                    let places = &from.places.all()[(start + own.first) as usize..];
                    (places, Locals::From(own.first))
                };
                several(into, own.count, places, locals);
            }
        }
    }

    /// Takes up a node with so many turns in the first round. What its turns are to have for a node.
    #[inline]
    fn enter(
        &mut self,
        (node, run): (u32, &PlacedRun),
        count: u32,
        mut full: impl FnMut(&mut Self),
    ) -> u32 {
        if self.width + count as usize > LANES {
            full(self);
            self.begin(self.shape, self.span.clone());
        }
        self.width += count as usize;
        match self.ranks {
            Ranks::Alike(..) => node,
            Ranks::Mixed => {
                self.who.push((node, run.own_before, run.used_before));
                row(self.who.len() - 1)
            }
        }
    }

    /// Turns in a round, so many behind the first.
    pub(super) fn turns(&self, at: usize) -> usize {
        match self.shape {
            Shape::Whole => self.width,
            Shape::Falling | Shape::Told => self.rounds[at].len,
        }
    }

    /// Writes a round from one of its turns on.
    pub(super) fn write(&self, at: usize, skip: usize, out: Columns<'_>) {
        let local = match self.shape {
            Shape::Whole | Shape::Falling => Some(self.span.start + row(at)),
            Shape::Told => None,
        };
        let round = &self.rounds[at];
        let some = skip..skip + out.len();
        out.object.copy_from_slice(&round.object[some.clone()]);
        out.cpus.copy_from_slice(&round.cpus[some.clone()]);
        let nodes = match self.shape {
            Shape::Whole => &self.nodes[some.clone()],
            Shape::Falling | Shape::Told => &round.node[some.clone()],
        };
        let locals = &round.local[some];
        match (self.ranks, local) {
            (Ranks::Alike(own, used), Some(local)) => {
                out.node.copy_from_slice(nodes);
                out.local_rank.fill(own + local);
                out.node_rank.fill(used + local);
            }
            (Ranks::Alike(own, used), None) => {
                out.node.copy_from_slice(nodes);
                sums(out.local_rank, own, locals);
                sums(out.node_rank, used, locals);
            }
            (Ranks::Mixed, _) => {
                let ranks = out.local_rank.iter_mut().zip(out.node_rank);
                let turns = nodes.iter().zip(locals);
                for ((node, ranks), (&at, &listed)) in out.node.iter_mut().zip(ranks).zip(turns) {
                    let (first, own, used) = self.who[at as usize];
                    let local = local.unwrap_or(listed);
                    *node = first;
                    (*ranks.0, *ranks.1) = (own + local, used + local);
                }
            }
        }
    }
}

fn sums(out: &mut [u32], first: u32, locals: &[u32]) {
    for (out, local) in out.iter_mut().zip(locals) {
        *out = first.wrapping_add(*local);
    }
}

/// Where the turns of a node go: some rounds, which node, the kind of what it gets.
type Into<'l> = (&'l mut [Round], u32, KindBits);

/// One turn in each round, of the process that has the round's number.
#[inline(never)]
fn one(into: Into<'_>, places: &[Packed]) {
    strip::<1>(into, places, |_| {});
}

/// The same of a whole block, in which it has the turn `at` in each.
#[inline(never)]
fn column(rounds: &mut [Round], at: usize, kind: KindBits, places: &[Packed]) {
    let at = at.min(LANES - 1);
    for (round, &place) in rounds.iter_mut().zip(places) {
        (round.object[at], round.cpus[at]) = (kind.object(place), place.cpus);
    }
}

/// Which processes of a node have neighbouring turns.
#[derive(Clone, Copy)]
enum Locals<'l> {
    /// This one, and those behind it.
    From(u32),
    /// These.
    Listed(&'l [u32]),
}

/// `count` turns in each round.
fn several(into: Into<'_>, count: u32, places: &[Packed], locals: Locals<'_>) {
    fn of<const N: usize>(into: Into<'_>, places: &[Packed], locals: Locals<'_>) {
        match locals {
            Locals::From(first) => {
                let mut locals: [u32; N] = std::array::from_fn(|turn| first + row(turn));
                strip::<N>(into, places, |out| {
                    *out = locals;
                    for local in &mut locals {
                        *local += row(N);
                    }
                });
            }
            Locals::Listed(locals) => {
                let mut locals = locals.as_chunks::<N>().0.iter();
                strip::<N>(into, places, |out| {
                    if let Some(next) = locals.next() {
                        *out = *next;
                    }
                });
            }
        }
    }
    match count {
        1 => of::<1>(into, places, locals),
        2 => of::<2>(into, places, locals),
        3 => of::<3>(into, places, locals),
        4 => of::<4>(into, places, locals),
        5 => of::<5>(into, places, locals),
        6 => of::<6>(into, places, locals),
        7 => of::<7>(into, places, locals),
        _ => of::<8>(into, places, locals),
    }
}

/// Puts down `N` turns of a node in each of some rounds.
#[inline]
fn strip<const N: usize>(
    (rounds, node, kind): Into<'_>,
    places: &[Packed],
    mut local: impl FnMut(&mut [u32; N]),
) {
    let nodes = [node; N];
    for (round, places) in rounds.iter_mut().zip(places.as_chunks::<N>().0) {
        // No round has more turns than the first: this says so without a branch.
        let at = round.len.min(LANES - N);
        *spot(&mut round.object, at) = places.map(|place| kind.object(place));
        *spot(&mut round.cpus, at) = places.map(|place| place.cpus);
        *spot(&mut round.node, at) = nodes;
        local(spot(&mut round.local, at));
        round.len = at + N;
    }
}

#[inline]
fn spot<const N: usize>(column: &mut [u32; LANES], at: usize) -> &mut [u32; N] {
    column[at..at + N].as_mut_array().expect("that are as many")
}
