//! Where the processes of a plan are, as stretches of equal nodes. The columns of all levels are made from these.

use crate::score::error::ScoreError;
use crate::score::level::{BELOW, Level};
use crate::score::limit::RANKS_MAX;
use std::collections::HashMap;
use std::ops::Range;
use stowplan_engine::plan::{AppPlan, Plan};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::cpusets::CpusetId;
use stowplan_engine::table::names::NodeRange;
use stowplan_engine::table::patterns::PatternId;
use stowplan_engine::table::topologies::TopologyId;

/// A kind of process, as levels below the node see it: its topology, and its cpus there.
type Kind = (TopologyId, Option<CpusetId>);

/// Neighbouring nodes of one topology that have the same processes of an app.
#[derive(Clone, Debug)]
pub(crate) struct Stretch {
    pub(crate) nodes: NodeRange,
    /// Processes of each node.
    pub(crate) procs: u32,
    /// Their rows in `Places::kind_of`.
    pub(crate) kinds: Range<usize>,
}

/// The processes of a plan. Places are counted app by app, in an app node by node, on a node by local rank.
pub(crate) struct Places<'p> {
    pub(crate) plan: &'p Plan,
    /// In the order of places. Shape `[apps]`.
    pub(crate) stretches: Vec<Vec<Stretch>>,
    kinds: Vec<Kind>,
    /// A row of `kinds` for each process of a node of a stretch.
    pub(crate) kind_of: Vec<u32>,
    topologies: Vec<TopologyId>,
}

impl<'p> Places<'p> {
    /// Reads a plan. Cost: its runs, and the processes of each distinct pattern.
    ///
    /// # Errors
    /// `job-too-large` beyond [`RANKS_MAX`] ranks.
    pub(crate) fn of(plan: &'p Plan) -> Result<Self, ScoreError> {
        let ranks = plan.ranks();
        if ranks > RANKS_MAX {
            return Err(ScoreError::TooLarge {
                what: "ranks that can be scored",
                found: u64::from(ranks),
                limit: u64::from(RANKS_MAX),
            });
        }
        let mut places = Self {
            plan,
            stretches: Vec::with_capacity(plan.apps().len()),
            kinds: Vec::new(),
            kind_of: Vec::new(),
            topologies: Vec::new(),
        };
        let mut known = Known::default();
        for app in plan.apps() {
            let stretches = places.stretches_of(app, &mut known);
            places.stretches.push(stretches);
        }
        places.topologies.sort_unstable();
        places.topologies.dedup();
        Ok(places)
    }

    fn stretches_of(&mut self, app: &AppPlan, known: &mut Known) -> Vec<Stretch> {
        let world = self.plan.world();
        let mut stretches: Vec<Stretch> = Vec::new();
        for run in app.runs() {
            let mut last = None;
            for (nodes, state) in world.before.within(run.nodes) {
                let topology = world.states.get(state).topology;
                if let Some(stretch) = stretches.last_mut().filter(|_| last == Some(topology)) {
                    stretch.nodes.count += nodes.count;
                    continue;
                }
                last = Some(topology);
                self.topologies.push(topology);
                let kinds = self.kinds_of((run.pattern, topology), run.procs, known);
                stretches.push(Stretch {
                    nodes,
                    procs: run.procs,
                    kinds,
                });
            }
        }
        stretches
    }

    /// The kinds of the first processes of a pattern.
    fn kinds_of(
        &mut self,
        key: (PatternId, TopologyId),
        procs: u32,
        known: &mut Known,
    ) -> Range<usize> {
        let count = procs as usize;
        if let Some(here) = known.patterns.get(&key).filter(|here| here.len() >= count) {
            return here.start..here.start + count;
        }
        let first = self.kind_of.len();
        let pattern = self.plan.patterns().get(key.0);
        for run in pattern.runs(procs) {
            let kind = (key.1, run.place.cpus);
            let row = *known.kinds.entry(kind).or_insert_with(|| {
                self.kinds.push(kind);
                row(self.kinds.len() - 1)
            });
            let end = self.kind_of.len() + run.count as usize;
            self.kind_of.resize(end, row);
        }
        known.patterns.insert(key, first..first + count);
        first..first + count
    }

    /// The levels that every used node has, from the node down.
    pub(crate) fn levels(&self) -> Vec<Level> {
        let topologies = &self.plan.world().topologies;
        let has = |kind: &ObjKind| {
            let mut all = self.topologies.iter();
            !self.topologies.is_empty() && all.all(|&id| topologies.count(id, *kind) > 0)
        };
        let below = BELOW.into_iter().filter(has).map(Level::Kind);
        std::iter::once(Level::Node).chain(below).collect()
    }

    /// Which object of its node each kind of process is in: the first one that holds all its cpus. Shape `[kinds]`.
    pub(crate) fn inside(&self, level: Level) -> Vec<Option<u32>> {
        let Level::Kind(kind) = level else {
            return vec![Some(0); self.kinds.len()];
        };
        let mut first: HashMap<TopologyId, HashMap<u32, u32>> = HashMap::new();
        let object = |&(topology, cpus): &Kind| {
            let first = first
                .entry(topology)
                .or_insert_with(|| self.first_objects(topology, kind));
            self.object_of(kind, (topology, cpus), first)
        };
        self.kinds.iter().map(object).collect()
    }

    /// The first object of a kind that each cpu is in.
    fn first_objects(&self, topology: TopologyId, kind: ObjKind) -> HashMap<u32, u32> {
        let world = self.plan.world();
        let mut first = HashMap::new();
        for (at, object) in (0..).zip(world.topologies.objects(topology, kind)) {
            for cpu in world.cpusets.get(world.topologies.cpuset(object)) {
                first.entry(cpu).or_insert(at);
            }
        }
        first
    }

    fn object_of(
        &self,
        kind: ObjKind,
        (topology, cpus): Kind,
        first: &HashMap<u32, u32>,
    ) -> Option<u32> {
        let world = self.plan.world();
        let cpus = world.cpusets.get(cpus?);
        let holds = |at: u32| {
            let object = world.topologies.object(topology, kind, at);
            object.is_some_and(|object| {
                cpus.is_subset(world.cpusets.get(world.topologies.cpuset(object)))
            })
        };
        // Start at the first object that has its first cpu: no earlier object holds it, and mostly this one does.
        let from = *first.get(&cpus.min()?)?;
        (from..world.topologies.count(topology, kind)).find(|&at| holds(at))
    }
}

/// The patterns and kinds that were met already.
#[derive(Default)]
struct Known {
    patterns: HashMap<(PatternId, TopologyId), Range<usize>>,
    kinds: HashMap<Kind, u32>,
}

fn row(at: usize) -> u32 {
    u32::try_from(at).expect("there are fewer kinds than ranks")
}
