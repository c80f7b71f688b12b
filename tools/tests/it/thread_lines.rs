//! Threads of a running job: what exec gives to OpenMP, and lines of running threads compared with a plan.

use crate::folder::Folder;
use crate::launch::{err, out, refused};
use serde_json::Value;

/// Two nodes with four ranks each of two cores: rank r has cores 2r and 2r + 1 of its node, each core cpus c and c + 8.
fn planned(folder: &Folder) {
    let words = "map --save p --topo _ -H a:4,b:4 -n 8 --map-by slot:pe=2 -x OMP_NUM_THREADS=2 -x OMP_PLACES=cores -x OMP_PROC_BIND=close ./x";
    let mut words: Vec<&str> = words.split(' ').collect();
    words[4] = "core:8 pu:2(indexes=2*8:1*2)";
    let output = folder.run(&[], &words);
    assert!(output.status.success(), "{}", err(&output));
}

fn cpus(rank: u32, thread: u32) -> (u32, u32) {
    let first = (rank % 4) * 2 + thread;
    (first, first + 8)
}

fn host(rank: u32) -> &'static str {
    if rank < 4 { "a" } else { "b" }
}

/// A line for each thread of each rank.
fn lines(line: impl Fn(u32, u32) -> String) -> String {
    let each = (0..8)
        .rev()
        .flat_map(|rank| (0..2).map(move |thread| (rank, thread)));
    each.map(|(rank, thread)| line(rank, thread) + "\n")
        .collect()
}

/// The status, and the value of `threads`.
fn compared(folder: &Folder, text: &str) -> (Option<i32>, Value) {
    folder.write("live", text);
    let output = folder.run(&[], &["check", "p", "--live", "live", "--format", "json"]);
    let value: Value =
        serde_json::from_str(&out(&output)).unwrap_or_else(|_| panic!("{}", err(&output)));
    assert_eq!(value["same"], output.status.code() == Some(0));
    (output.status.code(), value["threads"].clone())
}

#[test]
fn lines_of_runtimes_name_ranks_or_processes() {
    let folder = Folder::new("thread-lines");
    planned(&folder);
    let stow = |rank: u32, thread: u32| {
        let (one, two) = cpus(rank, thread);
        format!("stow {rank} {}.site.org {thread} {two},{one}", host(rank))
    };
    let (status, threads) = compared(&folder, &lines(stow));
    assert_eq!(
        (status, &threads["equal"]),
        (Some(0), &Value::from(16)),
        "{threads}"
    );
    // Process numbers: each process has the threads of some rank of its node.
    let pid = |rank: u32, thread: u32| {
        stow(rank, thread).replacen(
            &format!("stow {rank} "),
            &format!("stow {} ", 900 - rank % 4),
            1,
        )
    };
    let (status, threads) = compared(&folder, &lines(pid));
    assert_eq!(
        (status, &threads["equal"]),
        (Some(0), &Value::from(16)),
        "{threads}"
    );
    // One that is like no rank of its node.
    let wrong = |rank: u32, thread: u32| {
        if (rank, thread) == (5, 1) {
            pid(5, 1).replace("11,3", "11")
        } else {
            pid(rank, thread)
        }
    };
    let (status, threads) = compared(&folder, &lines(wrong));
    assert_eq!(
        (status, &threads["equal"], &threads["outside"]),
        (Some(1), &Value::from(15), &Value::from("5.1")),
        "{threads}"
    );
    let less: String = lines(stow)
        .lines()
        .filter(|line| !line.starts_with("stow 3 a.site.org 0"))
        .map(|line| format!("{line}\n"))
        .collect();
    let (status, threads) = compared(&folder, &(less + "stow 2 a 1 5,13\n"));
    assert_eq!(
        (status, &threads["missing"], &threads["twice"]),
        (Some(1), &Value::from("3.0"), &Value::from("2.1")),
        "{threads}"
    );
}

#[test]
fn weaker_witnesses_are_seen_inside_or_are_of_another_program() {
    let folder = Folder::new("thread-witnesses");
    planned(&folder);
    let hello = |rank: u32, thread: u32| {
        format!(
            "MPI {rank:03} - OMP {thread:03} - HWT {:03} - Node {} - RT_GPU_ID 0",
            cpus(rank, thread).1,
            host(rank)
        )
    };
    let (status, threads) = compared(&folder, &lines(hello));
    assert_eq!(
        (status, &threads["equal"], &threads["inside"]),
        (Some(0), &Value::from(0), &Value::from(16)),
        "{threads}"
    );
    let elsewhere =
        lines(hello).replace("MPI 006 - OMP 001 - HWT 013", "MPI 006 - OMP 001 - HWT 012");
    let (status, threads) = compared(&folder, &elsewhere);
    assert_eq!(
        (status, &threads["outside"]),
        (Some(1), &Value::from("6.1")),
        "{threads}"
    );
    let xthi = |rank: u32, thread: u32| {
        let (one, two) = cpus(rank, thread);
        format!(
            "Hello from rank {rank}, thread {thread}, on {}. (core affinity = {one},{two})",
            host(rank)
        )
    };
    let (status, threads) = compared(&folder, &lines(xthi));
    assert_eq!(
        (status, &threads["equal"]),
        (Some(0), &Value::from(16)),
        "{threads}"
    );
    folder.write("live", "stow 3 a 0 6-\n");
    refused(
        &folder.run(&[], &["check", "p", "--live", "live"]),
        "bad-live",
    );
    folder.write("live", "stow 3 a 0 6,14\n");
    refused(
        &folder.run(&[], &["check", "p", "--live", "live", "--omp", "cray"]),
        "bad-value",
    );
}

#[test]
fn exec_keeps_what_is_set_and_removes_what_would_win() {
    let folder = Folder::new("exec-omp");
    planned(&folder);
    let on = [("PMI_RANK", "1"), ("PMI_HOSTNAME", "a")];
    let dry = |more: &[(&'static str, &'static str)], words: &[&'static str]| {
        let variables: Vec<(&str, &str)> = on.iter().chain(more).copied().collect();
        let words: Vec<&str> = [&["exec", "p"], words, &["--dry-run"]].concat();
        folder.run(&variables, &words)
    };
    let output = dry(&[], &["--omp"]);
    let places = "{2,10},{3,11}";
    assert_eq!(
        out(&output),
        format!(
            "OMP_NUM_THREADS=2\nOMP_PLACES={places}\nOMP_PROC_BIND=close\n#thread\tplace\tcpus\truntime\n0\t0\t2,10\tany\n1\t1\t3,11\tany\n"
        )
    );
    // Fewer threads than cores are spread; what is no list of numbers is not kept.
    let output = dry(&[("OMP_NUM_THREADS", "1,2")], &["--omp=places"]);
    assert!(
        out(&output).starts_with("OMP_NUM_THREADS=1,2\n"),
        "{}",
        out(&output)
    );
    assert!(
        out(&output).contains("OMP_PROC_BIND=spread\n"),
        "{}",
        out(&output)
    );
    let output = dry(&[("OMP_NUM_THREADS", "many")], &["--omp"]);
    assert!(
        out(&output).starts_with("OMP_NUM_THREADS=2\n"),
        "{}",
        out(&output)
    );
    let foreign = [
        ("KMP_AFFINITY", "compact"),
        ("KMP_HW_SUBSET", "1t"),
        ("KMP_PLACE_THREADS", "1t"),
        ("GOMP_CPU_AFFINITY", "0-3"),
    ];
    let output = dry(&foreign, &["--omp"]);
    for (name, _) in foreign {
        assert!(
            err(&output).contains(&format!("note[omp-removed]: {name}=")),
            "{}",
            err(&output)
        );
    }
    refused(&dry(&foreign[3..], &["--omp", "--strict"]), "omp-foreign");
    let output = dry(&foreign[..1], &["--omp=number"]);
    assert!(
        out(&output).starts_with("OMP_NUM_THREADS=2\n#thread"),
        "{}",
        out(&output)
    );
    assert!(!err(&output).contains("omp-removed"), "{}", err(&output));
}

#[test]
fn exec_gives_the_program_its_variables() {
    let folder = Folder::new("exec-omp-run");
    let words = [
        "map",
        "--save",
        "p",
        "--topo",
        "core:1 pu:1",
        "-H",
        "a:1",
        "-n",
        "1",
        "--bind-to",
        "core",
        "-x",
        "OMP_NUM_THREADS=3",
        "./x",
    ];
    let output = folder.run(&[], &words);
    assert!(output.status.success(), "{}", err(&output));
    let on = [
        ("PMI_RANK", "0"),
        ("PMI_HOSTNAME", "a"),
        ("KMP_AFFINITY", "none"),
    ];
    let show = "echo $OMP_NUM_THREADS $OMP_PLACES $OMP_PROC_BIND ${KMP_AFFINITY:-gone} \"$OMP_AFFINITY_FORMAT\" $OMP_DISPLAY_AFFINITY";
    let output = folder.run(
        &on,
        &["exec", "p", "--omp", "--omp-report", "--", "sh", "-c", show],
    );
    assert_eq!(
        out(&output),
        "3 {0} close gone stow 0 %H %n %A true\n",
        "{}",
        err(&output)
    );
    let output = folder.run(&on, &["exec", "p", "--omp=number", "--", "sh", "-c", show]);
    assert_eq!(out(&output), "3 none \n", "{}", err(&output));
}
