//! Threads of OpenMP in the library.

use stowplan::openmp::{self, Runtime, Threads};
use stowplan::{App, Cluster, Job, Machine, Plan, Planner, Rank, Topology};

fn frontier() -> Topology {
    Topology::parse("builtin:frontier").expect("it is named")
}

fn line(words: &str) -> Job {
    Job::from_command_line(words.split(' ')).expect("the words are right")
}

const WORDS: &str = "-H a:8 -n 8 --map-by l3cache -x OMP_NUM_THREADS=7 -x OMP_PLACES=cores -x OMP_PROC_BIND=close ./x";

fn cpus(threads: &Threads) -> Vec<String> {
    threads
        .iter()
        .map(|(_, _, cpus)| cpus.to_string())
        .collect()
}

#[test]
fn all_ways_to_say_a_job_give_the_same_threads() {
    let machine = Machine::uniform(frontier());
    let app = App::new("./x")
        .hosts("a:8")
        .procs(8)
        .env("OMP_PLACES", "sockets");
    let app = app.env("OMP_PLACES", "cores").env("OMP_PROC_BIND", "close");
    let built = Job::builder()
        .map_by("l3cache")
        .env("OMP_NUM_THREADS", "7")
        .env("OMP_PLACES", "threads")
        .app(app)
        .build()
        .expect("the words are right");
    let again = Job::from_bytes(&built.to_bytes()).expect("they were written just now");
    assert_eq!(again, built);
    assert_eq!(again.to_bytes(), built.to_bytes());
    let mut planner = Planner::new(&built, &machine).expect("it fits");
    let plans = [
        Plan::new(&line(WORDS), &machine).expect("it fits"),
        Plan::new(&built, &machine).expect("it fits"),
        Plan::new(&again, &machine).expect("it fits"),
        Cluster::new(machine.clone())
            .place(&built)
            .expect("it fits"),
        planner.plan().expect("it fits").clone(),
        planner.plan().expect("it fits, again").clone(),
    ];
    let expected = ["1,65", "2,66", "3,67", "4,68", "5,69", "6,70", "7,71"];
    for (at, plan) in plans.iter().enumerate() {
        let saved = Plan::from_bytes(&plan.to_bytes()).expect("it was saved just now");
        for plan in [plan, &saved] {
            for runtime in [Runtime::GNU, Runtime::LLVM, Runtime::INTEL] {
                let threads = plan.threads(Rank::new(0), &runtime).expect("it is known");
                assert_eq!(cpus(&threads), expected, "plan {at}, {runtime}");
            }
        }
    }
}

#[test]
fn a_job_without_variables_has_the_bytes_that_it_had() {
    let silent = Job::builder()
        .app(App::new("./x").hosts("a:8"))
        .build()
        .expect("right");
    let other = Job::builder().app(App::new("./x").hosts("a:8").env("A", "1"));
    let other = other.build().expect("right");
    assert_ne!(silent.to_bytes(), other.to_bytes());
    let machine = Machine::uniform(frontier());
    let plans = [&silent, &other].map(|job| Plan::new(job, &machine).expect("it fits"));
    assert_eq!(
        plans[0].to_bytes(),
        plans[1].to_bytes(),
        "A has no say in where threads go"
    );
}

#[test]
fn what_cannot_be_answered_is_refused() {
    let machine = Machine::uniform(frontier());
    let class = |words: &str, runtime: &str| {
        let plan = Plan::new(&line(words), &machine).expect("it fits");
        let runtime = runtime.parse().expect("a runtime");
        plan.threads(Rank::new(0), &runtime)
            .expect_err("no answer")
            .class()
    };
    assert_eq!(
        class("-n 1 -H a:8 -x OMP_NUM_THREADS=x ./x", "gnu"),
        "bad-value"
    );
    assert_eq!(
        class("-n 1 -H a:8 -x OMP_DYNAMIC=true ./x", "gnu"),
        "not-modelled"
    );
    let plan = Plan::new(&line(WORDS), &machine).expect("it fits");
    let broadcast = Plan::from_bytes(&plan.to_broadcast()).expect("it was written just now");
    let refused = broadcast
        .threads(Rank::new(0), &Runtime::GNU)
        .expect_err("no topologies");
    assert_eq!(refused.class(), "bad-plan");
    let env = [("OMP_PLACES", "!{1}"), ("OMP_NUM_THREADS", "2")];
    let runtime = "llvm@18".parse().expect("a runtime");
    let refused = openmp::threads(&frontier(), "1-7,65-71", env, &runtime).expect_err("it aborts");
    assert_eq!(refused.class(), "runtime-aborts");
    assert!(refused.hint().is_some() && !refused.message().contains("help"));
    for (list, class) in [
        ("", "bad-value"),
        ("3-1", "bad-value"),
        ("0-4294967295", "bad-value"),
        ("128", "bad-value"),
    ] {
        let refused = openmp::threads(&frontier(), list, env, &Runtime::GNU).expect_err("no cpus");
        assert_eq!(refused.class(), class, "{list}");
    }
}

#[test]
fn names_that_no_environment_holds_are_refused() {
    for (name, value) in [("", "1"), ("A=B", "1"), ("A\0", "1"), ("A", "\0")] {
        let app = App::new("./x").hosts("a:8").env(name, value);
        let refused = Job::builder()
            .app(app)
            .build()
            .expect_err("no such variable");
        assert_eq!(refused.class(), "bad-value", "{name:?}={value:?}");
    }
    let refused = Job::from_command_line(["-n", "1", "-H", "a:1", "--env-here", "./x"]);
    assert_eq!(
        refused.expect_err("the library reads none").class(),
        "bad-option"
    );
}
