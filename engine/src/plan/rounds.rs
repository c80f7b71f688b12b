//! Round by round: in which round a rank is, and on which run of nodes.
//!
//! In all rounds of a *band* the same nodes, or (node, object) pairs, take part; a band ends where some of them have had all
//! their processes. Each band has the processes of a round before each *block* of runs. A block is one run where all that
//! stays in a near cache; else up to eight, and more only where it would take more than 16 MB or two numbers for each run: the
//! runs of a block are looked through. So a plan of whatever counts takes memory in proportion to its runs.

use super::deal::Step;
use super::steps::Steps;
use super::{PlacedRun, row};

/// Numbers that the bands hold without grouping runs: a search in them stays in a near cache.
const NEAR: usize = 1 << 16;
/// Runs of a block, as a power of two, that are looked through for that: a few cache lines side by side.
const NEAR_BLOCK: u32 = 3;
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
    widths: Vec<u32>,
    /// By band: processes of a round before each block, and all of them at the end.
    before: Steps,
    /// Runs of a block: two to this power.
    block: u32,
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

/// A turn of a round: which round, which run, which of the run's pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Turn {
    pub(super) round: u32,
    pub(super) run: u32,
    pub(super) place: u32,
}

/// Who takes part: the runs of an app, each of a kind that has its rounds.
pub(super) struct Taking<'p> {
    pub(super) runs: &'p [PlacedRun],
    /// The kind of each run. Shape `[runs]`.
    pub(super) kinds: &'p [u32],
    /// The rounds of each kind. Shape `[kinds]`.
    pub(super) steps: Vec<&'p [Step]>,
}

impl Taking<'_> {
    /// (the round where it happens, the kind, by how many pairs it falls), by ascending round.
    fn falls(&self) -> Vec<(u32, u32, u32)> {
        let mut falls = Vec::new();
        for (kind, steps) in (0..).zip(&self.steps) {
            for (at, step) in steps.iter().enumerate() {
                let next = steps.get(at + 1).map_or(0, |next| next.pairs);
                falls.push((step.end, kind, step.pairs - next));
            }
        }
        falls.sort_unstable();
        falls
    }

    /// The runs by kind: those of a kind are neighbours. With where each kind starts, and the end.
    fn by_kind(&self) -> (Vec<u32>, Vec<u32>) {
        let mut starts = vec![0_u32; self.steps.len() + 1];
        for &kind in self.kinds {
            starts[kind as usize + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut runs = vec![0_u32; self.kinds.len()];
        for (run, &kind) in (0..).zip(self.kinds) {
            runs[next[kind as usize] as usize] = run;
            next[kind as usize] += 1;
        }
        (runs, starts)
    }
}

impl Rounds {
    /// The bands of what takes part.
    ///
    /// Cost: a number for each block of each band; for each run one addition where its pairs change.
    pub(super) fn new(taking: &Taking<'_>) -> Self {
        let falls = taking.falls();
        let (by_kind, starts) = taking.by_kind();
        let bands = falls.chunk_by(|a, b| a.0 == b.0).count();
        let room = ALWAYS.max(2 * taking.runs.len());
        let numbers = |block: u32| taking.runs.len().div_ceil(1 << block).saturating_mul(bands);
        let mut block = 0;
        while bands > 1 && numbers(block) > if block < NEAR_BLOCK { NEAR } else { room } {
            block += 1;
        }
        let nodes = |run: u32| taking.runs[run as usize].nodes.count;
        let all = taking
            .runs
            .iter()
            .map(|run| u64::from(run.nodes.count))
            .sum::<u64>();
        let distinct = all < 2 * taking.runs.len() as u64;
        let most = taking.steps.iter().filter_map(|steps| steps.first());
        let most = most.map(|step| step.pairs).max();
        let mut weights = vec![0_u32; taking.runs.len().div_ceil(1 << block)];
        for (run, &kind) in (0..).zip(taking.kinds) {
            let pairs = taking.steps[kind as usize]
                .first()
                .map_or(0, |step| step.pairs);
            weights[run as usize >> block] += pairs * nodes(run);
        }
        let mut before = Steps::of_length(weights.len() + 1);
        let mut widths = Vec::with_capacity(bands);
        let (mut ranks, mut firsts) = (Vec::with_capacity(bands), Vec::with_capacity(bands));
        let (mut rank, mut round) = (0_u32, 0_u32);
        for falls in falls.chunk_by(|a, b| a.0 == b.0) {
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
                let alike = starts[kind as usize] as usize..starts[kind as usize + 1] as usize;
                for &run in &by_kind[alike] {
                    weights[run as usize >> block] -= pairs * nodes(run);
                }
            }
        }
        // What stands behind the last band: where the bands end.
        ranks.push(rank);
        firsts.push(round);
        Self {
            ranks: Steps::one(ranks),
            firsts: Steps::one(firsts),
            widths,
            before,
            block,
            most_of_distinct: most.filter(|_| distinct),
        }
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

    /// Which band an app rank is in.
    pub(super) fn band_of(&self, rank: u32) -> usize {
        self.ranks.find(0, rank)
    }

    /// The turn of an app rank. `weight(run, round)`: its processes in a round. Cost: two searches; where bands are many, a look
    /// through a block of runs.
    #[inline]
    pub(super) fn turn(&self, rank: u32, weight: impl Fn(u32, u32) -> u32) -> Turn {
        let band = self.ranks.find(0, rank);
        let width = self.widths[band];
        let inside = rank - self.ranks.get(0, band);
        let round = self.firsts.get(0, band) + inside / width;
        let place = inside % width;
        let block = self.before.find(band, place);
        let mut run = row(block << self.block);
        let mut place = place - self.before.get(band, block);
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
        Turn { round, run, place }
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
