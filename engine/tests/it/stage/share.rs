//! How many processes the nodes of a run get.

use stowplan_engine::stage::inside::{RoundRobin, RunShare, dealt, even, fill, round_robin};

#[test]
fn round_robin_stops_at_the_caps() {
    let shares = [RunShare { nodes: 1, cap: 1 }, RunShare { nodes: 2, cap: 4 }];
    assert_eq!(
        round_robin(shares.into_iter(), 8, &mut Vec::new()),
        Some(RoundRobin {
            rounds: 3,
            extra: 1
        })
    );
    assert_eq!(
        round_robin(shares.into_iter(), 9, &mut Vec::new()),
        Some(RoundRobin {
            rounds: 4,
            extra: 0
        })
    );
    assert_eq!(round_robin(shares.into_iter(), 10, &mut Vec::new()), None);
    let mut extra = 1;
    assert_eq!(
        dealt(
            shares[1],
            RoundRobin {
                rounds: 3,
                extra: 1
            },
            &mut extra
        ),
        [(1, 4), (1, 3)]
    );
    assert_eq!(extra, 0);
}

#[test]
fn a_fill_ends_inside_a_run() {
    assert_eq!(
        fill(RunShare { nodes: 10, cap: 4 }, 9),
        [(2, 4), (1, 1), (7, 0)]
    );
    assert_eq!(
        fill(RunShare { nodes: 2, cap: 4 }, 9),
        [(2, 4), (0, 0), (0, 0)]
    );
    assert_eq!(even(3, 1, 4, 6), [(1, 2), (2, 1)]);
}
