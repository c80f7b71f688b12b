//! A block of *lanes*: a lane is one turn of a node in each of some neighbouring rounds. What lanes get is read lane by lane and
//! put down round by round.

use super::super::places::{KindBits, Packed};
use super::super::row;
use super::COLUMNS;
use super::block::Written;
use std::ops::Range;

/// Rounds of a block: what a node gets in so many is read from front to back, as memory is read fastest.
pub(super) const ROUNDS: usize = 64;
/// Lanes of a block: what they get in these rounds stays in the second cache.
const LANES: usize = 256;

/// What the lanes of a block have in common: else it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Alike {
    kind: KindBits,
    /// Whether the processes of a node have their turns in an order of their own.
    dealt: bool,
}

/// Scratch: the lanes of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Lanes {
    alike: Alike,
    len: usize,
    /// Whether every lane has a turn in every round.
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
    /// Local and node rank in the first round, as if it had a turn there, and by how much they grow from round to round; where
    /// processes are dealt, those of the app's first process on the node.
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

/// The lanes that have a turn in a round, in their order.
#[derive(Clone, Debug)]
struct Round {
    len: usize,
    lanes: [u8; LANES],
    /// What they get, and where processes are dealt, which process it is.
    places: [Packed; LANES],
    locals: [u32; LANES],
}

impl Round {
    const EMPTY: Self = Self {
        len: 0,
        lanes: [0; LANES],
        places: [Packed::NONE; LANES],
        locals: [0; LANES],
    };
}

/// Scratch: rows of one round of a block, as [`super::Columns::each`] has them.
#[derive(Clone, Debug)]
pub(super) struct Rows([[u32; LANES]; COLUMNS]);

impl Default for Rows {
    fn default() -> Self {
        Self([[0; LANES]; COLUMNS])
    }
}

impl Rows {
    pub(super) fn columns(&self) -> impl Iterator<Item = &[u32]> {
        self.0.iter().map(<[u32; LANES]>::as_slice)
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
}

impl Lanes {
    /// No lanes, in so many rounds.
    pub(super) fn begin(&mut self, rounds: usize) {
        (self.len, self.whole) = (0, true);
        self.rounds.resize(rounds, Round::EMPTY);
        for round in &mut self.rounds {
            round.len = 0;
        }
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
                let dealt = own.locals.is_some();
                let until = own.until.min(rounds.end);
                for turn in 0..own.count {
                    let alike = Alike { kind, dealt };
                    if self.len == LANES || (self.alike != alike && self.len > 0) {
                        full(self);
                        self.begin((rounds.end - rounds.start) as usize);
                    }
                    self.alike = alike;
                    let turns = Turns {
                        first: own.first + turn,
                        more: own.count,
                        rounds: round - rounds.start..until - rounds.start,
                    };
                    match (own.locals, from.profiles) {
                        (Some(locals), Some(profiles)) => {
                            self.push_dealt(who, &turns, locals, profiles.dealt());
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
    fn push(&mut self, (node, own, used): OnNode, turns: &Turns, places: &[Packed]) {
        let before = { turns.first }.wrapping_sub(turns.rounds.start.wrapping_mul(turns.more));
        let ranks = (own.wrapping_add(before), used.wrapping_add(before));
        self.lane(node, ranks, turns.more);
        self.put_down(turns, places);
    }

    /// The same where processes have their turns in an order of their own, which stands from row `start` on.
    #[inline(never)]
    fn push_dealt(
        &mut self,
        (node, own, used): OnNode,
        turns: &Turns,
        start: u32,
        (locals, places): (&[u32], &[Packed]),
    ) {
        self.lane(node, (own, used), 0);
        let first = (start + turns.first) as usize;
        let locals = locals[first..].iter().step_by(turns.more as usize);
        let rounds = turns.rounds.start as usize..turns.rounds.end as usize;
        for (round, &local) in self.rounds[rounds].iter_mut().zip(locals) {
            round.locals[round.len % LANES] = local;
        }
        self.put_down(turns, &places[first..]);
    }

    #[inline]
    fn lane(&mut self, node: u32, (own, used): (u32, u32), more: u32) {
        let lane = self.len % LANES;
        self.len = lane + 1;
        let who = &mut *self.who;
        (who.node[lane], who.own[lane]) = (node, own);
        (who.used[lane], who.more[lane]) = (used, more);
    }

    /// Puts down what the last lane gets.
    #[inline]
    fn put_down(&mut self, turns: &Turns, places: &[Packed]) {
        let lane = u8::try_from(self.len - 1).expect("a block has 256 lanes");
        self.whole &= turns.rounds == (0..row(self.rounds.len()));
        let rounds = turns.rounds.start as usize..turns.rounds.end as usize;
        let rounds = self.rounds[rounds].iter_mut();
        let put = |(round, &place): (&mut Round, &Packed)| {
            let at = round.len % LANES;
            round.lanes[at] = lane;
            round.places[at] = place;
            round.len = at + 1;
        };
        match turns.more {
            1 => rounds.zip(places).for_each(put),
            more => rounds
                .zip(places.iter().step_by(more as usize))
                .for_each(put),
        }
    }

    /// Writes a round, so many behind the first; gives its rows. Each is written once, in order.
    pub(super) fn write(&mut self, at: usize, out: &mut Rows) -> usize {
        let round = &self.rounds[at];
        let [node, local_rank, node_rank, object, cpus] =
            out.0.each_mut().map(|column| &mut column[..round.len]);
        let who = &mut *self.who;
        if self.whole {
            node.copy_from_slice(&who.node[..round.len]);
            if !self.alike.dealt {
                counted(local_rank, &mut who.own, &who.more);
                counted(node_rank, &mut who.used, &who.more);
            }
        } else {
            let ranks = local_rank.iter_mut().zip(&mut *node_rank);
            for ((node, ranks), &lane) in node.iter_mut().zip(ranks).zip(&round.lanes) {
                let lane = usize::from(lane);
                let more = who.more[lane].wrapping_mul(row(at));
                *node = who.node[lane];
                *ranks.0 = who.own[lane].wrapping_add(more);
                *ranks.1 = who.used[lane].wrapping_add(more);
            }
        }
        if self.alike.dealt {
            let locals = round.lanes.iter().zip(&round.locals);
            let ranks = local_rank.iter_mut().zip(node_rank);
            for (ranks, (&lane, local)) in ranks.zip(locals) {
                let lane = usize::from(lane);
                *ranks.0 = who.own[lane].wrapping_add(*local);
                *ranks.1 = who.used[lane].wrapping_add(*local);
            }
        }
        let places = round.places.iter();
        for ((object, cpus), &place) in object.iter_mut().zip(cpus).zip(places) {
            *object = self.alike.kind.object(place);
            *cpus = place.cpus;
        }
        round.len
    }
}

/// What counts from round to round.
#[inline]
fn counted(out: &mut [u32], counts: &mut [u32; LANES], more: &[u32; LANES]) {
    for ((out, count), more) in out.iter_mut().zip(counts).zip(more) {
        *out = *count;
        *count = count.wrapping_add(*more);
    }
}
