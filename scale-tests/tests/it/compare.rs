//! The engine against the plain mapper, in small; the long runs are `compare`'s.

use stowplan_scale_tests::arbitrary;
use stowplan_scale_tests::catalogue::MACHINES;
use stowplan_scale_tests::cell::Cell;
use stowplan_scale_tests::compare::Verdict;
use stowplan_scale_tests::coverage::Coverage;
use stowplan_scale_tests::crew::Crew;
use stowplan_scale_tests::input::compare::compare;
use stowplan_scale_tests::job::Job;
use stowplan_scale_tests::small_world;

/// Compares the jobs of these numbers and says what differs.
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
    let seen = compare_all((0..9000).collect(), |number| arbitrary::job(1, number));
    assert_eq!(seen.jobs(), 9000);
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

#[test]
fn a_sample_of_the_small_world_is_placed_alike() {
    let step = small_world::size() / 1500;
    let seen = compare_all((0..1500).map(|i| i * step).collect(), small_world::job);
    assert_eq!(seen.jobs(), 1500);
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
