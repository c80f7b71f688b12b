//! Compares the engine with the plain mapper on a small number of jobs. The `compare` program makes the long runs.

use rayon::prelude::*;
use std::collections::BTreeSet;
use stowplan_scale_tests::arbitrary;
use stowplan_scale_tests::catalogue::MACHINES;
use stowplan_scale_tests::cell::Cell;
use stowplan_scale_tests::compare::Verdict;
use stowplan_scale_tests::coverage::Coverage;
use stowplan_scale_tests::crew::{Crew, is_placed};
use stowplan_scale_tests::input::compare::compare;
use stowplan_scale_tests::job::Job;
use stowplan_scale_tests::small_world;

/// Compares the jobs of these numbers and reports differences.
fn compare_all(numbers: Vec<u64>, job: impl Fn(u64) -> Job + Sync) -> Coverage {
    let crew = Crew::new(2);
    let mut seen = Coverage::default();
    for numbers in numbers.chunks(500) {
        let found = crew.compare(numbers.len(), |at| job(numbers[at]));
        for (&number, (job, verdict)) in numbers.iter().zip(&found) {
            seen.count(number, verdict);
            if let Verdict::Differs(difference) = verdict {
                let line = job.command_line(|machine| MACHINES[machine].topo.to_owned());
                panic!("job {number}: {difference:#?}\n{line}");
            }
        }
    }
    seen
}

#[test]
fn random_jobs_are_placed_alike_and_reach_every_pair_of_choices() {
    let seen = compare_all((0..12_000).collect(), |number| arbitrary::job(1, number));
    assert_eq!(seen.jobs(), 12_000);
    let empty = seen.pairs_never_placed();
    assert!(
        empty.is_empty(),
        "never placed: {empty:?}\n{}",
        seen.table()
    );
    let classes = [
        "not-enough-slots",
        "not-enough-cpus",
        "ppr-too-many",
        "nodes-full",
        "bind-limit",
        "no-nodes",
    ];
    for class in classes {
        assert!(seen.class(class) > 0, "never {class}");
    }
}

/// Each combination that can be placed is placed by some job, and each combination is refused by some job: no cell of the table is empty.
#[test]
fn the_generator_reaches_every_outcome_of_every_combination() {
    let placed = Cell::all().filter(Cell::may_be_placed);
    let mut open: BTreeSet<(Cell, bool)> = placed.map(|cell| (cell, true)).collect();
    open.extend(Cell::all().map(|cell| (cell, false)));
    for first in (0..4_000_000).step_by(40_000) {
        let wanted = |&number: &u64| {
            let cell = Cell::numbered(number);
            open.contains(&(cell, true)) || open.contains(&(cell, false))
        };
        let numbers: Vec<u64> = (first..first + 40_000).filter(wanted).collect();
        let outcome = |&number: &u64| {
            (
                Cell::numbered(number),
                is_placed(&arbitrary::job(1, number)),
            )
        };
        let found: Vec<(Cell, bool)> = numbers.par_iter().map(outcome).collect();
        for outcome in found {
            open.remove(&outcome);
        }
        if open.is_empty() {
            return;
        }
    }
    panic!("never reached: {open:?}");
}

#[test]
fn a_sample_of_the_small_world_is_placed_alike() {
    let long = std::env::var_os("STOWPLAN_LONG").is_some_and(|value| value == "1");
    let jobs = if long { 50_000 } else { 1500 };
    // The step does not divide the size of the world, so that neighbours in all its dimensions are compared.
    let step = small_world::size() / jobs - 1;
    let seen = compare_all((0..jobs).map(|i| i * step).collect(), small_world::job);
    assert_eq!(seen.jobs(), jobs);
}

#[test]
fn what_a_fuzzer_makes_is_placed_alike() {
    for length in 0..64 {
        let bytes: Vec<u8> = (0..length)
            .map(|i: u8| i.wrapping_mul(37) ^ length)
            .collect();
        compare(&bytes);
    }
    assert!(
        Cell::all().filter(Cell::may_be_placed).count() > 1000,
        "most combinations can be placed"
    );
}
