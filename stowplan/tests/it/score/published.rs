//! Compares advice with each order of the literature on grids of many shapes: advice is never worse than the best of them.

use crate::score::random::plan;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use stowplan::score::advise::{Policy, Reorder, advise};
use stowplan::score::figures::{NoMatrices, score};
use stowplan::score::order::cells;
use stowplan::score::order::hyperplane::hyperplane;
use stowplan::score::order::kdtree::kdtree;
use stowplan::score::order::stencil::Stencil;
use stowplan::score::order::strips::strips;
use stowplan::score::pattern::{Grid, Part};
use stowplan_engine::plan::Plan;

fn placed(nodes: u32, ppn: u32, rank_by: &str) -> Plan {
    let hosts = format!("n[0-{}]:{ppn}", nodes - 1);
    let (topo, procs) = (format!("core:{ppn} pu:1"), (nodes * ppn).to_string());
    let words = [
        "--topo",
        &topo,
        "-H",
        &hosts,
        "-n",
        &procs,
        "--map-by",
        "slot",
        "--rank-by",
        rank_by,
    ];
    plan(&words).unwrap()
}

/// All boxes of `left` cells that divide the grid evenly.
fn boxes(sizes: &[u32], left: u32) -> Vec<Vec<u32>> {
    let Some((&size, rest)) = sizes.split_first() else {
        return if left == 1 { vec![vec![]] } else { vec![] };
    };
    let sides = (1..=left).filter(|side| left.is_multiple_of(*side) && size.is_multiple_of(*side));
    sides
        .flat_map(|side| {
            boxes(rest, left / side)
                .into_iter()
                .map(move |others| [vec![side], others].concat())
        })
        .collect()
}

#[test]
fn advice_is_never_worse_than_an_order_of_the_literature() {
    let mut dice = ChaCha8Rng::seed_from_u64(2020);
    let mut below = |end: u32| dice.next_u32() % end;
    let (mut looked, long) = (0, std::env::var_os("STOWPLAN_LONG").is_some());
    while looked < if long { 1500 } else { 60 } {
        let dimensions = 2 + below(2);
        let sizes: Vec<u32> = (0..dimensions)
            .map(|_| 2 + below(28 / dimensions))
            .collect();
        let cells_of_grid: u32 = sizes.iter().product();
        let ppn = 2 + below(24);
        if !cells_of_grid.is_multiple_of(ppn) || cells_of_grid > 800 || cells_of_grid == ppn {
            continue;
        }
        looked += 1;
        let nodes = cells_of_grid / ppn;
        let grid = Grid { sizes };
        let option = ["", "", ":hops=3", ":but-last", ":periodic", ":box"][below(6) as usize];
        let parts = [Part::read(&format!("halo:{}{option}", grid.word())).unwrap()];
        let stencil = parts[0].pattern.halo(cells_of_grid).unwrap().offsets;
        let stencil = Stencil::new(stencil, grid.sizes.len());
        let [slot, node] = ["slot", "node"].map(|by| placed(nodes, ppn, by));
        let figures = |plan: &Plan| -> (u64, u64) {
            let level = score(plan, &parts, &NoMatrices).unwrap().levels[0];
            let number = |text: String| text.parse().unwrap();
            (
                number(level.leave.to_string()),
                number(level.worst.to_string()),
            )
        };
        let mut published = vec![("blocked", figures(&slot)), ("cyclic", figures(&node))];
        let mut add = |name, ranks: Vec<u32>| {
            published.push((name, figures(&slot.clone().reordered(&ranks).unwrap())));
        };
        add("strips", strips(&grid, &stencil, ppn));
        add("kdtree", kdtree(&grid, &stencil));
        add("hyperplane", hyperplane(&grid, &stencil, ppn));
        for sizes in boxes(&grid.sizes, ppn) {
            add("cells", cells(&grid, &[Grid { sizes }]));
        }
        let best = published.iter().map(|own| own.1).min().unwrap();
        let policies =
            [(&slot, Reorder::Yes), (&node, Reorder::No)].map(|(plan, reorder)| Policy {
                plan: plan.clone(),
                reorder,
                on: None,
            });
        let found = advise(&policies, &parts, &NoMatrices).unwrap();
        let first = &found.answers[0].score.levels[0];
        let first: (u64, u64) = (
            first.leave.to_string().parse().unwrap(),
            first.worst.to_string().parse().unwrap(),
        );
        assert!(
            first.0 <= best.0 && first.1 <= best.1,
            "{}{option} on {nodes} nodes of {ppn}: {first:?}, published {published:?}",
            grid.word()
        );
    }
}
