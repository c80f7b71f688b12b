//! What one node holds of each object, a distinct (pattern, number of processes): which process has which turn in rank by fill
//! and span.
//!
//! Where nodes are of a size that there is, a profile's processes stand written out in the order in which they have their
//! turn, so that a rank is an index. Where they would take much more than the patterns themselves, an index by object is asked.
//! The apps of a plan share profiles, and a plan made again has those of the last one.

use super::deal::{Deal, ProfileStep, Tally};
use super::turns::ObjectIndex;
use crate::plan::placed::{PlacedRun, row};
use crate::plan::places::{Packed, Places};
use crate::table::interner::{Guess, InTurn};
use crate::table::patterns::{PatternId, Patterns};
use std::ops::Range;
use std::sync::Arc;

/// NodeTurns that are written out in any case, and how many more for each run of a pattern.
const ALWAYS: usize = 1 << 18;
const PER_RUN: usize = 8;

/// The order in which the processes of a node have their turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turning {
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
pub(crate) enum NodeTurns<'p> {
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

impl NodeTurns<'_> {
    /// Some of them. `scratch`: where they are put when they stand nowhere.
    pub(crate) fn some<'s>(self, turns: Range<u32>, scratch: &'s mut Vec<u32>) -> NodeTurns<'s>
    where
        Self: 's,
    {
        match self {
            Self::From(first, _) => NodeTurns::From(first + turns.start, turns.end - turns.start),
            Self::Listed(locals) => {
                NodeTurns::Listed(&locals[turns.start as usize..turns.end as usize])
            }
            Self::Asked {
                index,
                procs,
                round,
            } => {
                scratch.clear();
                index.turns(procs, round, turns, scratch);
                NodeTurns::Listed(scratch)
            }
        }
    }
}

/// The turns of a node in a round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnTurns {
    /// The first, by its number among all of the node, and how many.
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// What a run's first rounds need of its profile: side by side, where a question looks first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct First {
    /// The first step: on how many objects a node has a process, before which round.
    pairs: u32,
    until: u32,
    locals: Locals,
}

/// The process of each turn, and what it gets, where turns go otherwise than processes. Shapes `[turns]`.
#[derive(Clone, Copy, Default)]
pub(crate) struct Dealt<'p> {
    pub(crate) locals: &'p [u32],
    pub(crate) places: &'p [Packed],
}

impl First {
    /// Where the processes of all turns stand in [`Profiles::dealt`].
    pub(crate) const fn dealt(&self) -> Option<u32> {
        match self.locals {
            Locals::At(start) => Some(start),
            Locals::Same | Locals::Asked(_) => None,
        }
    }

    /// Whether an index is asked for them.
    pub(crate) const fn is_asked(&self) -> bool {
        matches!(self.locals, Locals::Asked(_))
    }
}

/// A pattern, and how many processes of it a node has.
type ProfileKey = (PatternId, u32);

/// The distinct profiles of all apps of a plan, in which processes have their turns alike.
#[derive(Clone, Debug)]
pub(crate) struct Distinct {
    turning: Turning,
    /// Which profiles there are. Shape `[profiles]`.
    known: InTurn<ProfileKey>,
    /// Shape `[profiles]`, without those that were met since they were worked out.
    rows: Vec<Profile>,
    steps: Vec<ProfileStep>,
    /// Written out: the process of each turn, what it gets, and the turn of each process.
    locals: Vec<u32>,
    dealt: Vec<Packed>,
    turns: Vec<u32>,
    indexes: Vec<ObjectIndex>,
    /// NodeTurns that may still be written out.
    room: usize,
}

impl Distinct {
    /// No profiles yet.
    pub(crate) fn new(turning: Turning) -> Self {
        Self {
            turning,
            known: InTurn::default(),
            rows: Vec::new(),
            steps: Vec::new(),
            locals: Vec::new(),
            dealt: Vec::new(),
            turns: Vec::new(),
            indexes: Vec::new(),
            room: ALWAYS,
        }
    }

    /// The profile of each run, where all are known. Shape `[runs]`.
    pub(crate) fn find(&self, runs: &[PlacedRun], guess: &mut Guess) -> Option<Vec<u32>> {
        let find = |run: &PlacedRun| self.known.find((run.pattern, run.procs), guess).map(row);
        runs.iter().map(find).collect()
    }

    /// The profile of each run, known or new: new ones are for [`Self::work_out`]. Shape `[runs]`.
    pub(crate) fn meet(&mut self, runs: &[PlacedRun], guess: &mut Guess) -> Vec<u32> {
        let known = &mut self.known;
        let meet = |run: &PlacedRun| {
            let key = (run.pattern, run.procs);
            let found = known.find(key, guess);
            row(found.unwrap_or_else(|| known.push(key)))
        };
        runs.iter().map(meet).collect()
    }

    /// Whether profiles were met that are not worked out yet.
    pub(crate) fn has_new(&self) -> bool {
        self.rows.len() < self.known.keys().len()
    }

    /// Works out the profiles that were met since the last time. Cost: the processes of each of them, as far as they are
    /// written out; of others the distinct objects or, if fewer, the processes by which they differ from the last one of the
    /// same pattern.
    pub(crate) fn work_out(&mut self, patterns: &Patterns, places: &Places) {
        let first = self.rows.len();
        let mut new: Vec<(ProfileKey, u32)> = {
            let keys = self.known.keys()[first..].iter().copied();
            keys.zip(row(first)..).collect()
        };
        new.sort_unstable();
        let unknown = Profile {
            procs: 0,
            locals: Locals::Same,
            steps: 0..0,
        };
        self.rows.resize(first + new.len(), unknown);
        let mut deal = Deal::default();
        for alike in new.chunk_by(|a, b| a.0.0 == b.0.0) {
            let id = alike[0].0.0;
            let pattern = patterns.get(id);
            let runs = pattern.segments().iter().map(|segment| segment.runs.len());
            let more = runs.sum::<usize>().saturating_mul(PER_RUN);
            self.room = self.room.saturating_add(more);
            deal.enter(pattern);
            let mut tally: Option<Tally<'_>> = None;
            for &((_, procs), profile) in alike {
                let cost = deal.objects().max(procs as usize);
                let written = places.of(id).zip(self.room.checked_sub(cost));
                let made = if let Some((places, left)) = written {
                    self.room = left;
                    self.write(&mut deal, &places[..procs as usize])
                } else {
                    let tally = tally.get_or_insert_with(|| {
                        let index = ObjectIndex::new(pattern);
                        let tally = Tally::new(pattern, &index);
                        self.indexes.push(index);
                        tally
                    });
                    self.ask(tally, procs)
                };
                self.rows[profile as usize] = made;
            }
        }
    }

    /// A profile, written out.
    fn write(&mut self, deal: &mut Deal, places: &[Packed]) -> Profile {
        let first = row(self.steps.len());
        match self.turning {
            Turning::ByObject => deal.by_object(places),
            Turning::ByRound => deal.by_round(places, &mut self.steps),
        }
        let procs = row(places.len());
        let locals = if deal.out.iter().copied().eq(0..procs) {
            Locals::Same
        } else {
            let start = self.locals.len();
            self.locals.extend_from_slice(&deal.out);
            let dealt = deal.out.iter().map(|&local| places[local as usize]);
            self.dealt.extend(dealt);
            self.turns.resize(self.locals.len(), 0);
            for (turn, &local) in (0..).zip(&deal.out) {
                self.turns[start + local as usize] = turn;
            }
            Locals::At(row(start))
        };
        Profile {
            procs,
            locals,
            steps: first..row(self.steps.len()),
        }
    }

    /// A profile of the pattern whose index was added last.
    fn ask(&mut self, tally: &mut Tally<'_>, procs: u32) -> Profile {
        let first = row(self.steps.len());
        let index = self.indexes.len() - 1;
        if self.turning == Turning::ByRound {
            tally.rounds(&self.indexes[index], procs, &mut self.steps);
        }
        Profile {
            procs,
            locals: Locals::Asked(row(index)),
            steps: first..row(self.steps.len()),
        }
    }

    /// The process of each turn, and what it gets, of the profiles in which turns go otherwise than processes.
    #[inline]
    pub(crate) fn dealt(&self) -> Dealt<'_> {
        Dealt {
            locals: &self.locals,
            places: &self.dealt,
        }
    }

    /// The rounds of a profile.
    pub(crate) fn steps(&self, profile: u32) -> &[ProfileStep] {
        let rows = &self.rows[profile as usize].steps;
        &self.steps[rows.start as usize..rows.end as usize]
    }
}

/// The profiles of one app.
#[derive(Clone, Debug)]
pub(crate) struct Profiles {
    distinct: Arc<Distinct>,
    /// The profile of each run. Shape `[runs]`.
    of_run: Vec<u32>,
    firsts: Vec<First>,
}

impl Profiles {
    /// Those of an app of whose runs this is the profile. Cost: the runs.
    pub(crate) fn new(distinct: &Arc<Distinct>, of_run: Vec<u32>) -> Self {
        let first = |&profile: &u32| {
            let step = distinct.steps(profile).first();
            First {
                pairs: step.map_or(0, |step| step.pairs),
                until: step.map_or(0, |step| step.end),
                locals: distinct.rows[profile as usize].locals,
            }
        };
        let firsts: Vec<First> = of_run.iter().map(first).collect();
        Self {
            firsts,
            of_run,
            distinct: Arc::clone(distinct),
        }
    }

    /// The turns of each node of a run in a round.
    #[inline]
    pub(crate) fn own_turns(&self, run: u32, round: u32) -> OwnTurns {
        let first = &self.firsts[run as usize];
        if round < first.until {
            return OwnTurns {
                first: round * first.pairs,
                count: first.pairs,
            };
        }
        let step = self.step(run, round);
        step.map_or(OwnTurns { first: 0, count: 0 }, |step| OwnTurns {
            first: step.turn(round),
            count: step.pairs,
        })
    }

    fn of(&self, run: u32) -> &Profile {
        &self.distinct.rows[self.of_run[run as usize] as usize]
    }

    /// The profile of each run. Shape `[runs]`.
    pub(crate) fn of_runs(&self) -> &[u32] {
        &self.of_run
    }

    /// The rounds of a profile.
    pub(crate) fn steps(&self, profile: u32) -> &[ProfileStep] {
        self.distinct.steps(profile)
    }

    /// What the first rounds of a run need.
    pub(crate) fn first(&self, run: u32) -> &First {
        &self.firsts[run as usize]
    }

    /// The rounds of a run.
    pub(crate) fn steps_of(&self, run: u32) -> &[ProfileStep] {
        self.steps(self.of_run[run as usize])
    }

    /// The rounds behind a run's first ones.
    fn step(&self, run: u32, round: u32) -> Option<&ProfileStep> {
        let steps = self.steps_of(run);
        steps.get(steps.partition_point(|step| step.end <= round))
    }

    /// On how many objects each node of a run has a process in this round.
    #[inline]
    pub(crate) fn pairs(&self, run: u32, round: u32) -> u32 {
        self.own_turns(run, round).count
    }

    /// The process that has a turn: in a round, or object by object.
    #[inline]
    pub(crate) fn local(&self, run: u32, round: Option<u32>, at: u32) -> u32 {
        let turn = || round.map_or(0, |round| self.own_turns(run, round).first) + at;
        match self.firsts[run as usize].locals {
            Locals::Same => turn(),
            Locals::At(start) => self.distinct.locals[(start + turn()) as usize],
            Locals::Asked(index) => {
                let procs = self.of(run).procs;
                self.distinct.indexes[index as usize].local(procs, round, at)
            }
        }
    }

    /// The turn of a process on an object, object by object.
    pub(crate) fn turn(&self, run: u32, local: u32, object: u32) -> u32 {
        let profile = self.of(run);
        match profile.locals {
            Locals::Same => local,
            Locals::At(start) => self.distinct.turns[(start + local) as usize],
            Locals::Asked(index) => {
                self.distinct.indexes[index as usize].turn_by_object(profile.procs, local, object)
            }
        }
    }

    /// (round, turn in it) of a process on an object.
    pub(crate) fn round(&self, run: u32, local: u32, object: u32) -> (u32, u32) {
        let profile = self.of(run);
        let turn = match profile.locals {
            Locals::Same => local,
            Locals::At(start) => self.distinct.turns[(start + local) as usize],
            Locals::Asked(index) => {
                let index = &self.distinct.indexes[index as usize];
                return index.turn_by_round(profile.procs, local, object);
            }
        };
        let steps = self.steps_of(run);
        let step = steps[steps.partition_point(|step| step.before <= turn) - 1];
        let inside = turn - step.before;
        (step.start + inside / step.pairs, inside % step.pairs)
    }

    /// The processes that have the turns of a round, or all of them object by object.
    pub(crate) fn turns(&self, run: u32, round: Option<u32>) -> NodeTurns<'_> {
        let profile = self.of(run);
        let (first, count) = match round {
            None => (0, profile.procs),
            Some(round) => {
                let own = self.own_turns(run, round);
                (own.first, own.count)
            }
        };
        match profile.locals {
            Locals::Same => NodeTurns::From(first, count),
            Locals::At(start) => NodeTurns::Listed(
                &self.distinct.locals[(start + first) as usize..][..count as usize],
            ),
            Locals::Asked(index) => NodeTurns::Asked {
                index: &self.distinct.indexes[index as usize],
                procs: profile.procs,
                round,
            },
        }
    }
}
