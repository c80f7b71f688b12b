//! Calls the plug-ins for Slurm and Flux as their shells would: they bind each rank to the cpus that the library gives it.

use crate::programs::{flags, folder, installed, run};
use face::{Job, Machine, Plan, Rank, Topology};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const STRICT: &[&str] = &["-std=c11", "-Wall", "-Wextra", "-Werror", "-g"];

fn example(path: &str) -> PathBuf {
    folder().join("../examples").join(path)
}

/// Compiles a plug-in as its page says, and a host program with it. `include` has the launcher's headers; `None`: the system's.
fn built(name: &str, plugin: &str, host: &str, include: Option<&str>) -> (PathBuf, PathBuf) {
    let prefix = installed(name);
    let include = include.map(|folder| format!("-I{}", example(folder).display()));
    let object = prefix.join("plugin.so");
    run(Command::new("cc")
        .args(STRICT)
        .args(["-shared", "-fPIC"])
        .args(&include)
        .arg(example(plugin))
        .args(flags(&prefix, &[]))
        .arg("-o")
        .arg(&object));
    let program = prefix.join("host");
    run(Command::new("cc")
        .args(STRICT)
        .args(&include)
        .arg(example(plugin))
        .arg(
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/hosts")
                .join(host),
        )
        .args(flags(&prefix, &[]))
        .arg("-o")
        .arg(&program));
    (prefix, program)
}

fn machine(topology: &str) -> Machine {
    Machine::uniform(Topology::parse(topology).expect("it is sound"))
}

fn place(line: &str, machine: &Machine) -> Plan {
    let job = Job::from_command_line(line.split(' ')).expect("the words are right");
    Plan::new(&job, machine).expect("there is room")
}

/// The line that a host prints for a rank, with its end. Empty for a rank that is not bound.
fn bound(plan: &Plan, rank: u32) -> String {
    let proc = plan.proc(Rank::new(rank)).expect("the plan has it");
    let cpus: Vec<String> = proc.cpus().iter().map(|cpu| format!(" {cpu}")).collect();
    match cpus.as_slice() {
        [] => String::new(),
        cpus => format!("rank {rank}:{}\n", cpus.concat()),
    }
}

/// Runs a host. Returns whether it succeeded, and its output.
fn said(prefix: &Path, command: &mut Command, input: &str) -> (bool, String) {
    let mut child = command
        .env("LD_LIBRARY_PATH", prefix.join("lib"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    let done = child.wait_with_output().expect("it ends");
    (
        done.status.success(),
        String::from_utf8(done.stdout).expect("it prints text"),
    )
}

fn slurm(name: &str, include: Option<&str>) {
    let (prefix, host) = built(name, "slurm/stowplan_spank.c", "slurm.c", include);
    let step = |file: &Path, node: &str, tasks: u32, ranks: &[u32]| {
        let mut command = Command::new(&host);
        command.arg(file).arg(node).env("TASKS", tasks.to_string());
        command.args(ranks.iter().map(u32::to_string));
        said(&prefix, &mut command, "")
    };
    let file = prefix.join("job.plan");
    let lines = [
        "-n 24 -H n[8-10]:8 --map-by node:pe=2 --bind-to core ./x",
        "-n 12 -H n8:8,n9:4 --map-by core ./x : -n 2 -H n8:2 --bind-to none ./y",
        "-n 9 -H n8:3,n9:6 --map-by package --rank-by span --bind-to hwthread ./x",
    ];
    for line in lines {
        let plan = place(line, &machine("package:2 numa:2 core:32 pu:2"));
        let total = u32::try_from(plan.len()).expect("few");
        for bytes in [plan.to_bytes(), plan.to_broadcast()] {
            fs::write(&file, bytes).expect("written");
            for node in plan.nodes() {
                let ranks: Vec<u32> = node.procs().map(|proc| proc.rank().into()).collect();
                let expected: String = ranks.iter().map(|&rank| bound(&plan, rank)).collect();
                assert_eq!(
                    step(&file, node.name(), total, &ranks),
                    (true, expected),
                    "{line}"
                );
            }
        }
        let (well, told) = step(&file, "n10", total, &[0]);
        assert!(
            !well && told.contains("rank 0 was planned on n8 and is on n10"),
            "{told}"
        );
        let (well, told) = step(&file, "n8", total, &[total]);
        assert!(!well && told.contains("not known"), "{told}");
        let (well, told) = step(&file, "n8", total + 1, &[0]);
        assert!(
            !well && told.contains("the step has another number"),
            "{told}"
        );
    }
    fs::write(&file, "no plan").expect("written");
    let (well, told) = step(&file, "n8", 1, &[0]);
    assert!(!well && told.contains("error[bad-plan]"), "{told}");
    let (well, told) = step(&prefix.join("nowhere"), "n8", 1, &[0]);
    assert!(!well && told.contains("cannot be read"), "{told}");
}

#[test]
fn slurm_binds_tasks_as_planned() {
    slurm("slurm", Some("slurm/include"));
}

#[test]
fn slurm_binds_tasks_by_its_own_headers() {
    if Path::new("/usr/include/slurm/spank.h").is_file() {
        slurm("slurm-real", None);
    } else {
        eprintln!("skipped: the plug-in beside Slurm's own headers: libslurm-dev is not here");
    }
}

#[test]
fn flux_maps_and_binds_tasks_as_the_command_does() {
    let (prefix, host) = built(
        "flux",
        "flux/stowplan_flux.c",
        "flux.c",
        Some("flux/include"),
    );
    let topology = "package:2 l3cache:2 core:4 pu:2";
    let shell = |words: &[&str], topology: &str| {
        let mut command = Command::new(&host);
        command.args(words);
        said(&prefix, &mut command, topology)
    };
    let nodes = ["m3", "6", "m1", "4"];
    for (value, rank, bind) in [
        ("core", "-", "-"),
        ("node:pe=2", "-", "core"),
        ("l3cache", "span", "l3cache"),
        ("-", "-", "none"),
    ] {
        let mut line = "-n 10 -H m3:6,m1:4".to_owned();
        for (option, word) in [
            ("--map-by", value),
            ("--rank-by", rank),
            ("--bind-to", bind),
        ] {
            if word != "-" {
                line += &format!(" {option} {word}");
            }
        }
        let mut machine = machine(topology);
        machine.set_cpu_list("0-15").expect("sixteen cores");
        let plan = place(&(line.clone() + " flux"), &machine);
        let map = plan.task_map().expect("it can be said");
        let tasks: String = (0..10).map(|rank| bound(&plan, rank)).collect();
        let words = [&[value, rank, bind, "0-15"][..], &nodes].concat();
        assert_eq!(
            shell(&words, topology),
            (true, format!("taskmap {map}\n{tasks}")),
            "{line}"
        );
    }
    // Only cores that Flux gave are used.
    let (well, told) = shell(&["core", "-", "core", "4-7", "m1", "4"], topology);
    assert!(
        well && told.contains("rank 0: 8 9\n") && told.contains("rank 3: 14 15\n"),
        "{told}"
    );
    for (words, topology, expected) in [
        (["croe", "-", "-", "0-15"], topology, "error[bad-directive]"),
        (
            ["core", "-", "core", "0-2"],
            topology,
            "error[not-enough-cpus]",
        ),
        (["core", "-", "-", "0-15"], "<xml", "error[bad-topology]"),
        (["core", "-", "-", "-"], topology, "is not known"),
    ] {
        let (well, told) = shell(&[&words[..], &nodes].concat(), topology);
        assert!(
            !well && told.contains(expected) && !told.contains("taskmap "),
            "{told}"
        );
    }
}
