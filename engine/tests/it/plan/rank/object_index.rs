//! Turns that are found when they are asked for, compared with counting.

use proptest::prelude::*;
use stowplan_engine::plan::inside::ObjectIndex;
use stowplan_engine::table::patterns::{Pattern, Patterns, Place, PlaceRun, Segment};

/// A number of runs or rounds.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap()
}

type Runs = Vec<(u32, u32)>;

/// Segments of (processes, object) runs, each cut or repeated as it says; the last one for ever.
fn pattern(segments: &[(Runs, Option<u32>, u32)]) -> Pattern {
    let last = segments.len() - 1;
    let drafts = segments.iter().enumerate().map(|(at, (runs, cycle, cut))| {
        let all: u32 = runs.iter().map(|run| run.0).sum();
        let cycle = cycle.map(|cycle| cycle % number(runs.len()));
        let runs = runs.iter().map(|&(count, object)| PlaceRun {
            count,
            place: Place {
                object: Some(object),
                cpus: None,
            },
        });
        let (procs, cycle) = match (at == last, cycle) {
            (true, cycle) => (u32::MAX, cycle.or(Some(0))),
            (false, Some(cycle)) => (all + cut % 9, Some(cycle)),
            (false, None) => (all - cut % all, None),
        };
        Segment {
            procs,
            runs: runs.collect(),
            cycle,
            shares: Vec::new(),
        }
    });
    let mut patterns = Patterns::default();
    let id = patterns.intern(drafts.collect::<Vec<_>>());
    patterns.get(id).clone()
}

/// The processes of each object, in the order in which the pattern comes to objects.
fn by_object(pattern: &Pattern, procs: u32) -> Vec<(u32, Vec<u32>)> {
    let mut objects: Vec<(u32, Vec<u32>)> = Vec::new();
    for run in pattern.segments().iter().flat_map(|segment| &segment.runs) {
        let object = run.place.object.unwrap();
        if objects.iter().all(|other| other.0 != object) {
            objects.push((object, Vec::new()));
        }
    }
    for local in 0..procs {
        let own = pattern.place(local).object.unwrap();
        let object = objects.iter_mut().find(|object| object.0 == own);
        object.unwrap().1.push(local);
    }
    objects
}

fn check_order(
    index: &ObjectIndex,
    procs: u32,
    round: Option<u32>,
    order: &[u32],
) -> Result<(), TestCaseError> {
    for (&local, turn) in order.iter().zip(0..) {
        let mut one = Vec::new();
        index.turns(procs, round, turn..turn + 1, &mut one);
        prop_assert_eq!(one, [local]);
    }
    let end = number(order.len());
    for part in [0..end, 0..end / 2, end / 2..end, end / 3..end / 2 + 1] {
        let mut some = Vec::new();
        index.turns(procs, round, part.clone(), &mut some);
        let wanted = part.start as usize..order.len().min(part.end as usize);
        prop_assert_eq!(&some[..], &order[wanted]);
    }
    Ok(())
}

proptest! {
    #[test]
    fn turns_are_those_that_counting_finds(
        segments in prop::collection::vec(
            (
                prop::collection::vec((1..4_u32, 0..5_u32), 1..6),
                prop::option::of(0..6_u32),
                0..9_u32,
            ),
            1..4,
        ),
        procs in 1..70_u32,
    ) {
        let pattern = pattern(&segments);
        let index = ObjectIndex::new(&pattern);
        let objects = by_object(&pattern, procs);
        let counts = objects.iter().map(|object| number(object.1.len()));
        prop_assert_eq!(index.counts(procs), counts.collect::<Vec<_>>());
        let fill: Vec<u32> = objects.iter().flat_map(|object| object.1.clone()).collect();
        check_order(&index, procs, None, &fill)?;
        for (&local, turn) in fill.iter().zip(0..) {
            let logical = pattern.place(local).object.unwrap();
            prop_assert_eq!(index.turn_by_object(procs, local, logical), turn);
        }
        let rounds = objects.iter().map(|object| object.1.len()).max();
        for round in 0..rounds.unwrap() {
            let own = objects.iter().filter_map(|object| object.1.get(round).copied());
            let own: Vec<u32> = own.collect();
            check_order(&index, procs, Some(number(round)), &own)?;
            for (&local, turn) in own.iter().zip(0..) {
                let logical = pattern.place(local).object.unwrap();
                let found = index.turn_by_round(procs, local, logical);
                prop_assert_eq!(found, (number(round), turn));
            }
        }
    }
}
