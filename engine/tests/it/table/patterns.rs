//! Patterns that come round.

use stowplan_engine::table::patterns::{Patterns, Place, PlaceRun, Segment};

fn run(count: u32, object: u32) -> PlaceRun {
    PlaceRun {
        count,
        place: Place {
            object: Some(object),
            cpus: None,
        },
    }
}

#[test]
fn rounds_come_round() {
    let mut patterns = Patterns::default();
    let lead = Segment {
        procs: 3,
        runs: vec![run(2, 7), run(1, 8)],
        ..Segment::default()
    };
    let rounds = Segment {
        procs: u32::MAX,
        runs: vec![run(1, 0), run(1, 1), run(2, 2)],
        cycle: Some(1),
        shares: Vec::new(),
    };
    let id = patterns.intern(vec![lead, rounds]);
    let pattern = patterns.get(id);
    let places: Vec<u32> = (0..12).filter_map(|at| pattern.place(at).object).collect();
    assert_eq!(places, [7, 7, 8, 0, 1, 2, 2, 1, 2, 2, 1, 2]);
    let written: Vec<u32> = pattern
        .runs(12)
        .flat_map(|run| vec![run.place.object.unwrap(); run.count as usize])
        .collect();
    assert_eq!(written, places);
    assert_eq!(
        pattern.place(4_000_000_003).object,
        Some(1),
        "4,000,000,000 = 1 + 3 · 1,333,333,333 + 0"
    );
}
