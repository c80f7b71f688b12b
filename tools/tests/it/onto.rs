//! A plan that is made before its nodes are known, from the login node to the job; files of ranks; outputs that overwrite nothing.

use crate::folder::Folder;
use crate::launch::{err, out, refused};
use std::process::Command;

const TOPO: &str = "package:2 core:4 pu:1";

fn folder(name: &str, words: &[&str]) -> Folder {
    let folder = Folder::new(name);
    let mut all = vec!["map", "--topo", TOPO];
    all.extend_from_slice(words);
    let made = folder.run(&[], &all);
    assert!(made.status.success(), "{}", err(&made));
    folder
}

/// Runs a command that must succeed, and gives its output.
#[track_caller]
fn ran(folder: &Folder, words: &[&str]) -> String {
    let output = folder.run(&[], words);
    assert!(output.status.success(), "{words:?}: {}", err(&output));
    out(&output)
}

#[test]
fn a_plan_goes_onto_hosts_in_order() {
    let own = folder(
        "onto",
        &[
            "-H", "n[0-1]:8", "-n", "12", "--save", "p", "-o", "page", "./x",
        ],
    );
    let rows = ran(
        &own,
        &[
            "onto", "p", "-H", "g7,g12", "--save", "q", "--format", "tsv",
        ],
    );
    assert!(
        rows.ends_with("11\t0\t11\tg12\t3\t3\tcore:3\t3\n"),
        "{rows}"
    );
    assert_eq!(ran(&own, &["show", "q", "--format", "tsv"]), rows);
    assert_eq!(
        ran(
            &own,
            &["show", "p", "--onto", "-H", "g7,g12", "--format", "tsv"]
        ),
        rows
    );
    assert_eq!(
        ran(&own, &["show", "p", "--onto", "g7,g12", "--format", "tsv"]),
        rows
    );
    assert!(ran(&own, &["check", "q"]).contains("no fault"));
    assert!(ran(&own, &["export", "srun", "p", "--onto", "-H", "g7,g12"]).contains("-w 'g[7,12]'"));
    let few = own.run(&[], &["onto", "p", "-H", "g7"]);
    refused(&few, "does-not-fit");
    assert!(
        err(&few).contains("needs 2 hosts, 1 is granted"),
        "{}",
        err(&few)
    );
    refused(
        &own.run(&[], &["onto", "p", "-H", "g1:2,g2:8"]),
        "does-not-fit",
    );
    refused(&own.run(&[], &["onto", "p"]), "bad-option");
    refused(
        &own.run(&[], &["onto", "p", "-H", "g[1-2]", "--topo", "core:4 pu:1"]),
        "does-not-fit",
    );
    let other = own.run(
        &[],
        &[
            "onto",
            "p",
            "-H",
            "g[1-2]",
            "--topo",
            "package:2 core:6 pu:2",
            "-o",
            "page",
        ],
    );
    assert!(
        err(&other).contains("note[topology-differs]: g[1-2] are of other hardware"),
        "{}",
        err(&other)
    );
}

#[test]
fn nodes_of_each_topology_take_the_hosts_that_have_it() {
    let own = Folder::new("onto-kinds");
    let topo = format!("n0,n2={TOPO}");
    ran(
        &own,
        &[
            "map",
            "--topo",
            &topo,
            "--topo",
            "n1=core:8 pu:2",
            "-H",
            "n[0-2]:8",
            "-n",
            "24",
            "--save",
            "p",
            "-o",
            "page",
            "./x",
        ],
    );
    let first = format!("g[1-2]={TOPO}");
    let rows = ran(
        &own,
        &[
            "onto",
            "p",
            "-H",
            "g[0-2]",
            "--topo",
            "g0=core:8 pu:2",
            "--topo",
            &first,
            "--save",
            "q",
            "--format",
            "tsv",
        ],
    );
    let nodes: Vec<&str> = rows
        .lines()
        .skip(1)
        .step_by(8)
        .filter_map(|row| row.split('\t').nth(3))
        .collect();
    assert_eq!(nodes, ["g1", "g0", "g2"]);
    assert!(ran(&own, &["check", "q"]).contains("no fault"));
    let few = own.run(&[], &["onto", "p", "-H", "g[0-2]", "--topo", TOPO]);
    refused(&few, "does-not-fit");
    assert!(
        err(&few).contains("n1 (8 cores, 16 hwthreads) needs 1 host, 0 are granted"),
        "{}",
        err(&few)
    );
    let unknown = own.run(&[], &["onto", "p", "-H", "g[0-2]", "-o", "page"]);
    assert!(
        err(&unknown).contains("note[topology-assumed]"),
        "{}",
        err(&unknown)
    );
}

#[test]
fn a_plan_by_a_rankfile_leaves_nodes_without_ranks() {
    let own = Folder::new("onto-ranks");
    own.write(
        "ranks",
        "rank 0=a slot=3\nrank 1=b slot=0\nrank 2=a slot=0-1\n",
    );
    ran(
        &own,
        &[
            "map",
            "--topo",
            TOPO,
            "-H",
            "a:8,b:8,c:8",
            "-n",
            "3",
            "--map-by",
            "rankfile:file=ranks",
            "--save",
            "p",
            "-o",
            "page",
            "./x",
        ],
    );
    for hosts in ["x1,x2", "x[1-3]"] {
        ran(
            &own,
            &["onto", "p", "-H", hosts, "--save", "q", "-o", "page"],
        );
        assert!(ran(&own, &["check", "q"]).contains("no fault"), "{hosts}");
    }
}

/// The recipe of `docs/questions.md`: planned on a login node, granted by a batch system, started by a launcher.
#[test]
fn from_the_login_node_to_the_job() {
    let own = Folder::new("recipe");
    ran(
        &own,
        &[
            "map",
            "--topo",
            "core:2 pu:1",
            "-H",
            "n[0-1]:2",
            "-n",
            "4",
            "--map-by",
            "node",
            "--bind-to",
            "none",
            "--save",
            "job.plan",
            "-o",
            "page",
            "/bin/echo",
            "ocean",
            "",
        ],
    );
    let granted = [
        ("SLURM_JOB_NODELIST", "c[17,23]"),
        ("SLURM_TASKS_PER_NODE", "2(x2)"),
    ];
    let carried = own.run(
        &granted,
        &[
            "onto",
            "job.plan",
            "--here",
            "--save",
            "granted.plan",
            "--format",
            "raw",
        ],
    );
    assert_eq!(out(&carried), "0,2;1,3\n", "{}", err(&carried));
    let mut live = String::new();
    for (rank, host) in [(0, "c17"), (1, "c23"), (2, "c17"), (3, "c23")] {
        let number = rank.to_string();
        let mut variables = vec![("SLURM_PROCID", &*number), ("SLURMD_NODENAME", host)];
        let started = own.run(&variables, &["exec", "granted.plan"]);
        assert_eq!(out(&started), "ocean \n", "{}", err(&started));
        variables.extend(granted);
        let started = own.run(
            &variables,
            &[
                "exec",
                "job.plan",
                "--onto",
                "--here",
                "--",
                "/bin/echo",
                "-H",
            ],
        );
        assert_eq!(out(&started), "-H\n", "{}", err(&started));
        live += &format!("{rank}: {}", out(&own.run(&variables, &["probe"])));
    }
    own.write("live", &live);
    assert!(ran(&own, &["check", "granted.plan", "--live", "live"]).contains("all 4 ranks"));
    let carried = own.run(
        &granted,
        &["check", "job.plan", "--live", "live", "--onto", "--here"],
    );
    assert!(carried.status.success(), "{}", err(&carried));
}

#[test]
fn a_rankfile_that_is_written_is_read_back() {
    for words in [
        &["--map-by", "node", "--bind-to", "core"][..],
        &["--map-by", "package:pe=2"],
        &["--map-by", "slot", "--rank-by", "node", "--bind-to", "core"],
    ] {
        let mut all = vec!["-H", "a:8,b:8", "-n", "6", "--save", "p", "-o", "page"];
        all.extend_from_slice(words);
        all.push("./x");
        let own = folder("rankfile", &all);
        for reader in ["prte", "ompi4"] {
            let file = ran(&own, &["export", "rankfile", "--for", reader, "p"]);
            own.write("ranks", &file);
            let again = [
                "map",
                "--topo",
                TOPO,
                "-H",
                "a:8,b:8",
                "-n",
                "6",
                "--map-by",
                "rankfile:file=ranks",
                "--columns",
                "rank,node,cpus",
                "./x",
            ];
            assert_eq!(
                ran(&own, &again),
                ran(
                    &own,
                    &[
                        "show",
                        "p",
                        "--columns",
                        "rank,node,cpus",
                        "--format",
                        "tsv"
                    ]
                ),
                "{words:?}"
            );
        }
    }
}

#[test]
fn host_files_are_written_as_each_launcher_reads_them() {
    let own = folder(
        "hostfile",
        &[
            "-H", "a:2,b:2", "-n", "4", "--map-by", "slot", "--save", "p", "-o", "page", "./x",
        ],
    );
    for (reader, lines) in [
        ("prte", "a slots=2\nb slots=2\n"),
        ("hydra", "a:2\nb:2\n"),
        ("intel", "a:2\nb:2\n"),
        ("slurm", "a*2\nb*2\n"),
        ("flux", "a\na\nb\nb\n"),
        ("pals", "a\nb\n"),
        ("pbs", "a\na\nb\nb\n"),
    ] {
        let file = ran(&own, &["export", "hostfile", "--for", reader, "p"]);
        let is_comment = |line: &&str| line.starts_with('#');
        let own: Vec<&str> = file.lines().filter(|line| !is_comment(line)).collect();
        assert_eq!(own, lines.lines().collect::<Vec<_>>(), "{reader}: {file}");
        // Flux, and who reads PBS_NODEFILE, take every line for a host.
        let commented = file.lines().any(|line| is_comment(&line));
        assert_eq!(commented, !["flux", "pbs"].contains(&reader), "{file}");
    }
    refused(
        &own.run(&[], &["export", "hostfile", "--for", "nobody", "p"]),
        "bad-value",
    );
    refused(
        &own.run(&[], &["export", "srun", "--for", "ompi4", "p"]),
        "bad-option",
    );
}

#[test]
fn no_output_replaces_what_was_read() {
    let own = folder(
        "overwrite",
        &["-H", "a:2", "--save", "p", "-o", "page", "./x"],
    );
    own.write("hosts", "a slots=2\n");
    refused(
        &own.run(
            &[],
            &[
                "map",
                "--topo",
                TOPO,
                "--hostfile",
                "hosts",
                "-o",
                "hosts",
                "./x",
            ],
        ),
        "bad-option",
    );
    refused(&own.run(&[], &["show", "p", "-o", "./p"]), "bad-option");
    refused(
        &own.run(&[], &["onto", "p", "-H", "b", "--save", "p"]),
        "bad-option",
    );
    refused(
        &own.run(
            &[],
            &["map", "--topo", TOPO, "-o", "cpu-affinity=off", "./x"],
        ),
        "bad-value",
    );
    assert_eq!(own.names(), ["hosts", "p", "page"]);
}

#[test]
fn a_full_disk_is_told_with_status_1() {
    let own = folder("full", &["-H", "a:2", "--save", "p", "-o", "page", "./x"]);
    for words in [
        &["show", "p"][..],
        &["check", "p"],
        &["topo", "list"],
        &["taskmap", "[[0,1,1,1]]"],
        &["help"],
    ] {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_stowplan"));
        let output = command
            .args(words)
            .current_dir(own.path())
            .stdout(full)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        assert!(
            err(&output).contains("error[output]: standard output cannot be written"),
            "{words:?}"
        );
    }
}

#[test]
fn lists_have_steps() {
    let own = Folder::new("steps");
    let cpus = |list: &str| {
        let list = format!("pe-list={list}");
        let rows = ran(
            &own,
            &[
                "map",
                "--topo",
                "core:16 pu:1",
                "-H",
                "a:16",
                "-n",
                "1",
                "--map-by",
                &list,
                "--columns",
                "cpus",
                "./x",
            ],
        );
        rows.lines().nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!(cpus("0-15/4"), "0,4,8,12");
    assert_eq!(cpus("0-15:2/4"), "0-1,4-5,8-9,12-13");
}
