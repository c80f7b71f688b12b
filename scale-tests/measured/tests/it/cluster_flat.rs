//! A cluster stays as small as it began, however many jobs have come and gone. Counted in a process of its own.

use crate::child::again;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region};
use std::time::Instant;
use stowplan::{Cluster, Job, JobId, Machine, Topology};
use stowplan_scale_tests::choices::Choices;
use stowplan_scale_tests::middle::middle;
use stowplan_scale_tests::size::is_long;

/// Tells the child that it shall count, and how many placements.
const WHAT: &str = "STOWPLAN_CHILD_CLUSTER";
const NODES: u32 = 1_000;
const LIVE: usize = 400;

fn machine() -> Machine {
    Machine::uniform(Topology::parse("package:2 core:8 pu:1").unwrap())
}

fn empty() -> Cluster {
    let mut cluster = Cluster::new(machine());
    cluster
        .add_nodes(&format!("n[0-{}]:16", NODES - 1))
        .unwrap();
    cluster
}

fn job(choices: &mut Choices<'_>) -> Job {
    let procs = choices.within(1, 1 << choices.clone().within(0, 6));
    let map = *choices.pick(&["core", "slot", "node", "package"]);
    let line = format!("-n {procs} --map-by {map} --bind-to core ./x");
    Job::from_command_line(line.split(' ')).unwrap()
}

fn held(region: &Region<'_, std::alloc::System>) -> usize {
    let change = region.change();
    change
        .bytes_allocated
        .saturating_sub(change.bytes_deallocated)
}

/// The body of the child process, not a promise: without words it does nothing.
#[test]
fn cluster_counted_here() {
    let Ok(count) = std::env::var(WHAT) else {
        return;
    };
    let count: u32 = count.parse().unwrap();
    let mut choices = Choices::seeded(47);
    let region = Region::new(&INSTRUMENTED_SYSTEM);
    let mut cluster = empty();
    // The same nodes without jobs. What a job takes there tells how fast the machine is at the time.
    let mut fresh = empty();
    let fill = u32::try_from(LIVE).unwrap();
    let mut live: Vec<JobId> = Vec::new();
    let window = count / 20;
    let [mut first, mut last] = [(); 2].map(|()| [Vec::new(), Vec::new()]);
    for at in 0..fill + count {
        let job = job(&mut choices);
        let ends = (at >= fill).then(|| live.swap_remove(choices.below(fill) as usize));
        let began = Instant::now();
        let placed = turn(&mut cluster, ends, &job);
        let took = began.elapsed();
        live.push(placed);
        let times = if (fill..fill + window).contains(&at) {
            &mut first
        } else if at >= fill + count - window {
            &mut last
        } else {
            continue;
        };
        let began = Instant::now();
        let alone = turn(&mut fresh, None, &job);
        times[1].push(began.elapsed());
        times[0].push(took);
        fresh.release_job(alone).unwrap();
    }
    drop(fresh);
    let times = [first, last].map(|times| times.map(|times| middle(times).to_string()).join(" "));
    let times = times.join(" ");
    let long_lived = held(&region);
    let bytes = cluster.to_bytes();
    let again = Region::new(&INSTRUMENTED_SYSTEM);
    let young = Cluster::from_bytes(&bytes, &machine()).unwrap();
    let needed = held(&again);
    assert_eq!(young.jobs().len(), LIVE);
    println!("held {long_lived} {needed} {times}");
}

/// A job ends, another starts.
fn turn(cluster: &mut Cluster, ends: Option<JobId>, job: &Job) -> JobId {
    if let Some(ends) = ends {
        cluster.release_job(ends).unwrap();
    }
    let plan = cluster.place(job).unwrap();
    cluster.job_of(&plan).unwrap()
}

#[test]
fn a_plan_holds_its_own_nodes_alone() {
    let mut choices = Choices::seeded(48);
    let mut cluster = empty();
    for _ in 0..LIVE {
        cluster.place(&job(&mut choices)).unwrap();
    }
    let small = Job::from_command_line(["-n", "1", "--map-by", "core", "./x"]).unwrap();
    let among = cluster.place(&small).unwrap();
    let names: Vec<String> = among.nodes().map(|node| node.name().to_owned()).collect();
    let [name] = &names[..] else {
        panic!("one process has nodes {names:?}");
    };
    let mut one = Cluster::new(machine());
    one.add_nodes(&format!("{name}:16")).unwrap();
    let alone = one.place(&small).unwrap();
    let [among, alone] = [among, alone].map(|plan| plan.to_bytes().len());
    println!("{among} bytes among {NODES} nodes, {alone} alone");
    assert!(among <= 2 * alone, "{among} bytes, {alone} alone");
}

#[test]
fn a_cluster_holds_no_more_than_its_jobs_need() {
    let count = if is_long() { 100_000 } else { 10_000 };
    let test = "cluster_flat::cluster_counted_here";
    let numbers: Vec<u64> = again(test, (WHAT, &count.to_string()), "held ");
    let [held, needed, first, first_alone, last, last_alone] = numbers[..] else {
        panic!("{numbers:?}");
    };
    println!("{held} bytes held, {needed} needed");
    println!(
        "ns for a job: {first} at first, {last} at last; without other jobs {first_alone}, {last_alone}"
    );
    assert!(
        held <= 2 * needed,
        "{held} bytes, {needed} for the jobs that run"
    );
    // The short form has too few jobs for the middle one to say much.
    if is_long() {
        assert!(
            2 * last * first_alone <= 3 * first * last_alone,
            "a job takes more than 1.5 times as long at last"
        );
    }
}
