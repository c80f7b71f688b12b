//! What one node holds of each object, a distinct (pattern, number of processes): which process has which turn in rank by fill
//! and span.
//!
//! Where nodes are of a size that there is, a profile's processes stand written out in the order in which they have their
//! turn, so that a rank is an index. Where they would take much more than the patterns themselves, an index by object is asked.

use super::deal::{Deal, Step, Tally};
use super::places::Places;
use super::turns::ObjectIndex;
use super::{PlacedRun, row};
use crate::table::patterns::Patterns;
use std::ops::Range;

/// Turns that are written out in any case, and how many more for each run of a pattern.
const ALWAYS: usize = 1 << 18;
const PER_RUN: usize = 8;

/// The order in which the processes of a node have their turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Turning {
    /// Object by object.
    ByObject,
    /// Round by round: the first of each object, the second of each, and so on.
    ByRound,
}

/// Which process has the n-th turn.
#[derive(Clone, Copy, Debug)]
enum Locals {
    /// The n-th.
    Same,
    /// What is written there, from this row on.
    At(u32),
    /// What an index by object says.
    Asked(u32),
}

#[derive(Clone, Debug)]
struct Profile {
    procs: u32,
    locals: Locals,
    /// Rows of [`Profiles::steps`]; none in turns object by object.
    steps: Range<u32>,
}

/// Which processes of a node have neighbouring turns.
#[derive(Clone, Copy, Debug)]
pub(super) enum Turns<'p> {
    /// Neighbouring ones: the first of them, and how many.
    From(u32, u32),
    /// These.
    Listed(&'p [u32]),
    /// What an index says of a node with so many processes: in a round, or object by object.
    Asked {
        index: &'p ObjectIndex,
        procs: u32,
        round: Option<u32>,
    },
}

impl Turns<'_> {
    /// Some of them, where they stand written out.
    pub(super) fn part(self, first: u32, count: u32) -> Self {
        match self {
            Self::From(before, _) => Self::From(before + first, count),
            Self::Listed(locals) => Self::Listed(&locals[first as usize..][..count as usize]),
            Self::Asked { .. } => self,
        }
    }
    /// Some of them. `scratch`: where they are put when they stand nowhere.
    pub(super) fn some<'s>(self, turns: Range<u32>, scratch: &'s mut Vec<u32>) -> Turns<'s>
    where
        Self: 's,
    {
        match self {
            Self::From(first, _) => Turns::From(first + turns.start, turns.end - turns.start),
            Self::Listed(locals) => {
                Turns::Listed(&locals[turns.start as usize..turns.end as usize])
            }
            Self::Asked {
                index,
                procs,
                round,
            } => {
                scratch.clear();
                index.turns(procs, round, turns, scratch);
                Turns::Listed(scratch)
            }
        }
    }
}

/// The turns of a node in a round.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnTurns {
    /// The first, by its number among all of the node, and how many.
    pub(super) first: u32,
    pub(super) count: u32,
    /// The first round in which they are fewer.
    pub(super) until: u32,
    /// Where the processes of all its turns stand in [`Profiles::locals`]; `None`: the n-th process has the n-th turn.
    pub(super) locals: Option<u32>,
}

/// What a run's first rounds need of its profile: side by side, where a question looks first.
#[derive(Clone, Copy, Debug)]
struct First {
    /// The first step: on how many objects a node has a process, before which round.
    pairs: u32,
    until: u32,
    locals: Locals,
}

/// Distinct profiles.
#[derive(Clone, Debug, Default)]
pub(super) struct Profiles {
    rows: Vec<Profile>,
    /// The profile of each run. Shape `[runs]`.
    of_run: Vec<u32>,
    firsts: Vec<First>,
    steps: Vec<Step>,
    /// Written out: the process of each turn, and the turn of each process.
    locals: Vec<u32>,
    turns: Vec<u32>,
    indexes: Vec<ObjectIndex>,
}

impl Profiles {
    /// The profiles of runs. Cost: the processes of each distinct profile, as far as they are written out; of others the
    /// distinct objects or, if fewer, the processes by which they differ from the last one of the same pattern.
    pub(super) fn new(
        runs: &[PlacedRun],
        patterns: &Patterns,
        places: &Places,
        turning: Turning,
    ) -> Self {
        let key = |run: u32| (runs[run as usize].pattern, runs[run as usize].procs);
        let mut sorted: Vec<u32> = (0..row(runs.len())).collect();
        sorted.sort_unstable_by_key(|&run| key(run));
        let mut profiles = Self {
            of_run: vec![0; runs.len()],
            ..Self::default()
        };
        let mut deal = Deal::default();
        let mut room = ALWAYS;
        for alike in sorted.chunk_by(|&a, &b| key(a).0 == key(b).0) {
            let (id, pattern) = (key(alike[0]).0, patterns.get(key(alike[0]).0));
            let runs = pattern.segments().iter().map(|segment| segment.runs.len());
            room = room.saturating_add(runs.sum::<usize>().saturating_mul(PER_RUN));
            deal.enter(pattern);
            let mut tally: Option<Tally<'_>> = None;
            for same in alike.chunk_by(|&a, &b| key(a).1 == key(b).1) {
                let procs = key(same[0]).1;
                for &run in same {
                    profiles.of_run[run as usize] = row(profiles.rows.len());
                }
                let cost = deal.objects().max(procs as usize);
                let written = places.of(id).zip(room.checked_sub(cost));
                if let Some((places, left)) = written {
                    room = left;
                    profiles.write(&mut deal, &places[..procs as usize], turning);
                    continue;
                }
                let tally = tally.get_or_insert_with(|| {
                    let index = ObjectIndex::new(pattern);
                    let tally = Tally::new(pattern, &index);
                    profiles.indexes.push(index);
                    tally
                });
                profiles.ask(tally, procs, turning);
            }
        }
        profiles.look_first();
        profiles
    }

    /// Writes what each run looks at first.
    fn look_first(&mut self) {
        let firsts = self.of_run.iter().map(|&profile| {
            let step = self.steps(profile as usize).first();
            First {
                pairs: step.map_or(0, |step| step.pairs),
                until: step.map_or(0, |step| step.end),
                locals: self.rows[profile as usize].locals,
            }
        });
        self.firsts = firsts.collect();
    }

    /// Adds a profile, written out.
    fn write(&mut self, deal: &mut Deal, places: &[super::places::Packed], turning: Turning) {
        let first = row(self.steps.len());
        match turning {
            Turning::ByObject => deal.by_object(places),
            Turning::ByRound => deal.by_round(places, &mut self.steps),
        }
        let procs = row(places.len());
        let locals = if deal.out.iter().copied().eq(0..procs) {
            Locals::Same
        } else {
            let start = self.locals.len();
            self.locals.extend_from_slice(&deal.out);
            self.turns.resize(self.locals.len(), 0);
            for (turn, &local) in (0..).zip(&deal.out) {
                self.turns[start + local as usize] = turn;
            }
            Locals::At(row(start))
        };
        self.rows.push(Profile {
            procs,
            locals,
            steps: first..row(self.steps.len()),
        });
    }

    /// Adds a profile of the pattern whose index was added last.
    fn ask(&mut self, tally: &mut Tally<'_>, procs: u32, turning: Turning) {
        let first = row(self.steps.len());
        let index = self.indexes.len() - 1;
        if turning == Turning::ByRound {
            tally.rounds(&self.indexes[index], procs, &mut self.steps);
        }
        self.rows.push(Profile {
            procs,
            locals: Locals::Asked(row(index)),
            steps: first..row(self.steps.len()),
        });
    }

    /// Whether no profile is asked.
    pub(super) const fn is_written(&self) -> bool {
        self.indexes.is_empty()
    }

    /// The process of each turn, of the profiles in which turns go otherwise than processes.
    pub(super) fn locals(&self) -> &[u32] {
        &self.locals
    }

    /// The turns of each node of a run in a round, where profiles are written.
    #[inline]
    pub(super) fn own_turns(&self, run: u32, round: u32) -> OwnTurns {
        let (first, count, until) = self.round_turns(run, round);
        let locals = match self.firsts[run as usize].locals {
            Locals::At(start) => Some(start),
            Locals::Same | Locals::Asked(_) => None,
        };
        OwnTurns {
            first,
            count,
            until,
            locals,
        }
    }

    fn of(&self, run: u32) -> &Profile {
        &self.rows[self.of_run[run as usize] as usize]
    }

    /// The profile of each run. Shape `[runs]`.
    pub(super) fn of_runs(&self) -> &[u32] {
        &self.of_run
    }

    /// How many profiles there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The rounds of a profile.
    pub(super) fn steps(&self, profile: usize) -> &[Step] {
        let rows = &self.rows[profile].steps;
        &self.steps[rows.start as usize..rows.end as usize]
    }

    /// The rounds behind a run's first ones.
    fn step(&self, run: u32, round: u32) -> Option<&Step> {
        let steps = self.steps(self.of_run[run as usize] as usize);
        steps.get(steps.partition_point(|step| step.end <= round))
    }

    /// On how many objects each node of a run has a process in this round.
    #[inline]
    pub(super) fn pairs(&self, run: u32, round: u32) -> u32 {
        self.round_turns(run, round).1
    }

    /// The first turn of a node in a round, how many it has there, and the first round in which they are fewer.
    #[inline]
    fn round_turns(&self, run: u32, round: u32) -> (u32, u32, u32) {
        let first = &self.firsts[run as usize];
        if round < first.until {
            return (round * first.pairs, first.pairs, first.until);
        }
        self.step(run, round).map_or((0, 0, u32::MAX), |step| {
            let turn = step.before + (round - step.start) * step.pairs;
            (turn, step.pairs, step.end)
        })
    }

    /// The process that has a turn: in a round, or object by object.
    #[inline]
    pub(super) fn local(&self, run: u32, round: Option<u32>, at: u32) -> u32 {
        let turn = || round.map_or(0, |round| self.round_turns(run, round).0) + at;
        match self.firsts[run as usize].locals {
            Locals::Same => turn(),
            Locals::At(start) => self.locals[(start + turn()) as usize],
            Locals::Asked(index) => {
                let procs = self.of(run).procs;
                self.indexes[index as usize].local(procs, round, at)
            }
        }
    }

    /// The turn of a process on an object, object by object.
    pub(super) fn turn(&self, run: u32, local: u32, object: u32) -> u32 {
        let profile = self.of(run);
        match profile.locals {
            Locals::Same => local,
            Locals::At(start) => self.turns[(start + local) as usize],
            Locals::Asked(index) => {
                self.indexes[index as usize].turn_by_object(profile.procs, local, object)
            }
        }
    }

    /// (round, turn in it) of a process on an object.
    pub(super) fn round(&self, run: u32, local: u32, object: u32) -> (u32, u32) {
        let profile = self.of(run);
        let turn = match profile.locals {
            Locals::Same => local,
            Locals::At(start) => self.turns[(start + local) as usize],
            Locals::Asked(index) => {
                return self.indexes[index as usize].turn_by_round(profile.procs, local, object);
            }
        };
        let steps = self.steps(self.of_run[run as usize] as usize);
        let step = steps[steps.partition_point(|step| step.before <= turn) - 1];
        let inside = turn - step.before;
        (step.start + inside / step.pairs, inside % step.pairs)
    }

    /// The processes that have the turns of a round, or all of them object by object.
    pub(super) fn turns(&self, run: u32, round: Option<u32>) -> Turns<'_> {
        let profile = self.of(run);
        let (first, count) = match round {
            None => (0, profile.procs),
            Some(round) => {
                let (first, count, _) = self.round_turns(run, round);
                (first, count)
            }
        };
        match profile.locals {
            Locals::Same => Turns::From(first, count),
            Locals::At(start) => {
                Turns::Listed(&self.locals[(start + first) as usize..][..count as usize])
            }
            Locals::Asked(index) => Turns::Asked {
                index: &self.indexes[index as usize],
                procs: profile.procs,
                round,
            },
        }
    }
}
