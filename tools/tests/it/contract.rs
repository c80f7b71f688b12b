//! What scripts rely on: exit status, streams, files, time to an answer. Here the command runs as a process.

use crate::console::root;
use crate::folder::Folder;
use std::fs;
use std::io::Read as _;
use std::process::{Command, Output, Stdio};

pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stowplan"));
    command.args(args).current_dir(root()).stdin(Stdio::null());
    for name in [
        "COLUMNS",
        "LC_ALL",
        "LC_CTYPE",
        "LANG",
        "NO_COLOR",
        "CLICOLOR_FORCE",
        "TERM",
    ] {
        command.env_remove(name);
    }
    command
}

fn output(args: &[&str]) -> Output {
    command(args).output().expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

const T: &str = "package:2 core:4 pu:1";

#[track_caller]
fn refused(args: &[&str], class: &str) {
    let output = output(args);
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {err}");
    assert!(output.stdout.is_empty(), "{args:?}");
    assert!(
        err.starts_with(&format!("error[{class}]: ")),
        "{args:?}: {err}"
    );
}

#[test]
fn refusals_end_with_status_2_and_no_output() {
    refused(
        &["map", "--topo", T, "-H", "a:2", "-n", "5"],
        "not-enough-slots",
    );
    refused(
        &["map", "--topo", "missing.xml", "-H", "a:2"],
        "bad-topology",
    );
    refused(&["map", "--mapby-core", "x"], "bad-option");
    refused(&["map", "--topo", T, "--format", "yaml"], "bad-value");
    refused(
        &["map", "--topo", T, "--hostfile", "missing"],
        "bad-hostfile",
    );
    refused(
        &[
            "map",
            "--topo",
            T,
            "--prtemca",
            "hwloc_default_cpu_list",
            "3-1",
            "-H",
            "a",
        ],
        "bad-cpu-list",
    );
    refused(
        &["map", "--topo", T, "-H", "a:2", "-o", "/nowhere/at/all"],
        "output",
    );
    refused(
        &["map", "--topo", T, "-H", "a:2", "--taskmap", "[]"],
        "taskmap-unknown",
    );
    refused(&["place"], "bad-option");
    refused(&[], "bad-option");
}

#[test]
fn huge_requests_are_answered_at_once() {
    refused(
        &["map", "--topo", T, "-H", "a", "-n", "4294967295"],
        "job-too-large",
    );
    refused(
        &["map", "--topo", T, "-H", "n[0-99999999999]"],
        "job-too-large",
    );
    refused(
        &[
            "map",
            "--topo",
            T,
            "-H",
            "a",
            "--map-by",
            "ppr:4000000000:core",
        ],
        "job-too-large",
    );
    let brackets = "[0-1]".repeat(10_000);
    refused(
        &["map", "--topo", T, "-H", &format!("n{brackets}")],
        "bad-hostlist",
    );
    let task_map = "[[0,1000000,1,1000]]";
    refused(
        &[
            "map",
            "--topo",
            T,
            "-H",
            "n[0-999999]:1000",
            "--taskmap",
            task_map,
        ],
        "job-too-large",
    );
    let many = output(&[
        "map",
        "--topo",
        T,
        "-H",
        "n[0-4194303]:4",
        "--map-by",
        "node:oversubscribe",
        "-n",
        "2000000000",
    ]);
    assert_eq!(many.status.code(), Some(0), "{}", text(&many.stderr));
    assert!(text(&many.stdout).starts_with("2,000,000,000 ranks on 4,194,304 nodes"));
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let mut command = command(&["map", "--topo", T, "-H", "n[0-99999]:8", "--format", "tsv"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut out = child.stdout.take().expect("a pipe");
    let mut first = [0; 5];
    out.read_exact(&mut first).expect("it begins");
    drop(out);
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(text(&ended.stderr), "");
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let folder = Folder::new("whole");
    let (file, plan) = (folder.file("rows"), folder.file("plan"));
    let given = output(&[
        "map", "--topo", T, "-H", "a:2", "--format", "tsv", "-o", &file, "--save", &plan,
    ]);
    assert_eq!(given.status.code(), Some(0), "{}", text(&given.stderr));
    assert!(given.stdout.is_empty());
    let rows = fs::read_to_string(&file).expect("the file is there");
    assert_eq!(rows.lines().count(), 3);
    refused(
        &[
            "map", "--topo", T, "-H", "a:2", "-n", "3", "--format", "tsv", "-o", &file,
        ],
        "not-enough-slots",
    );
    assert_eq!(fs::read_to_string(&file).expect("the file stays"), rows);
    assert_eq!(
        output(&["check", &plan]).status.code(),
        Some(0),
        "the saved plan is sound"
    );
    let names = fs::read_dir(folder.path())
        .expect("the folder is there")
        .count();
    assert_eq!(names, 2, "no parts are left");
}

#[test]
fn threads_change_nothing() {
    let run = |threads: &str, format: &str| {
        let app = [
            "--map-by",
            "package:span",
            "-n",
            "300",
            "one",
            ":",
            "--map-by",
            "ppr:1:node",
            "two",
        ];
        let mut args = vec![
            "map",
            "--topo",
            T,
            "-H",
            "n[0-99]:4,m:8",
            "--threads",
            threads,
            "--format",
            format,
        ];
        args.extend(app);
        let output = output(&args);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        output.stdout
    };
    for format in ["text", "tsv", "json", "map", "taskmap", "raw"] {
        assert_eq!(run("1", format), run("8", format), "{format}");
    }
}

#[test]
fn the_page_keeps_to_the_screen() {
    let args = [
        "map",
        "--topo",
        "package:2 numa:2 l3:4 core:8 pu:2",
        "-H",
        "n[0-63]:128",
        "--map-by",
        "core",
        "./a",
    ];
    for columns in [1_usize, 20, 40, 80, 132] {
        let said = command(&args)
            .env("COLUMNS", columns.to_string())
            .output()
            .expect("it runs");
        let page = text(&said.stdout);
        // What an app asks for, and the cpus and ranks of a shape, are shown in full at any width.
        let exact = |line: &str| {
            line.starts_with("app ")
                || line.contains(" by local rank ")
                || line.contains(" by node ")
        };
        let whole = |line: &&str| exact(line) || line.starts_with("     ");
        for line in page.lines().filter(|line| !whole(line)) {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
        assert!(page.lines().count() <= 24);
    }
    let plain = command(&args).env("LC_ALL", "C").output().expect("it runs");
    assert!(plain.stdout.is_ascii(), "{}", text(&plain.stdout));
    let coloured = command(&args)
        .env("CLICOLOR_FORCE", "1")
        .output()
        .expect("it runs");
    assert!(text(&coloured.stdout).contains("\x1b["));
    assert!(
        !text(&output(&args).stdout).contains('\x1b'),
        "no colours in a pipe"
    );
}

#[test]
fn a_page_has_at_most_24_lines_for_any_job() {
    // Forty shapes of nodes, thirty apps, four topologies.
    let hosts: Vec<String> = (1..=40).map(|slots| format!("n{slots}:{slots}")).collect();
    let hosts = hosts.join(",");
    let programs: Vec<String> = (0..30).map(|app| format!("./app{app}")).collect();
    let mut args = vec![
        "map",
        "-H",
        &hosts,
        "--topo",
        "package:4 numa:2 l3:2 core:4 pu:2",
    ];
    let topologies = [
        "n[1-9]=package:2 core:32 pu:1",
        "n[10-19]=package:8 core:8 pu:1",
        "n[20-24]=pu:64",
    ];
    topologies
        .iter()
        .for_each(|topology| args.extend(["--topo", topology]));
    args.extend([
        "--map-by",
        "node",
        "-n",
        "20",
        "--bind-to",
        "core",
        &programs[0],
    ]);
    for program in &programs[1..] {
        args.extend([":", "-n", "20", program]);
    }
    let said = output(&args);
    assert_eq!(said.status.code(), Some(0), "{}", text(&said.stderr));
    let page = text(&said.stdout);
    assert!(page.lines().count() <= 24, "{page}");
    assert!(
        page.contains("more shapes")
            && page.contains("more apps")
            && page.contains("more topologies"),
        "{page}"
    );
}

#[test]
fn prteruns_offline_line_works_verbatim() {
    let said = output(&[
        "map",
        "--rtos",
        "donotlaunch",
        "--display",
        "map",
        "--prtemca",
        "hwloc_use_topo_file",
        "cases/machines/laptop.xml",
        "-H",
        "node0:4,node1:4,node2:4",
        "--map-by",
        "node",
        "-n",
        "4",
        "hostname",
        ":",
        "--map-by",
        "slot",
        "--rank-by",
        "node",
        "-n",
        "4",
        "hostname",
    ]);
    assert_eq!(said.status.code(), Some(0), "{}", text(&said.stderr));
    let page = text(&said.stdout);
    for line in [
        "========================   JOB MAP   ========================",
        "Data for JOB stowplan@1 offset 0 Total slots allocated 12",
        "Data for node: node0\tNum slots: 4\tMax slots: 0\tNum procs: 4",
        "        Process jobid: stowplan@1 App: 0 Process rank: 0 Bound: package[0][core:L0-3]",
        "        Process jobid: stowplan@1 App: 1 Process rank: 4 Bound: package[0][core:L2]",
        "=============================================================",
    ] {
        assert!(page.lines().any(|own| own == line), "{line}\n{page}");
    }
}

/// A fault of ours ends with one line and its status, on whichever thread it happens. The word exists in builds for tests only.
#[test]
fn a_panic_is_told_in_one_line() {
    if !cfg!(debug_assertions) {
        return;
    }
    let output = output(&["panic-for-a-test"]);
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(70), "{err}");
    assert!(err.starts_with("error[internal]: "), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(output.stdout.is_empty());
}
