//! What walks over nodes come to: each different node once, side by side where they are many.

use super::bits::{Bits, Mask};
use super::fault::{Promise, Seen};
use super::hardware::{Hardware, OsIndex, Sorted};
use super::masks::Masks;
use super::passes;
use super::pelist::list_cpus;
use super::walk::{Broken, Case, Left, Passes};
use crate::plan::{PlacedRun, Plan};
use crate::policy::{MapBy, ObjKind};
use crate::table::apps::{AppId, PolicyId};
use crate::table::names::NodeRange;
use crate::table::patterns::PatternId;
use crate::table::pusets::{PuSetId, PuSets};
use crate::table::states::NodeState;
use crate::table::topologies::TopologyId;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};

/// Neighbouring nodes that are alike so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) count: u32,
    pub(super) state: NodeState,
    pub(super) sight: Sight,
}

/// Whether the free cpus of a node are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sight {
    Known,
    /// A walk was too long to finish.
    Lost,
}

/// What a walk depends on: equal keys, equal outcomes.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    policy: PolicyId,
    /// Of `dist`, whose device is the app's.
    app: Option<AppId>,
    kind: Option<ObjKind>,
    pattern: PatternId,
    procs: u32,
    topology: TopologyId,
    allowed: PuSetId,
    free: PuSetId,
    passes: Passes,
    given_up: Option<bool>,
}

/// The cpus free after an app, if they are known; or what is wrong.
type Outcome = Result<Option<PuSetId>, Broken>;

/// Alike nodes with processes of a run of the app.
pub(super) struct Placing {
    pub(super) run: PlacedRun,
    pub(super) nodes: NodeRange,
    pub(super) part: Part,
    /// The cpus that entries write, process by process; empty: they write none.
    pub(super) exact: Vec<Option<Mask>>,
}

/// Walks from which on they are done side by side.
const SIDE_BY_SIDE: usize = 64;

/// What walks came to, by what they depend on.
pub(super) struct Outcomes<'p> {
    plan: &'p Plan,
    known: HashMap<Key, Outcome>,
    /// What was looked up of each topology.
    seen: HashMap<TopologyId, (Sorted, OsIndex)>,
    /// Sets of the plan, as they were looked up.
    masks: Masks,
    /// Sets of PUs, what walks leave among them.
    pub(super) sets: PuSets,
    /// Whether the app that is judged gave up its default binding as a whole; `None`: no such app.
    pub(super) given_up: Option<bool>,
}

impl<'p> Outcomes<'p> {
    pub(super) fn new(plan: &'p Plan) -> Self {
        Self {
            plan,
            known: HashMap::new(),
            seen: HashMap::new(),
            masks: Masks::default(),
            sets: plan.world().pusets.clone(),
            given_up: None,
        }
    }

    /// Walks the nodes of an app that differ, over the threads of the current pool.
    pub(super) fn walk_ahead(&mut self, (app, id): (AppId, PolicyId), placings: &[Placing]) {
        let mut keys: Vec<Key> = Vec::new();
        let mut seen = HashSet::new();
        for placing in placings.iter().filter(|placing| placing.exact.is_empty()) {
            let key = self.key((app, id), placing);
            if placing.part.sight == Sight::Known
                && !self.known.contains_key(&key)
                && seen.insert(key.clone())
            {
                self.see(key.topology);
                keys.push(key);
            }
        }
        if keys.len() < SIDE_BY_SIDE {
            return;
        }
        let this = &*self;
        let walked: Vec<Result<Left, Broken>> = keys
            .par_iter()
            .with_min_len(SIDE_BY_SIDE)
            .map_init(Masks::default, |masks, key| {
                this.walk(app, key, Vec::new(), masks)
            })
            .collect();
        for (key, left) in keys.into_iter().zip(walked) {
            let outcome = self.kept(left);
            self.known.insert(key, outcome);
        }
    }

    pub(super) fn of(&mut self, (app, id): (AppId, PolicyId), placing: Placing) -> Outcome {
        let key = self.key((app, id), &placing);
        self.see(key.topology);
        if !placing.exact.is_empty() {
            let left = self.walk_one(app, &key, placing.exact);
            return self.kept(left);
        }
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let left = self.walk_one(app, &key, Vec::new());
        let outcome = self.kept(left);
        self.known.insert(key, outcome.clone());
        outcome
    }

    fn key(&self, (app, id): (AppId, PolicyId), placing: &Placing) -> Key {
        let (run, state) = (&placing.run, &placing.part.state);
        Key {
            policy: id,
            app: (self.plan.table().policies[id].map == MapBy::Dist).then_some(app),
            kind: run.kind,
            pattern: run.pattern,
            procs: run.procs,
            topology: state.topology,
            allowed: state.allowed,
            free: state.free,
            passes: passes::over(self.plan, app, id, placing.nodes.first),
            given_up: self.given_up,
        }
    }

    /// Looks up what walks need of a topology.
    fn see(&mut self, topology: TopologyId) {
        let topologies = &self.plan.world().topologies;
        self.seen.entry(topology).or_insert_with(|| {
            let sorted = Hardware::is_sorted(topologies, topology);
            let hardware = Hardware::known(topologies, topology, sorted);
            (sorted, hardware.os_index())
        });
    }

    fn kept(&mut self, left: Result<Left, Broken>) -> Outcome {
        Ok(match left? {
            Left::Free(bits) => Some(self.sets.intern(bits.as_slice())),
            Left::Unknown => None,
        })
    }

    fn walk_one(
        &mut self,
        app: AppId,
        key: &Key,
        exact: Vec<Option<Mask>>,
    ) -> Result<Left, Broken> {
        let mut masks = std::mem::take(&mut self.masks);
        let left = self.walk(app, key, exact, &mut masks);
        self.masks = masks;
        left
    }

    /// Walks the processes of a node whose topology was looked up.
    fn walk(
        &self,
        app: AppId,
        key: &Key,
        exact: Vec<Option<Mask>>,
        masks: &mut Masks,
    ) -> Result<Left, Broken> {
        let table = self.plan.table();
        let policy = &table.policies[key.policy];
        let (sorted, os) = &self.seen[&key.topology];
        let hardware = Hardware::known(&self.plan.world().topologies, key.topology, *sorted);
        let ranges = policy.list.map_or(&[][..], |list| &table.lists[list]);
        let Some(list) = list_cpus(hardware, ranges, policy.mode) else {
            return Err(Broken {
                local: 0,
                promise: Promise::CpusAllowed,
                found: Seen::Some,
                promised: Seen::Nothing,
            });
        };
        let case = Case {
            hardware,
            cpusets: &self.plan.world().cpusets,
            policy,
            device: table.device[app].as_deref(),
            kind: key.kind,
            pattern: self.plan.patterns().get(key.pattern),
            procs: key.procs,
            allowed: Bits::from_slice(self.sets.get(key.allowed)),
            free: Bits::from_slice(self.sets.get(key.free)),
            list,
            exact,
            os: os.clone(),
            passes: key.passes.clone(),
            given_up: key.given_up,
        };
        let left = case.walk(masks)?;
        Ok(case.left_by_list(left))
    }
}
