//! What walks over nodes come to: each different node once, side by side where they are many.

use super::alike::{Form, form};
use super::bits::{Bits, Mask};
use super::fault::{Promise, Seen};
use super::hardware::{Hardware, OsIndex, Sorted};
use super::masks::Masks;
use super::passes;
use super::pelist::list_cpus;
use super::walk::{Broken, Case, Left, Passes};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use stowplan_engine::plan::{PlacedRun, Plan};
use stowplan_engine::policy::{MapBy, ObjKind};
use stowplan_engine::table::apps::{AppId, PolicyId};
use stowplan_engine::table::names::NodeRange;
use stowplan_engine::table::patterns::PatternId;
use stowplan_engine::table::pusets::{PuSetId, PuSets};
use stowplan_engine::table::states::NodeState;
use stowplan_engine::table::topologies::{Topologies, TopologyId};

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
    topology: TopologyId,
    pattern: PatternId,
    app: AppOnNode,
}

/// What a walk depends on, but the node's hardware and the places there.
#[derive(Clone, PartialEq, Eq, Hash)]
struct AppOnNode {
    policy: PolicyId,
    /// Of `dist`, whose device is the app's.
    device_of: Option<AppId>,
    kind: Option<ObjKind>,
    procs: u32,
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

    /// Walks the nodes of an app that differ, over the threads of the current pool: of those that are alike, one.
    pub(super) fn walk_ahead(&mut self, app: AppId, id: PolicyId, placings: &[Placing]) {
        let keys = self.unknown(app, id, placings);
        if keys.len() < SIDE_BY_SIDE {
            return;
        }
        self.see_all(&keys);
        let this = &*self;
        let forms: Vec<Option<Form>> = keys
            .par_iter()
            .with_min_len(SIDE_BY_SIDE)
            .map(|key| this.form(key))
            .collect();
        let mut walks: Vec<&Key> = Vec::new();
        let mut first_alike: HashMap<(&AppOnNode, Form), usize> = HashMap::new();
        let mut walk_of: Vec<usize> = Vec::with_capacity(keys.len());
        for (key, form) in keys.iter().zip(forms) {
            let next = walks.len();
            let walk = form.map_or(next, |form| {
                *first_alike.entry((&key.app, form)).or_insert(next)
            });
            if walk == next {
                walks.push(key);
            }
            walk_of.push(walk);
        }
        let walked: Vec<Result<Left, Broken>> = walks
            .par_iter()
            .with_min_len(SIDE_BY_SIDE)
            .map_init(Masks::default, |masks, key| {
                this.walk(app, key, Vec::new(), masks)
            })
            .collect();
        let outcomes: Vec<Outcome> = walked.into_iter().map(|left| self.kept(left)).collect();
        for (key, walk) in keys.iter().zip(walk_of) {
            // What is broken is told with the cpus of the node itself: the others are walked when they are asked for.
            if outcomes[walk].is_ok() || key == walks[walk] {
                self.known.insert(key.clone(), outcomes[walk].clone());
            }
        }
    }

    /// The different nodes of an app that were not walked.
    fn unknown(&self, app: AppId, id: PolicyId, placings: &[Placing]) -> Vec<Key> {
        let mut keys: Vec<Key> = Vec::new();
        let mut met = HashSet::new();
        for placing in placings.iter().filter(|placing| placing.exact.is_empty()) {
            let key = self.key(app, id, placing);
            if placing.part.sight == Sight::Known
                && !self.known.contains_key(&key)
                && met.insert(key.clone())
            {
                keys.push(key);
            }
        }
        keys
    }

    fn form(&self, key: &Key) -> Option<Form> {
        let world = self.plan.world();
        let (sorted, os) = &self.seen[&key.topology];
        let hardware = Hardware::known(&world.topologies, key.topology, *sorted);
        let policy = &self.plan.table().policies[key.app.policy];
        let pattern = self.plan.patterns().get(key.pattern);
        form(hardware, os, policy, pattern, &world.cpusets)
    }

    pub(super) fn of(&mut self, app: AppId, id: PolicyId, placing: Placing) -> Outcome {
        let key = self.key(app, id, &placing);
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

    fn key(&self, app: AppId, id: PolicyId, placing: &Placing) -> Key {
        let (run, state) = (&placing.run, &placing.part.state);
        Key {
            topology: state.topology,
            pattern: run.pattern,
            app: AppOnNode {
                policy: id,
                device_of: (self.plan.table().policies[id].map == MapBy::Dist).then_some(app),
                kind: run.kind,
                procs: run.procs,
                allowed: state.allowed,
                free: state.free,
                passes: passes::over(self.plan, app, id, placing.nodes.first),
                given_up: self.given_up,
            },
        }
    }

    /// Looks up what walks need of a topology.
    fn see(&mut self, topology: TopologyId) {
        let topologies = &self.plan.world().topologies;
        let seen = self.seen.entry(topology);
        seen.or_insert_with(|| look_up(topologies, topology));
    }

    /// The same of many, over the threads of the current pool.
    fn see_all(&mut self, keys: &[Key]) {
        let topologies = &self.plan.world().topologies;
        let all = keys.iter().map(|key| key.topology);
        let unseen: HashSet<TopologyId> = all.filter(|id| !self.seen.contains_key(id)).collect();
        let looked_up: Vec<_> = unseen
            .into_par_iter()
            .map(|id| (id, look_up(topologies, id)))
            .collect();
        self.seen.extend(looked_up);
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
        let policy = &table.policies[key.app.policy];
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
            kind: key.app.kind,
            pattern: self.plan.patterns().get(key.pattern),
            procs: key.app.procs,
            allowed: Bits::from_slice(self.sets.get(key.app.allowed)),
            free: Bits::from_slice(self.sets.get(key.app.free)),
            list,
            exact,
            os: os.clone(),
            passes: key.app.passes.clone(),
            given_up: key.app.given_up,
        };
        let left = case.walk(masks)?;
        Ok(case.left_by_list(left))
    }
}

/// What walks need of a topology.
fn look_up(topologies: &Topologies, topology: TopologyId) -> (Sorted, OsIndex) {
    let sorted = Hardware::is_sorted(topologies, topology);
    let hardware = Hardware::known(topologies, topology, sorted);
    (sorted, hardware.os_index())
}
