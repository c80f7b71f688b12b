//! Round by round: in which round a rank is, and on which run of nodes.
//!
//! In all rounds of a *band* the same nodes, or (node, object) pairs, take part; a band ends where some of them have had all
//! their processes. Each band has the processes of a round before each *block* of runs. A block is one run where all that
//! stays in a near cache; else eight, and more only where it would take more than 16 MB or two numbers for each run: the
//! runs of a block are looked through. So a plan of whatever counts takes memory in proportion to its runs.

use super::counted::by_key;
use super::deal::Step;
use super::eights::Eights;
use super::steps::Steps;
use super::{PlacedRun, row};
use smallvec::SmallVec;

/// Numbers that the bands hold without grouping runs: a search in them stays in a near cache.
const NEAR: usize = 1 << 16;
/// Runs of a block, as a power of two, that are looked through for that at least: one cache line.
const EIGHT: u32 = 3;
/// Numbers that the bands may hold in any case.
const ALWAYS: usize = 1 << 22;

/// The bands of an app.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    /// The first app rank of each band.
    ranks: Steps,
    /// The first round of each band.
    firsts: Steps,
    /// Processes of one round, by band.
    widths: SmallVec<[u32; 4]>,
    /// By band: processes of a round before each block, and all of them at the end.
    before: Steps,
    /// Runs of a block: two to this power.
    block: u32,
    /// What is looked through, where blocks are of several runs.
    eights: Option<Eights>,
    /// Processes that a node has in a round, at most; `None`: runs have several nodes each.
    pub(super) most_of_distinct: Option<u32>,
}

/// Rounds in which the same take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Band {
    /// The first app rank.
    pub(super) rank: u32,
    /// The first round, and the first one behind.
    pub(super) rounds: (u32, u32),
    /// Processes of one round.
    pub(super) width: u32,
}

impl Band {
    /// In which round one of its app ranks is, and on which place of that round.
    pub(super) const fn round(&self, rank: u32) -> (u32, u32) {
        let inside = rank - self.rank;
        (self.rounds.0 + inside / self.width, inside % self.width)
    }
}

/// A turn of a round: which round, which run, which of the run's pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Turn {
    pub(super) round: u32,
    pub(super) run: u32,
    pub(super) place: u32,
}

/// The round where some runs have fewer pairs, their kind, by how many pairs.
type Fall = (u32, u32, u32);

/// What finding the bands of one app after the other needs.
#[derive(Default)]
pub(super) struct Scratch {
    /// The kind of each run. Shape `[runs]`.
    kinds: Vec<u32>,
    /// What makes a kind, ascending. Shape `[kinds]`.
    distinct: Vec<u32>,
    /// By ascending round, and kind.
    falls: Vec<Fall>,
    /// As they were found, by kind.
    found: Vec<Fall>,
    /// Where the falls of each round end in `falls`. Shape `[rounds]`.
    places: Vec<u32>,
    /// The runs by kind: those of a kind are neighbours.
    by_kind: Vec<u32>,
    /// Where the runs of each kind end in `by_kind`. Shape `[kinds]`.
    ends: Vec<u32>,
    /// Processes of each block in the round at hand. Shape `[blocks]`.
    weights: Vec<u32>,
}

impl Scratch {
    /// Takes up the runs of an app, each with a number that those share which take part alike.
    pub(super) fn of_kinds(&mut self, numbers: impl Iterator<Item = u32>) {
        self.kinds.clear();
        self.kinds.extend(numbers);
        self.distinct.clone_from(&self.kinds);
        self.distinct.sort_unstable();
        self.distinct.dedup();
        let mut next = 0;
        for kind in &mut self.kinds {
            // Where all are distinct they mostly ascend.
            let at = if self.distinct.get(next) == Some(kind) {
                next
            } else {
                self.distinct.partition_point(|&other| other < *kind)
            };
            next = at + 1;
            *kind = row(at);
        }
    }

    /// What was taken up, each number once, ascending: the kinds.
    pub(super) fn distinct(&self) -> &[u32] {
        &self.distinct
    }

    /// Cost: the steps; a sort of them where rounds are more.
    fn find_falls(&mut self, steps: &[&[Step]]) {
        let Self {
            falls,
            found,
            places,
            ..
        } = self;
        found.clear();
        for (kind, steps) in (0..).zip(steps) {
            for (at, step) in steps.iter().enumerate() {
                let next = steps.get(at + 1).map_or(0, |next| next.pairs);
                found.push((step.end, kind, step.pairs - next));
            }
        }
        let rounds = found.iter().map(|fall| fall.0 as usize + 1).max();
        if rounds.is_none_or(|rounds| rounds > found.len()) {
            falls.clone_from(found);
            falls.sort_unstable();
            return;
        }
        let by_round = found.iter().map(|&fall| (fall.0, fall));
        by_key(by_round, rounds.unwrap_or(0), places, falls);
    }

    fn sort_by_kind(&mut self) {
        let Self {
            kinds,
            distinct,
            by_kind,
            ends,
            ..
        } = self;
        let runs = kinds.iter().copied().zip(0..);
        by_key(runs, distinct.len(), ends, by_kind);
    }

    /// The runs of a kind.
    fn alike(&self, kind: u32) -> std::ops::Range<usize> {
        let before = (kind as usize).checked_sub(1);
        let start = before.map_or(0, |before| self.ends[before]);
        start as usize..self.ends[kind as usize] as usize
    }
}

/// How many runs make a block, as a power of two.
fn block_of(runs: usize, bands: usize) -> u32 {
    let room = ALWAYS.max(2 * runs);
    let numbers = |block: u32| runs.div_ceil(1 << block).saturating_mul(bands);
    if bands <= 1 || numbers(0) <= NEAR {
        return 0;
    }
    let mut block = EIGHT;
    while numbers(block) > room {
        block += 1;
    }
    block
}

impl Rounds {
    /// The bands of the runs that `scratch` took up. `steps`: the rounds of each kind. Shape `[kinds]`.
    ///
    /// Cost: a number for each block of each band; for each run one addition where its pairs change.
    pub(super) fn new(runs: &[PlacedRun], steps: &[&[Step]], scratch: &mut Scratch) -> Self {
        scratch.find_falls(steps);
        scratch.sort_by_kind();
        let mut weights = std::mem::take(&mut scratch.weights);
        let same_round = |a: &Fall, b: &Fall| a.0 == b.0;
        let bands = scratch.falls.chunk_by(same_round).count();
        let block = block_of(runs.len(), bands);
        let nodes = |run: u32| runs[run as usize].nodes.count;
        let all: u64 = runs.iter().map(|run| u64::from(run.nodes.count)).sum();
        let distinct = all < 2 * runs.len() as u64;
        let first_pairs = |steps: &[Step]| steps.first().map_or(0, |step| step.pairs);
        let eights = || Eights::new(runs, &scratch.kinds, steps);
        let eights = (block >= EIGHT).then(eights).flatten();
        let most = steps.iter().map(|steps| first_pairs(steps)).max();
        weights.clear();
        weights.resize(runs.len().div_ceil(1 << block), 0);
        for (run, &kind) in (0..).zip(&scratch.kinds) {
            weights[run as usize >> block] += first_pairs(steps[kind as usize]) * nodes(run);
        }
        let mut before = Steps::of_length(weights.len() + 1);
        let mut widths = SmallVec::with_capacity(bands);
        let (mut ranks, mut firsts) =
            (Vec::with_capacity(bands + 1), Vec::with_capacity(bands + 1));
        let (mut rank, mut round) = (0_u32, 0_u32);
        for falls in scratch.falls.chunk_by(same_round) {
            let mut width = 0;
            let sums = weights.iter().map(|weight| {
                width += weight;
                width
            });
            before.push(std::iter::once(0).chain(sums));
            ranks.push(rank);
            firsts.push(round);
            widths.push(width);
            let end = falls[0].0;
            rank += width * (end - round);
            round = end;
            for &(_, kind, pairs) in falls {
                for &run in &scratch.by_kind[scratch.alike(kind)] {
                    weights[run as usize >> block] -= pairs * nodes(run);
                }
            }
        }
        scratch.weights = weights;
        // What stands behind the last band: where the bands end.
        ranks.push(rank);
        firsts.push(round);
        Self {
            ranks: Steps::one(ranks.len(), ranks.into_iter()),
            firsts: Steps::one(firsts.len(), firsts.into_iter()),
            widths,
            before,
            block,
            eights,
            most_of_distinct: most.filter(|_| distinct),
        }
    }

    /// The first app rank of each band.
    pub(super) fn first_ranks(&self) -> &[u32] {
        &self.ranks.row(0)[..self.widths.len()]
    }

    /// The bands, in order.
    pub(super) fn bands(&self) -> impl Iterator<Item = Band> + '_ {
        (0..self.widths.len()).map(|band| self.band(band))
    }

    /// A band.
    pub(super) fn band(&self, band: usize) -> Band {
        Band {
            rank: self.ranks.get(0, band),
            rounds: (self.firsts.get(0, band), self.firsts.get(0, band + 1)),
            width: self.widths[band],
        }
    }

    /// Processes of a round of a band before each run; `None`: that is known of blocks of runs.
    pub(super) fn before_runs(&self, band: usize) -> Option<&[u32]> {
        let (_, before) = self.before.row(band).split_last()?;
        (self.block == 0).then_some(before)
    }

    /// Which band an app rank is in.
    pub(super) fn band_of(&self, rank: u32) -> usize {
        self.ranks.find(0, rank)
    }

    /// The turn of an app rank. `weight(run, round)`: its processes in a round. Cost: two searches; where bands are many, a look
    /// through a block of runs.
    pub(super) fn turn(&self, rank: u32, weight: impl Fn(u32, u32) -> u32) -> Turn {
        let band = self.band_of(rank);
        let (round, place) = self.band(band).round(rank);
        let (run, place) = self.run(band, (round, place), weight);
        Turn { round, run, place }
    }

    /// On which run of a band a place in a round is, and which of the run's places.
    #[inline]
    pub(super) fn run(
        &self,
        band: usize,
        (round, place): (u32, u32),
        weight: impl Fn(u32, u32) -> u32,
    ) -> (u32, u32) {
        let block = self.before.find(band, place);
        let mut run = row(block << self.block);
        let mut place = place - self.before.get(band, block);
        if let Some(eights) = &self.eights {
            return eights.find(round, run, place);
        }
        if self.block > 0 {
            loop {
                let own = weight(run, round);
                if place < own {
                    break;
                }
                place -= own;
                run += 1;
            }
        }
        (run, place)
    }

    /// The app rank of a turn: the inverse of [`Self::turn`].
    pub(super) fn rank(&self, turn: Turn, weight: impl Fn(u32, u32) -> u32) -> u32 {
        let band = self.firsts.find(0, turn.round);
        let rounds = turn.round - self.firsts.get(0, band);
        let block = turn.run >> self.block;
        let others = block << self.block..turn.run;
        let before: u32 = others.map(|run| weight(run, turn.round)).sum();
        let before = before + self.before.get(band, block as usize);
        self.ranks.get(0, band) + rounds * self.widths[band] + before + turn.place
    }
}
