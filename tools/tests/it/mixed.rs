//! The judge gets plans of several topologies in which nodes have the states of other nodes: it finds the fault and does not panic.

use std::sync::Arc;
use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan_engine::limit::{PLAN_SET_BYTES_FREE, PLAN_SET_BYTES_GRANTED, PLAN_SET_BYTES_MAX};
use stowplan_engine::plan::{Placed, Plan};
use stowplan_engine::stage::resolve::NoFiles;
use stowplan_engine::table::names::NodeId;
use stowplan_engine::table::states::{StateId, StateRuns};
use stowplan_judge::check;

const POLICIES: &[&str] = &[
    "slot",
    "node",
    "core",
    "hwthread",
    "package",
    "package:span",
    "slot:pe=2",
    "slot:oversubscribe",
    "core:oversubscribe",
    "ppr:1:node",
    "ppr:1:core",
    "pe-list=0,1",
    "pe-list=0-1:ordered",
    "seq",
];

fn plan(policy: &str, apps: usize) -> Option<Plan> {
    let mut words = vec![
        "--topo",
        "a=package:1 core:2 pu:1",
        "--topo",
        "b=package:2 core:40 pu:2",
    ];
    words.extend(["--topo", "c=pu:3"]);
    for app in 0..apps {
        if app > 0 {
            words.push(":");
        }
        words.extend(["-H", "a:2,b:3,c:2", "--map-by", policy, "x"]);
        if !policy.starts_with("ppr") {
            words.splice(words.len() - 1..words.len() - 1, ["-n", "2"]);
        }
    }
    let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    let asked = map_args(&words).ok()?;
    let placed = place(asked, &FilesAlone(&NoFiles)).ok()?;
    Some(placed.mapped.plan)
}

/// Puts each node into every state that occurs, before the job, after it, or both; then saves the plan and reads it back, if it can
/// be read.
#[test]
fn nodes_in_the_states_of_others_are_faults_and_no_panic() {
    let (mut judged, mut refused) = (0, 0);
    for policy in POLICIES {
        for apps in 1..=3 {
            let Some(plan) = plan(policy, apps) else {
                continue;
            };
            assert_eq!(check(&plan), Ok(()), "{policy} {apps}");
            let world = plan.world();
            let nodes = world.names.len() as usize;
            let node = |row: usize| <NodeId as stowplan_engine::id::Id>::from_row(row);
            let states: Vec<StateId> = [&world.before, &world.after]
                .into_iter()
                .flat_map(|side| (0..nodes).map(|row| side.state(node(row))))
                .collect();
            for row in 0..nodes {
                for &other in &states {
                    for sides in 1..4 {
                        let mut world = world.clone();
                        let changed = |side: &StateRuns| {
                            let mut runs = StateRuns::default();
                            for at in 0..nodes {
                                runs.push(
                                    1,
                                    if at == row {
                                        other
                                    } else {
                                        side.state(node(at))
                                    },
                                );
                            }
                            runs
                        };
                        if sides & 1 > 0 {
                            world.after = changed(&world.after);
                        }
                        if sides & 2 > 0 {
                            world.before = changed(&world.before);
                        }
                        let table = plan.resolved_apps().clone();
                        let patterns = plan.patterns().clone();
                        let forged = Plan::assemble(world, table, patterns, placed(&plan));
                        judged += 1;
                        refused += usize::from(check(&forged).is_err());
                        if let Ok(again) = Plan::from_bytes(&forged.to_bytes()) {
                            assert_eq!(check(&again).is_err(), check(&forged).is_err());
                        }
                    }
                }
            }
        }
    }
    assert!(
        judged > 1000 && refused * 2 > judged,
        "{refused} of {judged}"
    );
}

/// The placement of a plan's apps, from which another plan is assembled.
fn placed(plan: &Plan) -> Vec<Placed> {
    let apps = plan.apps().iter().map(|app| Placed {
        policy: app.policy(),
        runs: app.runs().to_vec(),
        order: app.order().clone(),
        passes: app.passes().map(<[_]>::to_vec),
        claimed: app.claimed().clone(),
    });
    apps.collect()
}

/// The memory of a saved plan is in proportion to its bytes, and bounded.
#[test]
fn sets_of_a_saved_plan_take_what_its_bytes_grant() {
    let words = ["--topo", "pu:1048576", "-H", "a:1", "x"].map(str::to_owned);
    let plan = place(map_args(&words).unwrap(), &FilesAlone(&NoFiles)).unwrap();
    let plan = plan.mapped.plan;
    let few = with_sets_of_a_million(&plan, PLAN_SET_BYTES_FREE / SET);
    assert!(few.len() < 1 << 15, "{}", few.len());
    let many = with_sets_of_a_million(&plan, 2 * PLAN_SET_BYTES_FREE / SET);
    let more = u64::try_from(many.len() - few.len()).unwrap();
    assert!(
        more * PLAN_SET_BYTES_GRANTED > PLAN_SET_BYTES_FREE / 2,
        "{more} bytes more"
    );
    for bytes in [few, many] {
        assert_eq!(Plan::from_bytes(&bytes).unwrap().to_bytes(), bytes);
    }
    let bytes = with_sets_of_a_million(&plan, PLAN_SET_BYTES_MAX / SET + 2);
    let error = Plan::from_bytes(&bytes).unwrap_err();
    assert!(error.to_string().contains("memory"), "{error}");
}

/// Bytes in memory of a set of 2^20 PUs.
const SET: u64 = 1 << 17;

/// The bytes of a plan on one topology of 2^20 PUs, saved with this many nodes; no two of them have the same free PUs.
fn with_sets_of_a_million(plan: &Plan, sets: u64) -> Vec<u8> {
    let mut world = plan.world().clone();
    let first = world
        .before
        .state(<NodeId as stowplan_engine::id::Id>::from_row(0));
    let mut bits = world.pusets.get(world.states.get(first).free).to_bitvec();
    let mut after = StateRuns::default();
    world.names = Default::default();
    world.before = StateRuns::default();
    for pu in 0..usize::try_from(sets).unwrap() {
        let range = stowplan_engine::text::hostlist::plain(&format!("n{pu}"));
        std::sync::Arc::make_mut(&mut world.names)
            .add(&range)
            .unwrap();
        bits.set(pu, false);
        let mut state = *world.states.get(first);
        state.free = Arc::make_mut(&mut world.pusets).intern(&bits);
        let id = Arc::make_mut(&mut world.states).intern(state);
        after.push(1, id);
        world.before.push(1, first);
    }
    world.after = after;
    let table = plan.resolved_apps().clone();
    Plan::assemble(world, table, plan.patterns().clone(), placed(plan)).to_bytes()
}
