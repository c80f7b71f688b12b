//! A plan for the tests of the formats: four ranks by core on each of some equal nodes.

use std::sync::Arc;
use stowplan_engine::count::ProcCount;
use stowplan_engine::plan::{Claimed, Placed, PlacedRun, Plan, RankOrder, World};
use stowplan_engine::policy::{
    BindStrength, BindTo, CpuMode, IfSupported, MapBy, NoLocal, ObjKind, Ordered, Overload,
    Oversubscribe, RankBy, Span,
};
use stowplan_engine::table::apps::{AppTable, Policy};
use stowplan_engine::table::names::{NameRange, NodeRange};
use stowplan_engine::table::origins::{Origin, Origins, Rule};
use stowplan_engine::table::patterns::{Patterns, Place, PlaceRun, Segment};
use stowplan_engine::table::pusets::PuBits;
use stowplan_engine::table::states::NodeState;
use stowplan_engine::table::topologies::TopologyId;

/// Cores that each node uses.
const CORES: u32 = 4;

/// `n[0-…]`, `package:2 core:4 pu:2`, four processes by core on each node.
pub(crate) fn plan(nodes: u32, order: RankOrder) -> Plan {
    let mut world = World::default();
    let draft = stowplan_topo::read("package:2 core:4 pu:2", &|_| Err(String::new())).unwrap();
    let topology = Arc::make_mut(&mut world.topologies)
        .add(draft, Arc::make_mut(&mut world.cpusets))
        .unwrap();
    let range = NameRange {
        prefix: "n".to_owned(),
        first: 0,
        count: nodes,
        width: 1,
        suffix: String::new(),
    };
    Arc::make_mut(&mut world.names).add(&range).unwrap();
    let state = before(&mut world, topology);
    let state = Arc::make_mut(&mut world.states).intern(state);
    world.before.push(nodes, state);
    world.after.push(nodes, state);
    let runs = (0..CORES).map(|core| PlaceRun {
        count: 1,
        place: Place {
            object: Some(core),
            cpus: Some(
                Arc::make_mut(&mut world.cpusets)
                    .intern([core * 2, core * 2 + 1].into_iter().collect()),
            ),
        },
    });
    let mut patterns = Patterns::default();
    let pattern = patterns.intern(vec![Segment {
        procs: CORES,
        runs: runs.collect(),
        cycle: None,
        shares: Vec::new(),
    }]);
    let run = PlacedRun {
        nodes: NodeRange {
            first: 0,
            count: nodes,
        },
        procs: CORES,
        pattern,
        kind: Some(ObjKind::Core),
        own_before: 0,
        used_before: 0,
    };
    let (table, policy) = table(nodes * CORES);
    let placed = Placed {
        policy: Some(policy),
        runs: vec![run],
        order,
        passes: None,
        claimed: Claimed::default(),
    };
    Plan::assemble(world, table, patterns, vec![placed])
}

fn before(world: &mut World, topology: TopologyId) -> NodeState {
    let pus = world.topologies.pus_os(topology).len();
    let all = Arc::make_mut(&mut world.pusets).intern(&PuBits::repeat(true, pus));
    NodeState {
        topology,
        allowed: all,
        free: all,
        slots: CORES,
        max_slots: None,
        used: 0,
        own: 0,
    }
}

fn table(ranks: u32) -> (AppTable, stowplan_engine::table::apps::PolicyId) {
    let mut table = AppTable::default();
    let policy = table.intern(Policy {
        map: MapBy::Object(ObjKind::Core),
        span: Span::No,
        ordered: Ordered::No,
        nolocal: NoLocal::No,
        pe: 1,
        list: None,
        mode: CpuMode::Core,
        rank: RankBy::Fill,
        bind: BindTo::Object(ObjKind::Core),
        strength: BindStrength::Default,
        if_supported: IfSupported::No,
        overload: Overload::Refused,
        limit: None,
        oversubscribe: Oversubscribe::Refused,
        gpus: None,
    });
    table.np.push(Some(ProcCount(ranks)));
    table.policy.push(Some(policy));
    table.count_mode.push(CpuMode::Core);
    table.listing.push(None);
    table.device.push(None);
    table.label.push("ocean".to_owned());
    table.origins.push(Some(Origins {
        map: Origin::Job,
        rank: Origin::Default(Rule::RankAsMapped),
        bind: Origin::Default(Rule::BindAsMapped),
    }));
    (table, policy)
}
