//! Random jobs that lose nodes: the planner's plan on the nodes left is the plan of a job that never had the lost nodes.

use stowplan_engine::error::MapError;
use stowplan_engine::map::{Mapped, map_resolved};
use stowplan_engine::planner::Planner;
use stowplan_judge::check;
use stowplan_scale_tests::arbitrary;
use stowplan_scale_tests::catalogue::MACHINES;
use stowplan_scale_tests::choices::Choices;
use stowplan_scale_tests::compare::{Lab, row};
use stowplan_scale_tests::job::{App, Job};
use stowplan_scale_tests::lost::without;

/// Everything that a plan says, or the class of a refusal. A range may name a lost node and a node that never existed; it may be
/// refused for either.
fn said(found: Result<&Mapped, &MapError>) -> Vec<String> {
    let mapped = match found {
        Ok(mapped) => mapped,
        Err(error) => return vec![error.class().to_owned()],
    };
    let rows = (0..mapped.plan.ranks()).map(|rank| row(&mapped.plan, rank).unwrap().tsv());
    let notes = mapped.notes.iter().map(|note| format!("{note:?}"));
    rows.chain(notes).collect()
}

/// The name of a node that the random jobs have; the local one is more frequent.
fn some_node(choices: &mut Choices<'_>, job: &Job) -> String {
    match &job.head {
        Some(head) if choices.once_in(3) => head.clone(),
        _ if choices.once_in(2) => (*choices.pick(&["a", "b", "c", "d", "e"])).to_owned(),
        _ => format!("n{}", choices.within(8, 12)),
    }
}

/// Loses up to three nodes, with or without a plan before each loss. Gives how many of the compared plans placed something.
fn loses(lab: &Lab, job: &Job, choices: &mut Choices<'_>) -> u32 {
    let Ok((resolved, _)) = job.resolve() else {
        return 0;
    };
    let Ok(mut planner) = Planner::new(resolved, lab.machine(job)) else {
        return 0;
    };
    let (mut left, mut compared) = (job.clone(), 0);
    for _ in 0..8 {
        if choices.once_in(2) {
            // What was worked out for all nodes must not be reused after some are gone.
            let _ = planner.plan();
        }
        let node = some_node(choices, job);
        let Some(fewer) = without(&left, &node) else {
            continue;
        };
        if planner.lose(&node).is_err() {
            continue;
        }
        left = fewer;
        let fresh = left.resolve().map(|(resolved, _)| resolved);
        let fresh = fresh.and_then(|resolved| map_resolved(resolved, lab.machine(&left)));
        let again = planner.plan();
        let line = || left.command_line(|machine| MACHINES[machine].topo.to_owned());
        assert_eq!(
            said(again.as_ref()),
            said(fresh.as_ref()),
            "without {node}:\n{}\nof\n{}",
            line(),
            job.command_line(|machine| MACHINES[machine].topo.to_owned())
        );
        if let Ok(again) = again {
            check(&again.plan).unwrap();
            compared += 1;
        }
    }
    compared
}

#[test]
fn what_is_left_of_random_jobs_is_placed_as_if_it_had_been_all() {
    let lab = Lab::new();
    let mut choices = Choices::seeded(0x105e);
    let compared: u32 = (0..6000)
        .map(|number| loses(&lab, &arbitrary::job(5, number), &mut choices))
        .sum();
    assert!(compared > 1000, "{compared} plans");
}

/// Default bindings depend on the size of the job. What apps of equal policy found for the larger job must not be used for the smaller one.
#[test]
fn what_a_larger_job_found_is_forgotten() {
    let app = |hosts: &str, map: Option<&str>| App {
        hosts: Some(hosts.to_owned()),
        map: map.map(str::to_owned),
        ..App::default()
    };
    // The job maps by slot, so bindings depend on the size of the job.
    let job = |first: &str| Job {
        apps: vec![app(first, Some("slot")), app("n2:1", None)],
        ..Job::default()
    };
    // The first app keeps its result for one process for the second app, which is the last app with this policy.
    let (whole, left) = (job("n0:1,n1:1"), job("n1:1"));
    let lab = Lab::new();
    let (resolved, _) = whole.resolve().unwrap();
    let mut planner = Planner::new(resolved, lab.machine(&whole)).unwrap();
    planner.plan().unwrap();
    planner.lose("n0").unwrap();
    let (resolved, _) = left.resolve().unwrap();
    let fresh = map_resolved(resolved, lab.machine(&left));
    let again = planner.plan();
    assert_eq!(said(again.as_ref()), said(fresh.as_ref()));
    assert!(fresh.is_ok());
}
