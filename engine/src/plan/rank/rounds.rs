//! Round by round: in which round a rank is, and on which run of nodes.
//!
//! In all rounds of a *phase* the same nodes, or (node, object) pairs, take part; a phase ends where some of them have had all
//! their processes.

use super::blocks::RunBlocks;
use super::deal::ProfileStep;
use crate::plan::counted::by_key;
use crate::plan::placed::{PlacedRun, row};
use crate::plan::steps::Steps;
use smallvec::SmallVec;

/// The phases of an app.
#[derive(Clone, Debug)]
pub(crate) struct Rounds {
    /// The first app rank of each phase.
    ranks: Steps,
    /// The first round of each phase.
    firsts: Steps,
    /// Processes of one round, by phase.
    widths: SmallVec<[u32; 4]>,
    blocks: RunBlocks,
}

/// Rounds in which the same take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Phase {
    /// The first app rank.
    pub(crate) rank: u32,
    /// The first round, and the first one behind.
    pub(crate) rounds: (u32, u32),
    /// Processes of one round.
    pub(crate) width: u32,
}

/// A turn of a round: which round, which run, which of the run's pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Turn {
    pub(crate) round: u32,
    pub(crate) run: u32,
    pub(crate) place: u32,
}

/// The round where some runs have fewer pairs, their kind, by how many pairs.
type Fall = (u32, u32, u32);

/// What finding the phases of one app after the other needs.
#[derive(Default)]
pub(crate) struct RoundScratch {
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
    /// Nodes of each kind. Shape `[kinds]`.
    nodes: Vec<u32>,
    /// Processes of each block in the round at hand. Shape `[blocks]`.
    weights: Vec<u32>,
}

impl RoundScratch {
    /// Takes up the runs of an app, each with a number that those share which take part alike.
    pub(crate) fn of_kinds(&mut self, numbers: impl Iterator<Item = u32>) {
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
    pub(crate) fn distinct(&self) -> &[u32] {
        &self.distinct
    }

    /// Cost: the steps; a sort of them where rounds are more.
    fn find_falls(&mut self, steps: &[&[ProfileStep]]) {
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

    /// Counts the nodes of each kind. Cost: the runs.
    fn count_nodes(&mut self, runs: &[PlacedRun]) {
        self.nodes.clear();
        self.nodes.resize(self.distinct.len(), 0);
        for (run, &kind) in runs.iter().zip(&self.kinds) {
            self.nodes[kind as usize] += run.nodes.count;
        }
    }

    /// The runs of a kind.
    fn alike(&self, kind: u32) -> &[u32] {
        let before = (kind as usize).checked_sub(1);
        let start = before.map_or(0, |before| self.ends[before]);
        &self.by_kind[start as usize..self.ends[kind as usize] as usize]
    }

    /// What falls at the end of each phase.
    fn phases(&self) -> impl Iterator<Item = &[Fall]> {
        self.falls.chunk_by(|a, b| a.0 == b.0)
    }

    /// The processes of a round before each block of runs, phase by phase.
    fn blocks(&mut self, runs: &[PlacedRun], steps: &[&[ProfileStep]]) -> RunBlocks {
        let mut weights = std::mem::take(&mut self.weights);
        let nodes = |run: u32| runs[run as usize].nodes.count;
        let turns = (0..).zip(&self.kinds).map(|(run, &kind)| {
            let first = steps[kind as usize].first();
            first.map_or(0, |step| step.pairs) * nodes(run)
        });
        let phases = self.phases().count();
        let mut blocks = RunBlocks::begin(runs.len(), phases, turns, &mut weights);
        for falls in self.phases() {
            blocks.push(&weights);
            for (run, pairs) in self.falling(falls) {
                weights[blocks.of(run)] -= pairs * nodes(run);
            }
        }
        self.weights = weights;
        blocks
    }

    /// The runs that have fewer pairs after such falls, and how many fewer.
    fn falling(&self, falls: &[Fall]) -> impl Iterator<Item = (u32, u32)> {
        let runs = |&(_, kind, pairs)| self.alike(kind).iter().map(move |&run| (run, pairs));
        falls.iter().flat_map(runs)
    }
}

impl Rounds {
    /// The phases of the runs that `scratch` took up. `steps`: the rounds of each kind. Shape `[kinds]`.
    ///
    /// Cost: as [`RunBlocks::push`] says for each phase; for each run one addition where its pairs change.
    pub(crate) fn new(
        runs: &[PlacedRun],
        steps: &[&[ProfileStep]],
        scratch: &mut RoundScratch,
    ) -> Self {
        scratch.find_falls(steps);
        scratch.sort_by_kind();
        scratch.count_nodes(runs);
        let first_pairs = |steps: &&[ProfileStep]| steps.first().map_or(0, |step| step.pairs);
        let nodes = scratch.nodes.iter();
        let width = |(steps, nodes)| first_pairs(steps) * nodes;
        let mut width: u32 = steps.iter().zip(nodes).map(width).sum();
        let phases = scratch.phases().count();
        let mut widths = SmallVec::with_capacity(phases);
        let (mut ranks, mut firsts) = (
            Vec::with_capacity(phases + 1),
            Vec::with_capacity(phases + 1),
        );
        let (mut rank, mut round) = (0_u32, 0_u32);
        for falls in scratch.phases() {
            ranks.push(rank);
            firsts.push(round);
            widths.push(width);
            let end = falls[0].0;
            rank += width * (end - round);
            round = end;
            let fewer = |fall: &Fall| fall.2 * scratch.nodes[fall.1 as usize];
            width -= falls.iter().map(fewer).sum::<u32>();
        }
        // What stands behind the last phase: where the phases end.
        ranks.push(rank);
        firsts.push(round);
        Self {
            ranks: Steps::one(ranks.len(), ranks.into_iter()),
            firsts: Steps::one(firsts.len(), firsts.into_iter()),
            blocks: scratch.blocks(runs, steps),
            widths,
        }
    }

    /// The first app rank of each phase.
    pub(crate) fn first_ranks(&self) -> &[u32] {
        &self.ranks.row(0)[..self.widths.len()]
    }

    /// The phases, in order.
    pub(crate) fn phases(&self) -> impl Iterator<Item = Phase> + '_ {
        (0..self.widths.len()).map(|phase| self.phase(phase))
    }

    /// A phase.
    pub(crate) fn phase(&self, phase: usize) -> Phase {
        Phase {
            rank: self.ranks.get(0, phase),
            rounds: (self.firsts.get(0, phase), self.firsts.get(0, phase + 1)),
            width: self.widths[phase],
        }
    }

    /// Processes of a round of a phase before each run; `None`: that is known of blocks of runs.
    pub(crate) fn before_runs(&self, phase: usize) -> Option<&[u32]> {
        self.blocks.before_runs(phase)
    }

    /// On which run of a phase a place in a round is, and which of the run's places.
    #[inline]
    pub(crate) fn run(
        &self,
        phase: usize,
        round: u32,
        place: u32,
        weight: impl Fn(u32, u32) -> u32,
    ) -> (u32, u32) {
        self.blocks.run(phase, place, |run| weight(run, round))
    }

    /// The app rank of a turn: the inverse of [`Self::turn`].
    pub(crate) fn rank(&self, turn: Turn, weight: impl Fn(u32, u32) -> u32) -> u32 {
        let phase = self.firsts.find(0, turn.round);
        let rounds = turn.round - self.firsts.get(0, phase);
        let before = self
            .blocks
            .place(phase, turn.run, |run| weight(run, turn.round));
        self.ranks.get(0, phase) + rounds * self.widths[phase] + before + turn.place
    }
}
