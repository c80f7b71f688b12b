//! Kinds of nodes: those that were in the same state and got the same of every app.

use crate::answers::spread::{Stretch, stretches};
use std::collections::HashMap;
use stowplan_engine::plan::{Located, PlacedRun, Plan};
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::patterns::{PatternId, PlaceRun};
use stowplan_engine::table::states::StateId;

/// Kinds of nodes that are looked at, at most.
const KINDS_MAX: usize = 1024;
/// Runs of processes of all kinds that are looked at, at most.
const RUNS_MAX: usize = 1 << 17;
/// Stretches of nodes of a kind whose ranks may be listed.
const LISTED_MAX: usize = 16;

/// A kind of node.
pub(super) struct Kind {
    /// Its state before the job.
    pub(super) state: StateId,
    /// The nodes, as stretches.
    pub(super) stretches: Vec<Stretch>,
    /// The runs of the apps that are there, in the order of the apps.
    pub(super) guests: Vec<Guest>,
}

/// The processes of an app on a node of a kind.
pub(super) struct Guest {
    pub(super) app: AppId,
    pub(super) run: PlacedRun,
    /// Their places.
    pub(super) places: Vec<PlaceRun>,
}

/// All kinds of nodes of a plan that are looked at.
pub(super) struct Kinds;

impl Kinds {
    /// The kinds of a plan, by their first nodes.
    pub(super) fn of(plan: &Plan) -> Vec<Kind> {
        type Key = (StateId, Vec<(AppId, PatternId, u32, u32)>);
        let mut rows: HashMap<Key, usize> = HashMap::new();
        let mut kinds: Vec<Kind> = Vec::new();
        let mut runs = 0;
        for stretch in stretches(plan) {
            let of = |own: &crate::answers::spread::AppRun| {
                let run = own.of(plan);
                (own.app, run.pattern, run.procs, run.own_before)
            };
            let key = (stretch.state, stretch.runs.iter().map(of).collect());
            if let Some(&row) = rows.get(&key) {
                kinds[row].stretches.push(stretch);
                continue;
            }
            if kinds.len() >= KINDS_MAX || runs >= RUNS_MAX {
                continue;
            }
            let Some(guests) = guests(plan, &stretch, RUNS_MAX - runs) else {
                continue;
            };
            runs += guests.iter().map(|own| own.places.len() + 1).sum::<usize>();
            rows.insert(key, kinds.len());
            kinds.push(Kind {
                state: stretch.state,
                guests,
                stretches: vec![stretch],
            });
        }
        kinds
    }
}

fn guests(plan: &Plan, stretch: &Stretch, most: usize) -> Option<Vec<Guest>> {
    let mut left = most;
    let guests = stretch.runs.iter().map(|own| {
        let run = *own.of(plan);
        let places = plan.patterns().get(run.pattern).runs(run.procs);
        let places: Vec<PlaceRun> = places.take(left + 1).collect();
        left = left.checked_sub(places.len())?;
        Some(Guest {
            app: own.app,
            run,
            places,
        })
    });
    guests.collect()
}

impl Kind {
    /// How many nodes are of this kind.
    pub(super) fn nodes(&self) -> u64 {
        let counts = self.stretches.iter().map(|own| u64::from(own.nodes.count));
        counts.sum()
    }

    /// Nodes whose ranks may be listed: each as a stretch, and the number within it.
    pub(super) fn first_nodes(&self) -> impl Iterator<Item = (&Stretch, u32)> {
        let some = self.stretches.iter().take(LISTED_MAX);
        some.flat_map(|own| (0..own.nodes.count).map(move |ahead| (own, ahead)))
    }

    /// The rank of a process.
    pub(super) fn rank(
        &self,
        plan: &Plan,
        (stretch, ahead): (&Stretch, u32),
        row: usize,
        local: u32,
    ) -> u32 {
        let own = stretch.runs[row];
        let offset = stretch.nodes.first - own.of(plan).nodes.first;
        let located = Located {
            app: own.app,
            run: own.row,
            node: offset + ahead,
            local,
        };
        plan.rank_of(located).0
    }

    /// Each process of the node once per run of equal places: its guest, its number in the guest, and the run.
    pub(super) fn runs(&self) -> impl Iterator<Item = (usize, u32, &PlaceRun)> {
        self.guests.iter().enumerate().flat_map(|(row, guest)| {
            let starts = guest.places.iter().scan(0, |next, run| {
                let start = *next;
                *next += run.count;
                Some(start)
            });
            let places = starts.zip(&guest.places);
            places.map(move |(local, run)| (row, local, run))
        })
    }
}

/// Whether the masks of a plan came with GPUs.
pub(super) fn has_shares(plan: &Plan) -> bool {
    let mut runs = plan.apps().iter().flat_map(|app| app.runs());
    runs.any(|run| {
        let segments = plan.patterns().get(run.pattern).segments();
        segments.iter().any(|segment| !segment.shares.is_empty())
    })
}
