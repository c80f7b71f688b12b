//! `map --session` together with `-H`: the sessions say which nodes exist, and `-H` selects among them. Source: contract, `--session`.

use super::session;
use crate::folder::Folder;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

const NODES: &str = r#"["n0","n1","n2"]"#;

fn map(words: &str) -> Output {
    map_on(NODES, words)
}

fn map_on(nodes: &str, words: &str) -> Output {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    let folder = Folder::new(&format!("hosts-of-sessions-{run}"));
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let scenario = format!(
        r#"{{"name":"n","initial":{{"nodes":{nodes},"tools":["t1"],"scheduler":"sched"}},"steps":[]}}"#
    );
    std::fs::write(path("scenario.json"), scenario).unwrap();
    let run = session(&["run", &path("scenario.json")], b"");
    std::fs::write(path("state"), run.out).unwrap();
    Command::new(env!("CARGO_BIN_EXE_stowplan"))
        .args(["map", "--topo", "core:4 pu:1", "--session", &path("state")])
        .args(["--format", "tsv"])
        .args(words.split(' '))
        .output()
        .unwrap()
}

/// The node of each rank.
fn nodes(words: &str) -> String {
    let done = map(words);
    assert!(done.status.success(), "{words}: {done:?}");
    let rows = String::from_utf8(done.stdout).unwrap();
    let node = |row: &str| row.split('\t').nth(3).unwrap().to_owned();
    let nodes: Vec<String> = rows.lines().skip(1).map(node).collect();
    nodes.join(" ")
}

#[test]
fn a_place_is_one_of_the_sessions_nodes() {
    assert_eq!(nodes("-H +n1 -n 2 ./x"), "n1 n1");
    assert_eq!(nodes("-H +e:2 -n 5 ./x"), "n0 n0 n0 n0 n1");
}

#[test]
fn what_one_app_names_takes_no_node_from_another() {
    assert_eq!(
        nodes("-H n1:1 -n 1 ./x : -n 11 --map-by node ./y")
            .matches("n0")
            .count(),
        4
    );
    assert_eq!(nodes("-H n2,n1:2 -n 3 ./x"), "n2 n1 n1");
}

#[test]
fn a_host_of_no_session_is_refused() {
    for hosts in ["n7", "n1,n7", "n[1-7]:2"] {
        let done = map(&format!("-H {hosts} -n 1 ./x"));
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(said.starts_with("error[not-in-session]: host `n"), "{said}");
    }
}

#[test]
fn a_name_that_breaks_rows_is_refused() {
    for name in [r"a\tb\nc", r"x\u001b[31m"] {
        let done = map_on(&format!(r#"["n0","{name}"]"#), "-n 1 ./x");
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(
            (done.status.code(), done.stdout.len()),
            (Some(2), 0),
            "{said}"
        );
        assert!(said.starts_with("error[bad-hostlist]: node \""), "{said}");
        assert_eq!(said.chars().filter(|letter| letter.is_control()).count(), 1);
    }
}
