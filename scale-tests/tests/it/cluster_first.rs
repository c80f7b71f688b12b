//! A cluster shows a job the first nodes with room, as many as it can look at. A job among the nodes of a session is shown all of
//! them. With a session of all nodes, both must come to the same, byte for byte.

use stowplan::session::{By, Config, Initial, Name, State};
use stowplan::{Cluster, Error, Job, Machine, Plan, Topology};
use stowplan_scale_tests::choices::Choices;
use stowplan_scale_tests::size::is_long;

const NODES: u32 = 48;

/// Words of a job's first app, without its number of processes.
const WORDS: &[&str] = &[
    "--map-by slot --bind-to none",
    "--map-by slot",
    "--map-by slot --bind-to core",
    "--map-by slot:pe=2 --bind-to core",
    "--map-by core --bind-to core",
    "--map-by core:pe=3",
    "--map-by node",
    "--map-by node --bind-to core",
    "--map-by node:pe=2 --bind-to core",
    "--map-by package --rank-by slot --bind-to core",
    "--map-by package:span --bind-to core",
    "--map-by core:span --bind-to core",
    "--map-by numa",
    "--map-by hwthread --bind-to hwthread",
    "--map-by ppr:1:package",
    "--map-by pe-list=1,3",
    "--map-by slot:oversubscribe",
    "--map-by core:nolocal --bind-to core",
    "--map-by slot --bind-to core:overload-allowed",
    "--map-by core --bind-to core --gpus split",
    "--map-by node --bind-to none --gpus-per-rank 1",
    "--map-by slot --bind-to none --gpus none",
];

fn machine(seed: u64) -> Machine {
    let topology = |text: &str| Topology::parse(text).unwrap();
    let mut machine = Machine::uniform(topology("package:2 core:4 pu:1"));
    let odd = topology("package:1 numa:2 core:3 pu:2");
    machine.set_topology("n[5-9,30-33]", odd).unwrap();
    if seed.is_multiple_of(2) {
        machine.set_devices("n[0-29]", "gpu=package:2").unwrap();
    }
    if seed.is_multiple_of(3) {
        machine.set_head("n20").unwrap();
    }
    machine
}

fn job(choices: &mut Choices<'_>) -> String {
    let mut line = String::new();
    for app in 0..=choices.below(12) / 9 {
        let colon = if app > 0 { " : " } else { "" };
        let procs = choices.within(1, 1 << choices.clone().within(0, 7));
        let count = if choices.once_in(40) {
            String::new()
        } else {
            format!("-n {procs} ")
        };
        line += &format!("{colon}{count}{} ./x", choices.pick(WORDS));
    }
    line
}

/// Where processes are, and what is noted; or the refusal.
fn told(answer: &Result<Plan, Error>) -> Vec<String> {
    match answer {
        Ok(plan) => {
            let notes = plan.notes().iter().map(ToString::to_string);
            let places = plan.procs().map(|proc| {
                let node = proc.node().name().to_owned();
                format!("{node} {:?} {:?}", proc.cpus(), proc.gpus())
            });
            notes.chain(places).collect()
        }
        Err(error) => vec![format!("{}: {error}", error.class())],
    }
}

fn compare(seed: u64, jobs: u32) -> [u32; 2] {
    let mut choices = Choices::seeded(seed);
    let nodes = (0..NODES).map(|at| Name::new(&format!("n{at}")));
    let initial = Initial {
        nodes: nodes.collect(),
        ..Initial::default()
    };
    let session = State::new(Config::default(), &initial).unwrap();
    let mut cluster = Cluster::new(machine(seed));
    cluster.add_nodes(&format!("n[0-{}]:8", NODES - 1)).unwrap();
    let mut live: Vec<Plan> = Vec::new();
    let mut answers = [0, 0];
    for at in 0..jobs {
        let name = format!("n{}", choices.below(NODES));
        match choices.below(30) {
            0 => cluster.down(&name).unwrap(),
            1 => cluster.drain(&name).unwrap(),
            2..=5 => cluster.up(&name).unwrap(),
            _ => {}
        }
        let line = job(&mut choices);
        let Ok(job) = Job::from_command_line(line.split(' ')) else {
            continue;
        };
        let mut other = cluster.clone();
        let among_all = other.place_in_session(&job, &session, By::Scheduler, &[]);
        let placed = cluster.place(&job);
        let what = format!("seed {seed}, job {at}: {line}");
        assert_eq!(told(&placed), told(&among_all), "{what}");
        if let (Ok(placed), Ok(among_all)) = (&placed, &among_all) {
            assert_eq!(placed.to_bytes(), among_all.to_bytes(), "{what}");
        }
        answers[usize::from(placed.is_err())] += 1;
        live.extend(placed);
        for node in cluster.nodes() {
            let same = other.node(&node.name()).unwrap();
            let seen = (node.free_slots(), node.free_cpus(), node.free_gpus());
            assert_eq!(
                seen,
                (same.free_slots(), same.free_cpus(), same.free_gpus())
            );
        }
        let ends = if live.len() > 30 { 2 } else { choices.below(2) };
        for _ in 0..ends.min(u32::try_from(live.len()).unwrap()) {
            let at = choices.below(u32::try_from(live.len()).unwrap());
            cluster.release(&live.swap_remove(at as usize)).unwrap();
        }
    }
    answers
}

#[test]
fn the_first_nodes_with_room_are_all_that_a_job_looks_at() {
    let seeds = if is_long() { 60 } else { 6 };
    for seed in 0..seeds {
        let [placed, refused] = compare(seed, 300);
        assert!(
            placed > 100 && refused > 5,
            "{placed} placed, {refused} refused"
        );
    }
}
