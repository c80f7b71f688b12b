//! Host lists with more entries than are looked up at a time.

use stowplan_scale_tests::compare::Verdict;
use stowplan_scale_tests::crew::Crew;
use stowplan_scale_tests::job::{App, Job};

/// `+e` means the nodes that no *later* entry names, wherever it is in a long list. Source: semantics 1.3.
#[test]
fn an_entry_far_behind_looks_at_those_behind_it_alone() {
    let app = |hosts: String, np| App {
        hosts: Some(hosts),
        np: Some(np),
        bind: Some("none".to_owned()),
        ..App::default()
    };
    let early = vec!["n1:1"; 17_000].join(",");
    let job = Job {
        apps: vec![
            app("n0:1,n1:20000,n2:1,n3:1".to_owned(), 1),
            app(format!("{early},+e,n2:1"), 40_000),
        ],
        ..Job::default()
    };
    let verdict = Crew::new(1).compare_one(&job);
    assert!(
        matches!(
            verdict,
            Verdict::Mapped(_) | Verdict::Refused("not-enough-slots")
        ),
        "{verdict:?}"
    );
    let job = Job {
        apps: vec![job.apps[0].clone(), app(format!("{early},+e,n2:1"), 9)],
        ..Job::default()
    };
    assert_eq!(Crew::new(1).compare_one(&job), Verdict::Mapped(10));
}
