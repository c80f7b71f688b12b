//! A block of *lanes*: a lane is one turn of a node in each of some neighbouring rounds. What lanes get is read lane by lane, as
//! memory is read fastest, and put down round by round, as the table has it.
//!
//! A *whole* block, in which all lanes have a turn in every round, is copied row by row. Else each round lists its lanes.

use super::super::places::{KindBits, Packed};
use super::super::row;
use super::Columns;
use super::block::Written;
use std::ops::Range;

/// Rounds of a block: what a node gets in so many is read from front to back.
pub(super) const ROUNDS: usize = 64;
/// Lanes of a block: what they get in these rounds stays in the second cache.
const LANES: usize = 256;

/// Scratch: the lanes of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes {
    len: usize,
    /// Whether every lane has a turn in every round, and the processes of every node have their turns in their own order.
    whole: bool,
    who: Box<Who>,
    /// By round.
    rounds: Vec<Round>,
}

/// Who the lanes are. Shape of each: `[LANES]`.
#[derive(Clone, Debug)]
struct Who {
    /// Row of the pool.
    node: [u32; LANES],
    /// In a whole block local and node rank in the round that is written next, and by how much they grow from round to round;
    /// else what the `locals` of a round are added to.
    own: [u32; LANES],
    used: [u32; LANES],
    more: [u32; LANES],
}

impl Default for Who {
    fn default() -> Self {
        Self {
            node: [0; LANES],
            own: [0; LANES],
            used: [0; LANES],
            more: [0; LANES],
        }
    }
}

/// The lanes that have a turn in a round, in their order. Shape of each: `[LANES]`. An odd number of cache lines, so that rounds
/// behind each other do not meet in the same sets of a near cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Round {
    /// What they get, as the table has it.
    object: [u32; LANES],
    cpus: [u32; LANES],
    /// In a block that is not whole: what is added to the ranks of their lanes, for most lanes which process of the app's on the
    /// node it is; and which lanes they are.
    locals: [u32; LANES],
    lanes: [u8; LANES],
    len: usize,
}

const _: () = assert!(size_of::<Round>() / 64 % 2 == 1);

impl Round {
    const EMPTY: Self = Self {
        object: [0; LANES],
        cpus: [0; LANES],
        locals: [0; LANES],
        lanes: [0; LANES],
        len: 0,
    };

    /// Gives a process of another lane a turn; where what it gets is put.
    #[inline]
    const fn add(&mut self, lane: u8, local: u32) -> usize {
        let at = self.len % LANES;
        (self.lanes[at], self.locals[at]) = (lane, local);
        self.len = at + 1;
        at
    }
    #[inline]
    const fn put(&mut self, at: usize, kind: KindBits, place: Packed) {
        self.object[at] = kind.object(place);
        self.cpus[at] = place.cpus;
    }
}

/// Row of the pool, local and node rank of the app's first process there.
type OnNode = (u32, u32, u32);

/// The turns of a lane.
struct Turns {
    /// The first, by its number among all of the node, and how many lie between it and the next.
    first: u32,
    more: u32,
    /// In which rounds of the block.
    rounds: Range<u32>,
    kind: KindBits,
}

impl Lanes {
    /// No lanes, in so many rounds.
    pub(super) fn begin(&mut self, rounds: usize) {
        (self.len, self.whole) = (0, true);
        self.rounds.resize(rounds, Round::EMPTY);
    }

    /// Takes up what a run has in some rounds. `full`: called when that does not fit beside what is here, which goes then.
    #[inline]
    pub(super) fn run(
        &mut self,
        from: Written<'_>,
        at: u32,
        rounds: Range<u32>,
        mut full: impl FnMut(&mut Self),
    ) {
        let run = &from.app.placed.runs[at as usize];
        let kind = KindBits::new(run.kind);
        let start = from.places.start(run.pattern);
        for node in run.nodes.first..run.nodes.end() {
            let who = (node, run.own_before, run.used_before);
            let mut round = rounds.start;
            while round < rounds.end {
                let own = from.app.own_turns(at, round);
                if own.count == 0 {
                    break;
                }
                let until = own.until.min(rounds.end);
                for turn in 0..own.count {
                    if self.len == LANES {
                        full(self);
                        self.begin((rounds.end - rounds.start) as usize);
                    }
                    let turns = Turns {
                        first: own.first + turn,
                        more: own.count,
                        rounds: round - rounds.start..until - rounds.start,
                        kind,
                    };
                    match (own.locals, from.profiles) {
                        (Some(locals), Some(profiles)) => {
                            let first = (locals + turns.first) as usize;
                            let (locals, places) = profiles.dealt();
                            let (locals, places) = (&locals[first..], &places[first..]);
                            self.push_listed(who, &turns, |next| (locals[next], places[next]));
                        }
                        (Some(_) | None, _) => {
                            let places = &from.places.all()[(start + turns.first) as usize..];
                            self.push(who, &turns, places);
                        }
                    }
                }
                round = until;
            }
        }
    }

    /// Adds a lane, the first of whose turns gets the first of `places`.
    #[inline]
    fn push(&mut self, who: OnNode, turns: &Turns, places: &[Packed]) {
        if !self.whole || turns.rounds != (0..row(self.rounds.len())) {
            let mut local = turns.first;
            self.push_listed(who, turns, |next| {
                let got = (local, places[next]);
                local = local.wrapping_add(turns.more);
                got
            });
            return;
        }
        let (node, own, used) = who;
        let lane = self.lane((node, own + turns.first, used + turns.first), turns.more);
        let mut next = 0;
        for round in &mut self.rounds {
            round.put(usize::from(lane), turns.kind, places[next]);
            next += turns.more as usize;
        }
    }

    /// The same in a block that is not whole. `got`: which process has a turn, and what it gets.
    #[inline]
    fn push_listed(
        &mut self,
        who: OnNode,
        turns: &Turns,
        mut got: impl FnMut(usize) -> (u32, Packed),
    ) {
        self.list();
        let lane = self.lane(who, turns.more);
        let mut next = 0;
        for round in &mut self.rounds[turns.rounds.start as usize..turns.rounds.end as usize] {
            let (local, place) = got(next);
            let at = round.add(lane, local);
            round.put(at, turns.kind, place);
            next += turns.more as usize;
        }
    }

    /// The block is whole no more.
    #[inline]
    fn list(&mut self) {
        if !self.whole {
            return;
        }
        self.whole = false;
        for (at, round) in (0..).zip(&mut self.rounds) {
            round.len = 0;
            for (lane, more) in (0..).zip(&self.who.more[..self.len]) {
                round.add(lane, more.wrapping_mul(at));
            }
        }
    }

    /// Who the next lane is, and which.
    #[inline]
    fn lane(&mut self, (node, own, used): OnNode, more: u32) -> u8 {
        let lane = u8::try_from(self.len).expect("a block has 256 lanes");
        self.len += 1;
        let (who, at) = (&mut *self.who, usize::from(lane));
        (who.node[at], who.own[at]) = (node, own);
        (who.used[at], who.more[at]) = (used, more);
        lane
    }

    /// Turns in a round, so many behind the first.
    pub(super) fn turns(&self, at: usize) -> usize {
        if self.whole {
            self.len
        } else {
            self.rounds[at].len
        }
    }

    /// Writes a round from one of its turns on. Each is written once, in order.
    pub(super) fn write(&mut self, at: usize, skip: usize, out: Columns<'_>) {
        let (round, who) = (&self.rounds[at], &mut *self.who);
        let some = skip..skip + out.len();
        out.object.copy_from_slice(&round.object[some.clone()]);
        out.cpus.copy_from_slice(&round.cpus[some.clone()]);
        if self.whole {
            out.node.copy_from_slice(&who.node[some.clone()]);
            out.local_rank.copy_from_slice(&who.own[some.clone()]);
            out.node_rank.copy_from_slice(&who.used[some]);
            count(&mut who.own, &who.more);
            count(&mut who.used, &who.more);
            return;
        }
        let turns = round.lanes[some.clone()].iter().zip(&round.locals[some]);
        let ranks = out.local_rank.iter_mut().zip(out.node_rank);
        for ((node, ranks), (&lane, local)) in out.node.iter_mut().zip(ranks).zip(turns) {
            let lane = usize::from(lane);
            *node = who.node[lane];
            *ranks.0 = who.own[lane].wrapping_add(*local);
            *ranks.1 = who.used[lane].wrapping_add(*local);
        }
    }
}

/// What each counts up by.
#[inline]
fn count(counts: &mut [u32; LANES], more: &[u32; LANES]) {
    for (count, more) in counts.iter_mut().zip(more) {
        *count = count.wrapping_add(*more);
    }
}
