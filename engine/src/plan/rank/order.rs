//! The order of the ranks of one app: node by node, round by round, or as written.
//!
//! *Node by node* (slot, fill) is a prefix sum over the placed runs. *Round by round* (node, span) goes in phases, in each of
//! which the same take part: `rounds.rs`.

use super::deal::ProfileStep;
use super::profile::{Dealt, Distinct, Profiles, Turning};
use super::rounds::{RoundScratch, Rounds};
use crate::plan::placed::{Placed, PlacedRun, RankOrder};
use crate::plan::places::Places;
use crate::plan::steps::Steps;
use crate::table::interner::Guess;
use crate::table::patterns::{Pattern, PatternId, Patterns};
use smallvec::SmallVec;
use std::sync::{Arc, OnceLock};

/// What is derived to answer quickly.
#[derive(Clone, Debug)]
pub(crate) enum Order {
    Slot,
    Fill(Profiles),
    Node(Rounds),
    Span(Rounds, Profiles),
    Listed {
        /// The first app rank of each listed run.
        ranks: Steps,
        /// Rows of the listed runs by ascending (node, local), from the first question on that needs them.
        by_node: OnceLock<Vec<u32>>,
    },
}

/// What the orders of all apps share: the profiles of nodes, object by object and round by round.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared {
    by_object: Option<Arc<Distinct>>,
    by_round: Option<Arc<Distinct>>,
}

/// The profile of each run of an app, shape `[runs]`; `None`: its order needs none.
pub(crate) type Met = Option<Vec<u32>>;

impl Shared {
    /// Object by object: the process of each turn, and what it gets, where turns go otherwise than processes.
    #[inline]
    pub(crate) fn dealt_by_object(&self) -> Dealt<'_> {
        let all = self.by_object.as_ref();
        all.map(|all| all.dealt()).unwrap_or_default()
    }

    /// The same, round by round.
    #[inline]
    pub(crate) fn dealt_by_round(&self) -> Dealt<'_> {
        let all = self.by_round.as_ref();
        all.map(|all| all.dealt()).unwrap_or_default()
    }

    /// The profiles of every app. What no earlier plan of the same patterns worked out is worked out now. Shape `[apps]`.
    ///
    /// Cost: the runs of apps by fill and span; what is new as [`Distinct::work_out`] says.
    pub(crate) fn meet(
        &mut self,
        placed: &[Placed],
        patterns: &Patterns,
        places: &Places,
    ) -> Vec<Met> {
        let (mut objects, mut rounds) = (Guess::default(), Guess::default());
        let met = placed.iter().map(|app| match app.order {
            RankOrder::Slot | RankOrder::Node | RankOrder::Listed(_) => None,
            RankOrder::Fill if in_object_order(&app.runs, patterns) => None,
            RankOrder::Fill => {
                let distinct = kept(&mut self.by_object, Turning::ByObject);
                Some(profiles(distinct, &app.runs, &mut objects))
            }
            RankOrder::Span => {
                let distinct = kept(&mut self.by_round, Turning::ByRound);
                Some(profiles(distinct, &app.runs, &mut rounds))
            }
        });
        let met = met.collect();
        for distinct in self.by_object.iter_mut().chain(&mut self.by_round) {
            if distinct.has_new() {
                Arc::make_mut(distinct).work_out(patterns, places);
            }
        }
        met
    }
}

/// What was worked out of such turns; nothing before they are first asked for.
fn kept(distinct: &mut Option<Arc<Distinct>>, turning: Turning) -> &mut Arc<Distinct> {
    distinct.get_or_insert_with(|| Arc::new(Distinct::new(turning)))
}

/// The profile of each run, known or new.
fn profiles(distinct: &mut Arc<Distinct>, runs: &[PlacedRun], guess: &mut Guess) -> Vec<u32> {
    // An earlier plan may still be there, and look at them.
    let known = distinct.find(runs, guess);
    known.unwrap_or_else(|| Arc::make_mut(distinct).meet(runs, guess))
}

impl Order {
    /// The order of an app. `scratch`: kept from app to app.
    pub(crate) fn new(
        placed: &Placed,
        met: Met,
        shared: &Shared,
        scratch: &mut RoundScratch,
    ) -> Self {
        let runs = &placed.runs[..];
        match &placed.order {
            RankOrder::Slot => Self::Slot,
            RankOrder::Fill => {
                let profiles = met.zip(shared.by_object.as_ref());
                profiles.map_or(Self::Slot, |(met, distinct)| {
                    Self::Fill(Profiles::new(distinct, met))
                })
            }
            RankOrder::Node => Self::Node(rounds_of_nodes(runs, scratch)),
            RankOrder::Span => {
                let (met, distinct) = met
                    .zip(shared.by_round.as_ref())
                    .expect("the profiles of an app by span were met");
                let profiles = Profiles::new(distinct, met);
                let rounds = rounds_of_profiles(runs, &profiles, scratch);
                Self::Span(rounds, profiles)
            }
            RankOrder::Listed(listed) => {
                let ranks = Steps::one(listed.len(), listed.iter().map(|run| run.rank));
                let by_node = OnceLock::new();
                Self::Listed { ranks, by_node }
            }
        }
    }
}

/// The rounds of nodes that each have one process in every round, as long as they have any.
fn rounds_of_nodes(runs: &[PlacedRun], scratch: &mut RoundScratch) -> Rounds {
    let step = |end| ProfileStep {
        start: 0,
        end,
        pairs: 1,
        before: 0,
    };
    scratch.of_kinds(runs.iter().map(|run| run.procs));
    let steps: SmallVec<[ProfileStep; 4]> = scratch
        .distinct()
        .iter()
        .map(|&procs| step(procs))
        .collect();
    let steps: SmallVec<[&[ProfileStep]; 4]> = steps.chunks(1).collect();
    Rounds::new(runs, &steps, scratch)
}

/// The rounds of nodes by their profiles.
fn rounds_of_profiles(
    runs: &[PlacedRun],
    profiles: &Profiles,
    scratch: &mut RoundScratch,
) -> Rounds {
    scratch.of_kinds(profiles.of_runs().iter().copied());
    let kinds = scratch.distinct().iter();
    let steps: SmallVec<[&[ProfileStep]; 4]> =
        kinds.map(|&profile| profiles.steps(profile)).collect();
    Rounds::new(runs, &steps, scratch)
}

/// Whether on every node the processes stand in the order of their objects: then fill is slot. Cost: the runs, and the
/// distinct patterns of which that is not known.
fn in_object_order(runs: &[PlacedRun], patterns: &Patterns) -> bool {
    let unsure = runs
        .iter()
        .filter(|run| !patterns.get(run.pattern).ascends());
    let mut unsure: SmallVec<[(PatternId, u32); 4]> =
        unsure.map(|run| (run.pattern, run.procs)).collect();
    unsure.sort_unstable();
    // What holds for the most processes of a pattern holds for fewer.
    let mut alike = unsure.chunk_by(|a, b| a.0 == b.0);
    alike.all(|alike| {
        let (pattern, procs) = alike[alike.len() - 1];
        ascends(patterns.get(pattern), procs)
    })
}

/// Whether the first `procs` processes of a pattern stand in the order of their objects.
fn ascends(pattern: &Pattern, procs: u32) -> bool {
    if pattern.ascends() {
        return true;
    }
    let written: usize = pattern
        .segments()
        .iter()
        .map(|segment| segment.runs.len())
        .sum();
    let mut last = None;
    for (seen, run) in pattern.runs(procs).enumerate() {
        if run.place.object < last {
            return false;
        }
        // A round that comes again descends, or it has one object only.
        if seen >= written {
            let runs = pattern.segments().iter().flat_map(|segment| &segment.runs);
            return { runs }.all(|run| run.place.object == last);
        }
        last = run.place.object;
    }
    true
}

/// One process of an app: which run, which node of it, which of the node's processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ProcInRun {
    pub(crate) run: u32,
    pub(crate) node: u32,
    pub(crate) local: u32,
}
