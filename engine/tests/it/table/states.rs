//! Runs of node states.

use stowplan_engine::id::Id as _;
use stowplan_engine::table::names::{NodeId, NodeRange};
use stowplan_engine::table::states::{StateId, StateRuns};

#[test]
fn changes_keep_runs_joined() {
    let (a, b) = (StateId::from_row(0), StateId::from_row(1));
    let mut runs = StateRuns::default();
    runs.push(10, a);
    runs.change(&mut [
        (NodeRange { first: 8, count: 2 }, b),
        (NodeRange { first: 2, count: 3 }, b),
    ]);
    let seen: Vec<_> = runs
        .iter()
        .map(|(nodes, state)| (nodes.first, nodes.count, state))
        .collect();
    assert_eq!(seen, [(0, 2, a), (2, 3, b), (5, 3, a), (8, 2, b)]);
    runs.change(&mut [(NodeRange { first: 5, count: 3 }, b)]);
    assert_eq!(runs.len(), 2);
    assert_eq!(runs.state(NodeId::from_row(9)), b);
}

#[test]
fn runs_join_where_the_node_between_them_is_gone() {
    let (a, b) = (StateId::from_row(0), StateId::from_row(1));
    let mut runs = StateRuns::default();
    for (count, state) in [(3, a), (1, b), (2, a)] {
        runs.push(count, state);
    }
    let mut left = runs.clone();
    left.remove(NodeId::from_row(3));
    assert_eq!((left.nodes(), left.len()), (5, 1));
    runs.remove(NodeId::from_row(0));
    assert_eq!((runs.nodes(), runs.len()), (5, 3));
    assert_eq!(runs.state(NodeId::from_row(2)), b);
}

/// Changes applied some at a time give the same runs as writing all runs anew.
#[test]
fn changes_are_those_of_every_node() {
    let mut seed = 1_u32;
    let mut roll = |sides: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) % sides
    };
    let mut scratch = StateRuns::default();
    for _ in 0..2000 {
        let nodes = 1 + roll(24);
        let mut plain: Vec<StateId> = Vec::new();
        let mut runs = StateRuns::default();
        for _ in 0..nodes {
            plain.push(StateId::from_row(roll(3) as usize));
        }
        plain.iter().for_each(|&state| runs.push(1, state));
        for _ in 0..6 {
            let (mut first, mut changes) = (roll(nodes), Vec::new());
            while first < nodes {
                let count = roll((nodes - first).min(5) + 1);
                let state = StateId::from_row(roll(3) as usize);
                changes.insert(0, (NodeRange { first, count }, state));
                plain[first as usize..(first + count) as usize].fill(state);
                first += count + roll(6) + u32::from(count == 0);
            }
            runs.change_with(&mut changes, &mut scratch);
            let mut anew = StateRuns::default();
            plain.iter().for_each(|&state| anew.push(1, state));
            assert_eq!(runs, anew);
            for first in 0..nodes {
                let part = NodeRange { first, count: 1 };
                let state = plain[first as usize];
                assert_eq!(runs.within(part).collect::<Vec<_>>(), [(part, state)]);
            }
        }
    }
}
