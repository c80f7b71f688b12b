//! When nodes differ only in the OS numbers of their cpus, the judge checks one of them, but still finds a fault on any of them.

use stowplan_engine::id::Id as _;
use stowplan_engine::map::map_resolved;
use stowplan_engine::plan::{Placed, Plan};
use stowplan_engine::table::names::NodeId;
use stowplan_judge::check;
use stowplan_scale_tests::choices::Choices;
use stowplan_scale_tests::shapes::{Words, ranked};

const MAPS: [&str; 6] = [
    "core",
    "numa",
    "slot",
    "node",
    "ppr:64:node",
    "package:span",
];

/// The plan with one change: a process of a node gets the cpus of another process there. Gives the node's name, too.
fn altered(plan: &Plan, choices: &mut Choices<'_>) -> (Plan, String) {
    let mut patterns = plan.patterns().clone();
    let apps = plan.apps().iter().map(|app| Placed {
        policy: app.policy(),
        runs: app.runs().to_vec(),
        order: app.order().clone(),
        passes: app.passes().map(<[_]>::to_vec),
        claimed: app.claimed().clone(),
    });
    let mut apps: Vec<Placed> = apps.collect();
    let of = choices.below(u32::try_from(apps[0].runs.len()).unwrap()) as usize;
    let run = &mut apps[0].runs[of];
    assert_eq!(run.nodes.count, 1, "no two nodes are alike");
    let node = NodeId::from_row(run.nodes.first as usize);
    let mut segments = patterns.get(run.pattern).segments().to_vec();
    let runs = &mut segments[0].runs;
    let at = choices.below(u32::try_from(runs.len()).unwrap()) as usize;
    let other = (at + 1) % runs.len();
    runs[at].place.cpus = runs[other].place.cpus;
    run.pattern = patterns.intern(segments);
    let (world, table) = (plan.world().clone(), plan.resolved_apps().clone());
    let name = world.names.name(node);
    (Plan::assemble(world, table, patterns, apps), name)
}

#[test]
fn one_wrong_node_among_alike_ones_is_found() {
    let mut choices = Choices::seeded(17);
    for map in MAPS {
        let shape = ranked("hetero-worst", Words { map, rank: None }, 128).unwrap();
        let plan = map_resolved(shape.resolved, shape.machine).unwrap().plan;
        check(&plan).unwrap();
        for _ in 0..40 {
            let (wrong, node) = altered(&plan, &mut choices);
            let faults = check(&wrong).unwrap_err();
            assert_eq!(faults[0].at.node.as_ref(), Some(&node), "{map}");
        }
    }
}
