//! Results of walks over nodes. Each distinct node is walked once; many walks run in parallel.

use super::alike::{Form, form};
use super::bits::{Bits, Mask};
use super::fault::{Broken, Promise, Seen};
use super::given::GivenNode;
use super::hardware::{Hardware, OsIndex, Sorted};
use super::kept_sets::Masks;
use super::passes;
use super::pelist::list_cpus;
use super::places::ChosenBy;
use super::walk::{Case, Left, Passes};
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

/// What a walk depends on: equal keys give equal outcomes.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    topology: TopologyId,
    pattern: PatternId,
    app: AppOnNode,
}

/// The part of a key beside the topology of the node and the pattern there.
#[derive(Clone, PartialEq, Eq, Hash)]
struct AppOnNode {
    policy: PolicyId,
    by: ChosenBy,
    /// Under `dist`, the app whose device is meant.
    device_of: Option<AppId>,
    kind: Option<ObjKind>,
    procs: u32,
    allowed: PuSetId,
    free: PuSetId,
    passes: Passes,
    given_up: Option<bool>,
}

/// The cpus that are free after an app, if they are known; or the broken promise.
type Outcome = Result<Option<PuSetId>, Broken>;

/// Nodes that are alike and have processes of a run of the app.
pub(super) struct Placing {
    pub(super) run: PlacedRun,
    pub(super) nodes: NodeRange,
    pub(super) part: Part,
    /// The cpus that entries name for each process; empty if they name none.
    pub(super) exact: Vec<Option<Mask>>,
}

/// From this many walks on, they run in parallel.
const SIDE_BY_SIDE: usize = 64;

/// Results of walks, by what the walks depend on.
pub(super) struct Outcomes<'p> {
    plan: &'p Plan,
    known: HashMap<Key, Outcome>,
    /// What was looked up about each topology.
    seen: HashMap<TopologyId, (Sorted, OsIndex)>,
    /// Cpu sets of the plan that were read.
    masks: Masks,
    /// Sets of PUs, including those that walks leave free.
    pub(super) sets: PuSets,
    /// Whether the app that is being judged gave up its default binding as a whole; `None`: it does not do so as a whole.
    pub(super) given_up: Option<bool>,
}

impl<'p> Outcomes<'p> {
    pub(super) fn new(plan: &'p Plan) -> Self {
        Self {
            plan,
            known: HashMap::new(),
            seen: HashMap::new(),
            masks: Masks::default(),
            sets: PuSets::clone(&plan.world().pusets),
            given_up: None,
        }
    }

    /// Walks the distinct nodes of an app on the threads of the current pool. When nodes differ only in the OS numbers of their
    /// cpus, one of them is walked.
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
            // A fault names the cpus of its own node, so the other nodes of a broken walk are walked when they are asked for.
            if outcomes[walk].is_ok() || key == walks[walk] {
                self.known.insert(key.clone(), outcomes[walk].clone());
            }
        }
    }

    /// The distinct nodes of an app that were not walked yet.
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
        let policy = &self.plan.resolved_apps().policies[key.app.policy];
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
                by: match self.plan.app(app).claimed().by_component() {
                    true => ChosenBy::Component,
                    false => ChosenBy::Rules,
                },
                device_of: (self.plan.resolved_apps().policies[id].map == MapBy::Dist)
                    .then_some(app),
                kind: run.kind,
                procs: run.procs,
                allowed: state.allowed,
                free: state.free,
                passes: passes::over(self.plan, app, id, placing.nodes.first),
                given_up: self.given_up,
            },
        }
    }

    /// Looks up what walks need to know about a topology.
    fn see(&mut self, topology: TopologyId) {
        let topologies = &self.plan.world().topologies;
        let seen = self.seen.entry(topology);
        seen.or_insert_with(|| look_up(topologies, topology));
    }

    /// The same for many topologies, on the threads of the current pool.
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
        let table = self.plan.resolved_apps();
        let policy = &table.policies[key.app.policy];
        let (sorted, os) = &self.seen[&key.topology];
        let hardware = Hardware::known(&self.plan.world().topologies, key.topology, *sorted);
        if policy.map == MapBy::Given {
            let node = GivenNode {
                hardware,
                cpusets: &self.plan.world().cpusets,
                pattern: self.plan.patterns().get(key.pattern),
                procs: key.app.procs,
                kind: key.app.kind,
                allowed: &Bits::from_slice(self.sets.get(key.app.allowed)),
            };
            node.judge()?;
            // Such processes take no cpus away: rules of launchers may share them.
            return Ok(Left::Free(Bits::from_slice(self.sets.get(key.app.free))));
        }
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
            by: key.app.by,
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

/// What walks need to know about a topology.
fn look_up(topologies: &Topologies, topology: TopologyId) -> (Sorted, OsIndex) {
    let sorted = Hardware::is_sorted(topologies, topology);
    let hardware = Hardware::known(topologies, topology, sorted);
    (sorted, hardware.os_index())
}
