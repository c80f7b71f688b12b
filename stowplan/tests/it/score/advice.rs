//! Advice reaches the published figures, and gives the cost of the resulting plan.

use crate::score::orders::blocked;
use crate::score::random::{Written, plan};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use stowplan::score::advise::{Advice, Chosen, Policy, Reorder, advise};
use stowplan::score::figures::{NoMatrices, score};
use stowplan::score::pattern::Part;
use stowplan_engine::plan::Plan;

fn advice(plan: Plan, pattern: &str, text: &str) -> Advice {
    let reorder = Reorder::Yes;
    let on = None;
    let policy = Policy { plan, reorder, on };
    let parts = [Part::read(pattern).unwrap()];
    advise(&[policy], &parts, &Written(text.to_owned())).unwrap()
}

fn number(text: impl ToString) -> u64 {
    text.to_string().parse().unwrap()
}

/// What leaves the nodes in the first answer, and what leaves the worst node.
fn first(found: &Advice) -> (u64, u64) {
    let node = found.answers[0].score.levels[0];
    (number(node.leave), number(node.worst))
}

#[test]
fn the_first_answer_is_as_good_as_the_best_published() {
    for (grid, nodes, ppn, pattern, leave, worst) in [
        ("50x48", 50, 48, "", 1244, 28),
        ("50x48", 50, 48, ":hops=3", 3268, 108),
        ("50x48", 50, 48, ":but-last", 96, 2),
        ("16x15x10", 50, 48, "", 3068, 80),
        ("128x128", 128, 128, "", 5480, 48),
        ("64x64x64", 4096, 64, "", 368_640, 96),
        ("64x64x64", 4096, 64, ":periodic", 393_216, 96),
    ] {
        let found = advice(blocked(nodes, ppn), &format!("halo:{grid}{pattern}"), "");
        let figures = first(&found);
        assert!(
            figures.0 <= leave && figures.1 <= worst,
            "{grid}{pattern}: {figures:?}"
        );
        let asked = found
            .answers
            .iter()
            .find(|answer| answer.chosen == Chosen::Own);
        assert!(asked.is_some(), "what was asked is among the answers");
    }
}

#[test]
fn answers_cost_what_they_say() {
    let plan = plan(&[
        "--topo",
        "package:2 core:6 pu:1",
        "-H",
        "n[0-9]:12",
        "-n",
        "120",
        "--map-by",
        "core",
    ])
    .unwrap();
    let found = advice(plan.clone(), "halo:12x10:periodic", "");
    let parts = [Part::read("halo:12x10:periodic").unwrap()];
    for answer in &found.answers {
        let ranks = answer.ranks(&plan);
        let ordered = plan.clone().reordered(&ranks).unwrap();
        assert_eq!(score(&ordered, &parts, &NoMatrices).unwrap(), answer.score);
    }
    let figures: Vec<_> = found
        .answers
        .iter()
        .map(|answer| answer.score.levels[0])
        .collect();
    assert!(figures.is_sorted_by_key(|level| (level.leave, level.worst)));
}

#[test]
fn blocks_that_a_permutation_hides_are_found() {
    let mut dice = ChaCha8Rng::seed_from_u64(5);
    for (nodes, ppn, noise) in [(8, 8, 0), (16, 16, 300), (10, 24, 500)] {
        let procs = nodes * ppn;
        let mut hidden: Vec<u32> = (0..procs).collect();
        for at in (1..procs).rev() {
            hidden.swap(at as usize, (dice.next_u32() % (at + 1)) as usize);
        }
        let mut text = String::from("from,to,bytes\n");
        for a in 0..procs {
            for b in (0..procs).filter(|&b| b != a && b / ppn == a / ppn) {
                text.push_str(&format!(
                    "{},{},{}\n",
                    hidden[a as usize], hidden[b as usize], 10
                ));
            }
        }
        for _ in 0..noise {
            text.push_str(&format!(
                "{},{},3\n",
                dice.next_u32() % procs,
                dice.next_u32() % procs
            ));
        }
        let found = advice(blocked(nodes, ppn), "file:m", &text);
        let asked = found
            .answers
            .iter()
            .find(|answer| answer.chosen == Chosen::Own)
            .unwrap();
        let before = number(asked.score.levels[0].leave);
        let after = first(&found).0;
        assert!(2 * after <= before);
        assert!(noise > 0 || after == 0, "hidden blocks are whole nodes");
    }
}
