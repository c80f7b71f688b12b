//! Exported rank files and host files, placed again by our own reader of each launcher that reads them.

use crate::launchers::given::Given;
use crate::launchers::own_readers::{Scripts, machine};
use crate::launchers::random::Random;
use crate::launchers::rules::by_name;
use crate::launchers::standins::plans;
use crate::launchers::truth::{Process, Truth};
use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan::launchers::export::{Dialect, Reader, export_for};
use stowplan_engine::plan::Plan;

/// The file, as words name it. Slurm takes a list of hosts for what has no slash.
const FILE: &str = "./FILE";

/// The readers of host files, each with the words that make its launcher read the file. `N`: the ranks, `P`: those of a node, `M`: the nodes,
/// `HOSTS`: all of them.
const HOSTS: &[(&str, Reader, &str)] = &[
    (
        "prte",
        Reader::Own,
        "--hostfile ./FILE --map-by slot --bind-to none -n N ./x",
    ),
    ("hydra", Reader::Hydra, "mpiexec.hydra -f ./FILE -n N ./x"),
    (
        "intel",
        Reader::Intel,
        "--as intel mpiexec -machinefile ./FILE -n N ./x",
    ),
    (
        "slurm",
        Reader::Slurm,
        "-H HOSTS --env SLURM_HOSTFILE=./FILE --env SLURM_OVERCOMMIT=1 srun -n N -m arbitrary ./x",
    ),
    (
        "flux",
        Reader::Flux,
        "-H HOSTS flux run -N M -n N --taskmap=hostfile:./FILE ./x",
    ),
    (
        "pals",
        Reader::Pals,
        "--as pals mpiexec --hostfile ./FILE --ppn P --cpu-bind none -n N ./x",
    ),
];

/// What the file of a plan says to one reader.
fn file(plan: &Plan, dialect: Dialect, reader: Reader) -> Option<String> {
    let mut text = String::new();
    export_for(plan, dialect, reader)
        .ok()?
        .write_to(&mut text)
        .unwrap();
    Some(text)
}

/// The processes of a line that names the file; or why our reader refuses it.
fn placed(words: &[String], text: &str) -> Result<Vec<Process>, String> {
    let mut given = Given::default();
    given.files.insert(FILE.to_owned(), text.to_owned());
    let asked = map_args(words).map_err(|error| error.to_string())?;
    let placed = place(asked, &FilesAlone(&Scripts(&given)));
    let placed = placed.map_err(|error| format!("{}: {error}", error.class()))?;
    Ok(Truth::of(&placed.mapped.plan).processes)
}

fn nodes(processes: &[Process]) -> Vec<&str> {
    processes.iter().map(|process| &*process.node).collect()
}

/// Whether the host file of a plan was said, and deals its ranks over hosts as the plan does.
fn hostfile(row: &(&str, Reader, &str), plan: &Plan, truth: &Truth, job: &[String]) -> bool {
    let (name, reader, line) = row;
    let Some(text) = file(plan, Dialect::Hostfile, *reader) else {
        return false;
    };
    let hosts = by_name(truth.nodes.keys().cloned().collect());
    let ranks = truth.processes.len().to_string();
    let most = hosts.iter().map(|host| truth.ranks_of(host).len()).max();
    if *reader == Reader::Flux && most.unwrap_or(0) > truth.fewest_cores as usize {
        // Flux has a core for each task; a script asks for more tasks in other words.
        return false;
    }
    let mut words = machine(job);
    words.extend(line.split(' ').map(|word| match word {
        "N" => ranks.clone(),
        "P" => most.unwrap_or(0).to_string(),
        "M" => hosts.len().to_string(),
        "HOSTS" => hosts.join(","),
        word => word.to_owned(),
    }));
    match placed(&words, &text) {
        Ok(real) => assert_eq!(
            nodes(&real),
            nodes(&truth.processes),
            "{name}: {job:?}\n{text}"
        ),
        Err(why) => panic!("{name}: {why}: {job:?} {words:?}\n{text}"),
    }
    true
}

/// Whether the rank file of a plan was said, and the words of its second comment place it as the plan does.
fn rankfile(plan: &Plan, truth: &Truth, job: &[String], reader: Reader) -> bool {
    let Some(text) = file(plan, Dialect::Rankfile, reader) else {
        return false;
    };
    let call = text.lines().nth(1).and_then(|line| line.strip_prefix("# "));
    let call = call.expect("the words to call it");
    let slots = truth
        .order
        .iter()
        .map(|node| format!("{node}:{}", truth.ranks_of(node).len()));
    let mut words = machine(job);
    words.extend(["-H".to_owned(), slots.collect::<Vec<String>>().join(",")]);
    words.extend(call.replace("FILE", FILE).split(' ').map(str::to_owned));
    words.push("./x".to_owned());
    let real =
        placed(&words, &text).unwrap_or_else(|why| panic!("{why}: {job:?} {words:?}\n{text}"));
    assert_eq!(real.len(), truth.processes.len(), "{job:?}\n{text}");
    for (rank, (real, planned)) in real.iter().zip(&truth.processes).enumerate() {
        assert_eq!(real.node, planned.node, "rank {rank}: {job:?}\n{text}");
        // Beside bound ranks, an unbound one may have all cpus of its node.
        let all = Some(&truth.nodes[&planned.node]);
        let free = planned.cpus.is_none() && (real.cpus.is_none() || real.cpus.as_ref() == all);
        assert!(
            free || real.cpus == planned.cpus,
            "rank {rank}: {real:?} {planned:?}: {job:?}\n{text}"
        );
    }
    true
}

#[test]
fn files_of_random_plans_are_placed_as_the_plans() {
    let plans = plans(1000);
    let mut said = vec![0_u64; HOSTS.len()];
    let (mut ranks, mut ranks4) = (0, 0);
    for seed in 0..plans {
        let (job, plan) = Random::new(50_000_000 + seed).plan();
        let truth = Truth::of(&plan);
        for (said, row) in said.iter_mut().zip(HOSTS) {
            *said += u64::from(hostfile(row, &plan, &truth, &job));
        }
        if let Some(text) = file(&plan, Dialect::Hostfile, Reader::Pbs) {
            let own: Vec<&str> = text.lines().collect();
            assert_eq!(own, nodes(&truth.processes), "a line is a slot: {job:?}");
        }
        ranks += u64::from(rankfile(&plan, &truth, &job, Reader::Own));
        ranks4 += u64::from(rankfile(&plan, &truth, &job, Reader::Ompi4));
    }
    for (said, (name, _, _)) in said.iter().zip(HOSTS) {
        println!("host files for {name}: {said} of {plans} plans, none differs");
        assert!(*said > plans / 8, "{name}: {said}");
    }
    println!("rank files: {ranks} of {plans} plans, {ranks4} for Open MPI 4, none differs");
    assert!(ranks > plans / 4 && ranks4 > plans / 8);
}
