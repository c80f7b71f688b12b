//! The processes of a plan whose threads have the same answer: by app, topology and mask.

use std::collections::HashMap;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{Located, PlacedRun, Plan, RankOrder};
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::cpusets::CpusetId;
use stowplan_engine::table::names::NodeRange;
use stowplan_engine::table::patterns::PatternId;
use stowplan_engine::table::topologies::TopologyId;

/// What decides where the threads of a process go.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// Its app.
    pub app: AppId,
    /// The topology of its node.
    pub topology: TopologyId,
    /// The cpus it is bound to; `None`: unbound.
    pub cpus: Option<CpusetId>,
}

/// Processes with equal keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Class {
    /// What they share.
    pub key: Key,
    /// How many they are.
    pub ranks: u64,
    /// The first of them.
    pub first: u32,
}

/// Nodes that an app fills alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stretch {
    pub(super) app: AppId,
    pub(super) nodes: NodeRange,
    pub(super) topology: TopologyId,
    pub(super) pattern: PatternId,
    pub(super) procs: u32,
    /// Row of the run in its app, and the first node within it.
    run: u32,
    offset: u32,
}

impl Stretch {
    /// A process of it: `node` of the pool, and its number among the app's processes there.
    pub(super) fn located(&self, node: u32, local: u32) -> Located {
        let (app, run) = (self.app, self.run);
        let node = self.offset + (node - self.nodes.first);
        Located {
            app,
            run,
            node,
            local,
        }
    }
}

/// The nodes of all apps, cut where the topology changes. Cost: runs, and changes of state.
pub(super) fn stretches(plan: &Plan) -> Vec<Stretch> {
    let world = plan.world();
    let before: Vec<(NodeRange, TopologyId)> = { world.before.iter() }
        .map(|(nodes, state)| (nodes, world.states.get(state).topology))
        .collect();
    let mut all = Vec::new();
    for (app, placed) in plan.apps().iter().enumerate() {
        for (row, run) in (0..).zip(placed.runs()) {
            let from = before.partition_point(|(nodes, _)| nodes.end() <= run.nodes.first);
            let under = before[from..]
                .iter()
                .take_while(|(nodes, _)| nodes.first < run.nodes.end());
            for (nodes, topology) in under {
                let own = cut(run, *nodes);
                let app = AppId::from_row(app);
                all.push(Stretch {
                    app,
                    nodes: own,
                    topology: *topology,
                    pattern: run.pattern,
                    procs: run.procs,
                    run: row,
                    offset: own.first - run.nodes.first,
                });
            }
        }
    }
    all
}

fn cut(run: &PlacedRun, nodes: NodeRange) -> NodeRange {
    let first = run.nodes.first.max(nodes.first);
    let end = run.nodes.end().min(nodes.end());
    let count = end - first;
    NodeRange { first, count }
}

/// The classes of a plan, by their first ranks.
///
/// Cost: runs times the processes of a node; for listed ranks also the processes of these runs.
#[must_use]
pub fn classes(plan: &Plan) -> Vec<Class> {
    let mut rows: HashMap<Key, usize> = HashMap::new();
    let mut classes: Vec<Class> = Vec::new();
    for stretch in stretches(plan) {
        let pattern = plan.patterns().get(stretch.pattern);
        let listed = matches!(plan.app(stretch.app).order(), RankOrder::Listed(_));
        let nodes = if listed { stretch.nodes.count } else { 1 };
        for local in 0..stretch.procs {
            let key = Key {
                app: stretch.app,
                topology: stretch.topology,
                cpus: pattern.place(local).cpus,
            };
            let rank = |node: u32| {
                let (app, run, node) = (stretch.app, stretch.run, stretch.offset + node);
                plan.rank_of(Located {
                    app,
                    run,
                    node,
                    local,
                })
                .0
            };
            let first = (0..nodes).map(rank).min().unwrap_or(0);
            let row = *rows.entry(key).or_insert(classes.len());
            if row == classes.len() {
                let ranks = 0;
                classes.push(Class { key, ranks, first });
            }
            let class = &mut classes[row];
            class.ranks += u64::from(stretch.nodes.count);
            class.first = class.first.min(first);
        }
    }
    classes.sort_by_key(|class| (class.key.app, class.first));
    classes
}
