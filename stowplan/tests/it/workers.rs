//! The threads of the library are the caller's, whatever the environment says.

use std::process::Command;
use std::sync::{Arc, Barrier};
use stowplan::{App, Job, Machine, Plan, Topology, Workers};

fn machine() -> Machine {
    Machine::uniform(Topology::parse("package:2 core:4 pu:1").expect("a topology"))
}

/// A job that is large enough to be shared.
fn large() -> Job {
    let apps = (0..600).map(|app| {
        let hosts = format!("m{}:8", app * 37 % 200);
        App::new("./x")
            .procs(1 + app % 2)
            .hosts(hosts)
            .map_by(["core", "slot"][app as usize % 2])
    });
    let builder = apps.fold(Job::builder(), |builder, app| builder.app(app));
    builder.build().expect("its words are valid")
}

/// Threads of this process whose names begin so.
#[cfg(target_os = "linux")]
fn threads(named: &str) -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").expect("Linux has it");
    let names =
        tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|name| name.starts_with(named)).count()
}

#[test]
fn any_workers_give_the_same_plan() {
    let (job, machine) = (large(), machine());
    let alone = Workers::none().run(|| Plan::new(&job, &machine)).unwrap();
    let pool = Arc::new(
        rayon::ThreadPoolBuilder::new()
            .num_threads(3)
            .build()
            .unwrap(),
    );
    for workers in [
        Workers::new(1).unwrap(),
        Workers::new(4).unwrap(),
        Workers::from(pool),
    ] {
        let plan = workers.run(|| Plan::new(&job, &machine)).unwrap();
        assert_eq!(plan.to_bytes(), alone.to_bytes(), "{workers:?}");
        assert!(workers.run(|| plan.check()).is_ok());
    }
    assert_eq!(
        Plan::new(&job, &machine).unwrap().to_bytes(),
        alone.to_bytes()
    );
    assert_eq!(Workers::new(257).unwrap_err().class(), "bad-value");
}

#[test]
fn workers_that_do_not_answer_are_not_waited_for() {
    let pool = Arc::new(
        rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .unwrap(),
    );
    let (held, free) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let (begun, end) = (Arc::clone(&held), Arc::clone(&free));
    pool.spawn(move || {
        begun.wait();
        end.wait();
    });
    held.wait();
    let workers = Workers::from(pool);
    let (job, machine) = (large(), machine());
    let plan = workers.run(|| Plan::new(&job, &machine)).unwrap();
    assert!(plan.len() > 600);
    free.wait();
}

/// What a child of [`no_environment_variable_is_read`] does: large work on the workers of the library, and none on others.
#[test]
#[ignore = "a child process runs it"]
#[cfg(target_os = "linux")]
fn child() {
    let (job, machine) = (large(), machine());
    Workers::none().run(|| Plan::new(&job, &machine)).unwrap();
    assert_eq!(threads("stowplan-"), 0, "nobody was asked to help");
    Plan::new(&job, &machine).unwrap().check().unwrap();
    let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get().min(256));
    assert_eq!(threads("stowplan-"), cpus);
    // The harness has two: the first and that of this test.
    let all = threads("");
    assert!(all <= cpus + 2, "{all} threads, workers among them {cpus}");
}

#[test]
#[cfg(target_os = "linux")]
fn no_environment_variable_is_read() {
    let own = std::env::current_exe().expect("a test has a path");
    let run = Command::new(own)
        .args([
            "--exact",
            "workers::child",
            "--ignored",
            "--test-threads",
            "1",
        ])
        .env("RAYON_NUM_THREADS", "7")
        .env("RAYON_RS_NUM_CPUS", "7")
        .output()
        .expect("it runs");
    let told = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && told.contains("1 passed"), "{told}");
}
