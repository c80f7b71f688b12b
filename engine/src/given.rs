//! A plan made of given masks: somebody else has decided where each process goes, and the engine makes a plan of it.
//!
//! A launcher's own rules end here. What they decided comes as runs of equal nodes and patterns of processes, so a plan costs
//! what distinct things cost.

use crate::count::ProcCount;
use crate::error::PlaceError;
use crate::limit::RANKS_MAX;
use crate::plan::{Claimed, Placed, PlacedRun, Plan, RankOrder, World};
use crate::policy::{
    BindStrength, BindTo, CpuMode, GpuShare, IfSupported, MapBy, NoLocal, ObjKind, Ordered,
    Overload, Oversubscribe, RankBy, Span,
};
use crate::table::apps::{AppTable, Policy};
use crate::table::cpusets::Cpusets;
use crate::table::names::{Names, NodeId, NodeRange};
use crate::table::origins::{Origin, Origins};
use crate::table::patterns::{PatternId, Patterns, Place, PlaceRun, Segment, ShareRun};
use crate::table::states::{NodeState, Runs, StateRuns};
use crate::table::topologies::{Topologies, TopologyId};
use bitvec::vec::BitVec;
use roaring::RoaringBitmap;
use std::sync::Arc;

/// Neighbouring processes of a node that were given the same.
#[derive(Clone, PartialEq, Debug)]
pub struct GivenProcs {
    /// How many, at least 1.
    pub count: u32,
    /// Logical index of the object they were mapped to, of the run's kind.
    pub object: Option<u32>,
    /// The cpus of each by OS number; `None`: unbound.
    pub cpus: Option<RoaringBitmap>,
    /// The GPUs of each by logical number; `None`: nothing is said of GPUs.
    pub gpus: Option<Vec<u32>>,
}

/// Neighbouring nodes that have the same processes of an app.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GivenRun {
    /// The nodes.
    pub nodes: NodeRange,
    /// A row of [`GivenJob::patterns`].
    pub pattern: usize,
    /// The kind of the objects of the pattern.
    pub kind: Option<ObjKind>,
}

/// An app whose processes were given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GivenApp {
    /// Its number in the line, from 0. Several may have one number: parts of an app whose ranks are mixed with others'.
    pub number: u32,
    /// The program, then its arguments.
    pub program: Vec<String>,
    /// Where its processes are, in the order in which its ranks go over nodes.
    pub runs: Vec<GivenRun>,
    /// The order of its ranks.
    pub order: RankOrder,
}

/// A job whose processes were given.
#[derive(Clone, Debug)]
pub struct GivenJob {
    /// The nodes.
    pub names: Names,
    /// The topology and the slots of each node, as runs that cover all nodes in order.
    pub nodes: Vec<(u32, TopologyId, u32)>,
    /// The topologies.
    pub topologies: Arc<Topologies>,
    /// Their cpu sets.
    pub cpusets: Arc<Cpusets>,
    /// The node that the launcher runs on.
    pub local: Option<NodeId>,
    /// Distinct patterns, in the order of local ranks.
    pub patterns: Vec<Vec<GivenProcs>>,
    /// The apps.
    pub apps: Vec<GivenApp>,
}

/// The plan of a job whose processes were given.
///
/// # Errors
/// `job-too-large` when there are more processes than ranks.
///
/// Cost: runs and patterns; nothing per rank.
pub fn plan(job: GivenJob) -> Result<Plan, PlaceError> {
    let GivenJob {
        names,
        nodes,
        topologies,
        cpusets,
        local,
        patterns,
        apps,
    } = job;
    let mut world = World {
        names: names.into(),
        topologies,
        cpusets,
        local,
        ..World::default()
    };
    world.before = before(&mut world, &nodes);
    world.after = world.before.clone();
    let mut kept = Patterns::default();
    let ids: Vec<(PatternId, u32)> = patterns
        .into_iter()
        .map(|procs| pattern(&mut kept, &mut world, procs))
        .collect();
    let mut table = AppTable::default();
    let mut placed = Vec::with_capacity(apps.len());
    let mut ranks = 0_u64;
    table.set_part_of(apps.iter().map(|app| app.number).collect());
    for app in apps {
        let own = place(&mut world, &ids, &app);
        let procs: u64 = own
            .iter()
            .map(|run| u64::from(run.procs) * u64::from(run.nodes.count))
            .sum();
        ranks += procs;
        if ranks > u64::from(RANKS_MAX) {
            return Err(PlaceError::JobTooLarge {
                what: "processes",
                asked: ranks,
                limit: u64::from(RANKS_MAX),
            });
        }
        let policy = row(&mut table, &app, u32::try_from(procs).unwrap_or(u32::MAX));
        placed.push(Placed {
            policy: Some(policy),
            runs: own,
            order: app.order,
            passes: None,
            claimed: Claimed::default(),
        });
    }
    Ok(Plan::assemble(world, table, kept, placed))
}

/// The state of each node before the job.
fn before(world: &mut World, nodes: &[(u32, TopologyId, u32)]) -> StateRuns {
    let mut runs = Runs::default();
    for &(count, topology, slots) in nodes {
        let pus = world.topologies.pus_os(topology).len();
        let all: BitVec<u64> = BitVec::repeat(true, pus);
        let set = Arc::make_mut(&mut world.pusets).intern(&all);
        let state = Arc::make_mut(&mut world.states).intern(NodeState {
            topology,
            allowed: set,
            free: set,
            slots,
            max_slots: None,
            used: 0,
            own: 0,
        });
        runs.push(count, state);
    }
    runs
}

/// Interns a pattern; its id, and how many processes it has.
fn pattern(kept: &mut Patterns, world: &mut World, procs: Vec<GivenProcs>) -> (PatternId, u32) {
    let mut segment = Segment::default();
    let says_gpus = procs.iter().any(|procs| procs.gpus.is_some());
    for given in procs {
        segment.procs = segment.procs.saturating_add(given.count);
        let place = Place {
            object: given.object,
            cpus: given
                .cpus
                .map(|set| Arc::make_mut(&mut world.cpusets).intern(set)),
        };
        match segment.runs.last_mut() {
            Some(last) if last.place == place => last.count += given.count,
            Some(_) | None => segment.runs.push(PlaceRun {
                count: given.count,
                place,
            }),
        }
        if says_gpus {
            segment.shares.push(ShareRun {
                count: given.count,
                threads: 0,
                gpus: given.gpus.unwrap_or_default(),
            });
        }
    }
    let procs = segment.procs;
    (kept.intern(vec![segment]), procs)
}

/// The placed runs of an app, cut where earlier apps left nodes in different states. The nodes get their new states.
fn place(world: &mut World, ids: &[(PatternId, u32)], app: &GivenApp) -> Vec<PlacedRun> {
    let mut placed = Vec::with_capacity(app.runs.len());
    let mut changes = Vec::new();
    for run in &app.runs {
        let Some(&(pattern, procs)) = ids.get(run.pattern).filter(|(_, procs)| *procs > 0) else {
            continue;
        };
        let parts: Vec<_> = world.after.within(run.nodes).collect();
        for (nodes, state) in parts {
            let state = *world.states.get(state);
            placed.push(PlacedRun {
                nodes,
                procs,
                pattern,
                kind: run.kind,
                own_before: state.own,
                used_before: state.used,
            });
            let left = Arc::make_mut(&mut world.states).intern(NodeState {
                used: state.used.saturating_add(procs),
                own: state.own.saturating_add(procs),
                ..state
            });
            changes.push((nodes, left));
        }
    }
    world.after.change(&mut changes);
    placed
}

/// Adds the row of an app.
fn row(table: &mut AppTable, app: &GivenApp, procs: u32) -> crate::table::apps::PolicyId {
    let (label, arguments) = app
        .program
        .split_first()
        .map_or_else(Default::default, |(label, rest)| {
            (label.clone(), rest.to_vec())
        });
    let policy = table.intern(policy(&app.order));
    table.push_hole();
    let id = table.ids().next_back().expect("a row was pushed");
    table.np[id] = Some(ProcCount(procs));
    table.policy[id] = Some(policy);
    table.label[id] = label;
    table.origins[id] = Some(Origins {
        map: Origin::Job,
        rank: Origin::Job,
        bind: Origin::Job,
    });
    table.set_arguments(id, arguments);
    policy
}

/// What a plan of given masks says of its policy.
const fn policy(order: &RankOrder) -> Policy {
    Policy {
        map: MapBy::Given,
        span: Span::No,
        ordered: Ordered::No,
        nolocal: NoLocal::No,
        pe: 1,
        list: None,
        mode: CpuMode::Hwthread,
        rank: match order {
            RankOrder::Slot => RankBy::Slot,
            RankOrder::Fill => RankBy::Fill,
            RankOrder::Node => RankBy::Node,
            RankOrder::Span => RankBy::Span,
            RankOrder::Listed(_) => RankBy::Listed,
        },
        bind: BindTo::Nothing,
        strength: BindStrength::Explicit,
        if_supported: IfSupported::No,
        overload: Overload::Allowed,
        limit: None,
        oversubscribe: Oversubscribe::Allowed,
        gpus: None::<GpuShare>,
    }
}
