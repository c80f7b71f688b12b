//! Promises of task maps: equal maps are equal values, the blocks are the fewest, and every form says the same.

#![expect(
    clippy::unwrap_used,
    reason = "what fails here fails the test, in its helpers too"
)]

use crate::taskmap_search::{Dice, Repeats, expand, fewest, flux, listed, runs};
use proptest::prelude::*;
use stowplan_engine::count::{ProcCount, Rank};
use stowplan_engine::taskmap::{Block, Encoder, FORM_WORDS, Form, JobNode, Limits, TaskMap};

/// Are the long searches asked for? They take minutes in a debug build.
fn long() -> bool {
    std::env::var_os("STOWPLAN_LONG").is_some()
}

fn map_of(nodes: &[u32]) -> TaskMap {
    TaskMap::from_runs(
        runs(nodes)
            .into_iter()
            .map(|(node, count)| (JobNode(node), ProcCount(count))),
    )
    .unwrap()
}

fn text(map: &TaskMap, form: Form) -> String {
    map.text(form, Encoder::Best, Limits::default())
        .unwrap()
        .to_string()
}

/// Everything that the encoder promises for one map.
fn judge(nodes: &[u32]) {
    let map = map_of(nodes);
    let by_flux = flux(nodes);
    assert_eq!(
        listed(map.flux_blocks()),
        by_flux,
        "Flux's encoding of {nodes:?}"
    );
    let best = listed(&map.fewest_blocks());
    assert_eq!(expand(best.iter().copied()), nodes, "{best:?}");
    assert_eq!(
        best.len(),
        fewest(nodes, Repeats::Any),
        "{nodes:?} as {best:?}"
    );
    assert!(
        best.iter()
            .all(|block| block.nodes > 1 || block.repeat == 1),
        "{best:?}"
    );
    if best.len() == by_flux.len() {
        assert_eq!(best, by_flux, "{nodes:?}: Flux's text where it is minimal");
    }
    let pmi = listed(&map.fewest_pmi_blocks());
    assert_eq!(expand(pmi.iter().copied()), nodes, "{pmi:?}");
    let repeats = |blocks: &[Block]| {
        blocks
            .iter()
            .map(|block| block.repeat as usize)
            .sum::<usize>()
    };
    assert_eq!(
        repeats(&pmi),
        fewest(nodes, Repeats::One),
        "{nodes:?} as {pmi:?}"
    );
    if repeats(&pmi) == repeats(&by_flux) {
        assert_eq!(
            pmi, by_flux,
            "{nodes:?}: Flux's expansion where it is minimal"
        );
    }
}

/// Judges every map of up to `tasks` tasks on up to `nodes` nodes. Gives how many there were.
fn judge_all(tasks: usize, nodes: u32) -> usize {
    let mut count = 0;
    for len in 1..=tasks {
        let mut sequence = vec![0; len];
        loop {
            judge(&sequence);
            count += 1;
            let Some(at) = sequence.iter().rposition(|&node| node + 1 < nodes) else {
                break;
            };
            sequence[at] += 1;
            sequence[at + 1..].fill(0);
        }
    }
    count
}

#[test]
fn no_map_of_seven_tasks_on_four_nodes_has_fewer_blocks() {
    assert_eq!(judge_all(7, 4), 21844);
}

#[test]
fn no_map_of_ten_tasks_on_three_nodes_has_fewer_blocks() {
    assert_eq!(
        judge_all(if long() { 11 } else { 10 }, 3),
        if long() { 265_719 } else { 88572 }
    );
}

#[test]
fn no_map_of_eight_tasks_on_five_nodes_has_fewer_blocks() {
    assert_eq!(
        judge_all(if long() { 8 } else { 4 }, 5),
        if long() { 488_280 } else { 780 }
    );
}

#[test]
fn no_map_of_sixteen_tasks_on_two_nodes_has_fewer_blocks() {
    assert_eq!(
        judge_all(if long() { 16 } else { 11 }, 2),
        if long() { 131_070 } else { 4094 }
    );
}

#[test]
fn no_random_list_of_blocks_has_fewer_blocks() {
    for seed in 0..if long() { 1_000_000 } else { 2_000 } {
        let mut dice = Dice::new(seed);
        let size = if seed % 2 == 0 { 40 } else { 120 };
        let blocks = dice.blocks(size);
        let nodes = expand(blocks.iter().copied());
        judge(&nodes);
        // However the map is spelled, its value is the same, and so is everything made from it.
        assert_eq!(
            TaskMap::from_blocks(blocks.iter().copied()).unwrap(),
            map_of(&nodes),
            "{blocks:?}"
        );
    }
}

#[test]
fn no_random_list_of_runs_has_fewer_blocks() {
    for seed in 0..if long() { 1_000_000 } else { 2_000 } {
        let list = Dice::new(seed).runs(30);
        let nodes = expand(list.into_iter().map(|(first, ppn)| Block {
            first,
            nodes: 1,
            ppn,
            repeat: 1,
        }));
        judge(&nodes);
    }
}

#[test]
fn chains_of_two_node_blocks_are_found() {
    // Counts 1, 3, 5, 3 on nodes 0 to 3: four runs, three blocks (taskmap "How the fewest blocks are found").
    let map = TaskMap::read(b"0;1-3;4-8;9-11").unwrap();
    assert_eq!(text(&map, Form::Map), "[[0,2,1,1],[1,2,2,1],[2,2,3,1]]");
}

#[test]
fn thirty_blocks_are_found_where_flux_writes_117() {
    let blocks = (0..30).map(|first| Block {
        first,
        nodes: 2,
        ppn: 1,
        repeat: 7,
    });
    let map = TaskMap::from_blocks(blocks).unwrap();
    assert_eq!(
        (map.flux_blocks().len(), map.fewest_blocks().len()),
        (117, 30)
    );
}

#[test]
fn a_long_chain_of_inner_cuts_keeps_its_way_through_sweeps_of_the_search() {
    // Each run is one more than twice the rest of the run before. So inner cuts stay alive for long, and the search has to sweep.
    let mut dice = Dice::new(7);
    let counts: Vec<u32> = (0..60_000).map(|_| 1 + dice.roll(64)).collect();
    let list = (0..)
        .zip(&counts)
        .map(|(node, &count)| (JobNode(node), ProcCount(count)));
    let map = TaskMap::from_runs(list).unwrap();
    let best = map.fewest_blocks();
    assert!(best.len() < map.flux_blocks().len());
    assert_eq!(TaskMap::from_blocks(best.iter()).unwrap(), map);
}

#[test]
fn two_thousand_million_tasks_are_counted_and_asked_at_once() {
    let map = TaskMap::read(b"[[0,65536,1,32767]]").unwrap();
    assert_eq!(
        (map.node_count().unwrap(), map.task_count().unwrap()),
        (65536, ProcCount(2_147_418_112))
    );
    assert_eq!(map.node_of(Rank(2_147_418_111)).unwrap(), JobNode(65535));
    assert_eq!(map.count_of(JobNode(9)).unwrap(), ProcCount(32767));
    assert_eq!(
        map.tasks_of(JobNode(65535)).unwrap().last(),
        Some(2_147_418_111..2_147_418_112)
    );
    assert_eq!(text(&map, Form::Map), "[[0,65536,1,32767]]");
    let all = Limits {
        items: u64::MAX,
        chars: None,
    };
    assert_eq!(
        map.text(Form::Pmi, Encoder::Best, all).unwrap().chars(),
        8 + 32767 * 12
    );
    assert_eq!(
        map.text(Form::Raw, Encoder::Best, Limits::default())
            .unwrap_err()
            .class(),
        "taskmap-too-large"
    );
}

#[test]
fn rounds_that_skip_a_node_are_refused_before_they_fill_the_memory() {
    let round = [0, 2].map(|first| Block {
        first,
        nodes: 1,
        ppn: 1,
        repeat: 1,
    });
    let rounds = || std::iter::repeat_n(round, 1_000_000_000).flatten();
    let limits = Limits {
        items: 5000,
        chars: None,
    };
    let refused = TaskMap::from_blocks_within(rounds(), limits).unwrap_err();
    assert_eq!(refused.class(), "taskmap-too-large");
    let dealt = TaskMap::read(b"[[0,1,1000000000,1],[2,1,1000000000,1]]")
        .unwrap()
        .cyclic(1, limits);
    assert_eq!(dealt.unwrap_err().class(), "taskmap-too-large");
}

#[test]
fn a_map_read_back_from_any_form_is_the_same_map() {
    for seed in 0..500 {
        let map = TaskMap::from_blocks(Dice::new(seed).blocks(60)).unwrap();
        for (_, form) in FORM_WORDS {
            let hole = map.counts().iter().any(|stretch| stretch.count.0 == 0);
            let written = match map.text(*form, Encoder::Best, Limits::default()) {
                Ok(written) => written.to_string(),
                Err(error) => {
                    assert_eq!((error.class(), hole), ("taskmap-empty-node", true));
                    continue;
                }
            };
            assert_eq!(
                map.text(*form, Encoder::Best, Limits::default())
                    .unwrap()
                    .chars(),
                written.len() as u64
            );
            if *form != Form::Multiline {
                assert_eq!(TaskMap::read(written.as_bytes()).unwrap(), map, "{written}");
            }
        }
    }
}

#[test]
fn answers_are_those_of_the_tasks_written_out() {
    for seed in 0..300 {
        let blocks = Dice::new(seed).blocks(60);
        let nodes = expand(blocks.iter().copied());
        let map = TaskMap::from_blocks(blocks).unwrap();
        for (task, &node) in (0..).zip(&nodes) {
            assert_eq!(map.node_of(Rank(task)).unwrap(), JobNode(node));
        }
        assert_eq!(
            map.node_of(Rank(u32::try_from(nodes.len()).unwrap()))
                .unwrap_err()
                .class(),
            "taskmap-no-such-task"
        );
        let mut counts = Vec::new();
        for node in 0..map.node_count().unwrap() {
            let there = (0..)
                .zip(&nodes)
                .filter(|&(_, &on)| on == node)
                .map(|(task, _)| task);
            let there: Vec<u32> = there.collect();
            counts.push(u32::try_from(there.len()).unwrap());
            match map.tasks_of(JobNode(node)) {
                Ok(ranges) => assert_eq!(ranges.flatten().collect::<Vec<u32>>(), there),
                Err(error) => assert_eq!((error.class(), there.len()), ("taskmap-no-such-node", 0)),
            }
            if !there.is_empty() {
                assert_eq!(
                    map.task_set_of(JobNode(node))
                        .unwrap()
                        .into_iter()
                        .collect::<Vec<u32>>(),
                    there
                );
                assert_eq!(map.count_of(JobNode(node)).unwrap().0 as usize, there.len());
            }
        }
        let told = map
            .counts()
            .into_iter()
            .flat_map(|stretch| stretch.nodes.map(move |_| stretch.count.0));
        assert_eq!(told.collect::<Vec<u32>>(), counts);
        let walked = map.runs().map(|(node, count)| (node.0, count.0));
        assert_eq!(walked.collect::<Vec<_>>(), runs(&nodes));
    }
}

#[test]
fn cyclic_keeps_every_count_and_deals_in_rounds() {
    for seed in 0..1000 {
        let mut dice = Dice::new(seed);
        let map = TaskMap::from_blocks(dice.blocks(60)).unwrap();
        let width = 1 + dice.roll(5);
        let dealt = map.cyclic(width, Limits::default()).unwrap();
        assert_eq!(dealt.counts(), map.counts());
        let counts = map
            .counts()
            .into_iter()
            .flat_map(|stretch| stretch.nodes.map(move |node| (node, stretch.count.0)));
        let mut left: Vec<(u32, u32)> = counts.collect();
        let mut nodes = Vec::new();
        while left.iter().any(|&(_, count)| count > 0) {
            for (node, count) in &mut left {
                let visit = width.min(*count);
                nodes.extend((0..visit).map(|_| *node));
                *count -= visit;
            }
        }
        assert_eq!(
            dealt,
            map_of(&nodes),
            "{:?} by {width}",
            listed(map.flux_blocks())
        );
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(text in "[\\[\\]{}()0-9,;:\\- a-z\"\\\\]{0,60}") {
        if let Ok(map) = TaskMap::read(text.as_bytes()) {
            let written = map.text(Form::Wrapped, Encoder::Best, Limits::default()).unwrap().to_string();
            prop_assert_eq!(TaskMap::read(written.as_bytes()), Ok(map));
        }
    }

    #[test]
    fn no_change_of_a_good_text_makes_a_reader_panic(seed in 0_u64..1000, at in 0_usize..200, byte in any::<u8>()) {
        let map = TaskMap::from_blocks(Dice::new(seed).blocks(30)).unwrap();
        for (_, form) in FORM_WORDS {
            let Ok(text) = map.text(*form, Encoder::Flux, Limits::default()) else { continue };
            let mut text = text.to_string().into_bytes();
            let at = at % text.len();
            text[at] = byte;
            if let Ok(other) = TaskMap::read(&text) {
                let again = other.text(Form::Map, Encoder::Best, Limits::default()).unwrap().to_string();
                prop_assert_eq!(TaskMap::read(again.as_bytes()), Ok(other));
            }
        }
    }
}
