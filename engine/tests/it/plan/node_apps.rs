//! Which apps are on a node, compared with asking each run.

use stowplan_engine::plan::inside::{AppRun, NodeApp, NodeApps};
use stowplan_engine::table::names::NodeRange;

#[test]
fn a_node_has_the_runs_that_hold_it() {
    // Runs close together or far apart; none, some or all of them long.
    for (apart, long) in [(1, 0), (1, 100), (4, 7), (1, 1), (1000, 0), (1000, 9)] {
        let runs = (0..400_u32).map(|at| {
            let is_long = at.checked_rem(long) == Some(0);
            let count = if is_long { 300 + at } else { 1 + at % 5 };
            let first = 5 + at * 37 % 101 * apart;
            AppRun {
                nodes: NodeRange { first, count },
                app: at / 4,
                run: at % 4,
            }
        });
        let node_apps = NodeApps::of(runs.clone());
        let nodes = (0..9).chain(runs.clone().flat_map(|run| {
            let NodeRange { first, count } = run.nodes;
            [first - 1, first, first + count - 1, first + count]
        }));
        for node in nodes {
            let here = runs
                .clone()
                .filter(|run| (run.nodes.first..run.nodes.end()).contains(&node));
            let here = here.map(|run| NodeApp {
                app: run.app,
                run: run.run,
                node: node - run.nodes.first,
            });
            let here: Vec<NodeApp> = here.collect();
            assert_eq!(node_apps.on(node).to_vec(), here, "{node} {apart} {long}");
        }
    }
}
