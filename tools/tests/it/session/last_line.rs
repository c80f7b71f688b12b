//! The last line of a server with many jobs on many nodes.

use super::session;
use crate::folder::Folder;
use serde_json::{Value as Json, json};
use stowplan_cli::command::session::state_json;
use stowplan_session::Config;

fn last(out: &str) -> Json {
    serde_json::from_str::<Json>(out.lines().last().unwrap()).unwrap()["final"].clone()
}

/// Many jobs on many nodes: each set of nodes is named once in the last line of a server, and it says what a run says, which names every
/// node of every job.
#[test]
fn a_long_last_line_says_what_a_run_says() {
    let folder = Folder::new("long-last-line");
    let nodes: Vec<String> = (0..300).map(|node| format!("n{node}")).collect();
    let initial = json!({"nodes": nodes, "tools": ["t"], "scheduler": "s"});
    let mut steps = Vec::new();
    for job in 0..40 {
        steps.push(json!({"event": "spawn", "from": "t", "job": format!("j{}", job * 7 % 40)}));
        // Shared nodes join the default session; a reservation takes a node out of it.
        let (shared, granted) = match job % 4 {
            0 => (true, [format!("a{job}"), format!("z{job}")]),
            1 => (false, [format!("n{}", 3 * job), format!("b{job}")]),
            _ => continue,
        };
        let attrs = json!({"PMIX_ALLOC_SHARE": shared});
        steps.push(
            json!({"event": "alloc", "from": "t", "directive": "PMIX_ALLOC_NEW", "attrs": attrs}),
        );
        let req = job / 4 * 2 + job % 4 + 1;
        steps.push(json!({"event": "grant", "req": req, "nodes": granted}));
    }
    steps.push(json!({"event": "spawn", "from": "t", "job": "few", "hosts": ["n7"]}));
    let scenario = folder.file("scenario.json");
    let whole = json!({"name": "long", "initial": initial, "steps": steps});
    std::fs::write(&scenario, whole.to_string()).unwrap();
    let run = session(&["run", &scenario], b"");
    let mut lines = format!("{}\n", json!({"initial": initial}));
    steps.iter().for_each(|step| lines += &format!("{step}\n"));
    let journal = folder.file("journal");
    let served = session(&["serve", "--journal", &journal], lines.as_bytes());
    let (said, short) = (run.out.lines().last(), served.out.lines().last());
    let (said, short) = (said.unwrap(), short.unwrap());
    assert!(
        3 * short.len() < said.len(),
        "{} {}",
        short.len(),
        said.len()
    );
    for key in ["uses_as", "uses_also", "uses_without"] {
        assert!(short.contains(key) && !said.contains(key), "{key}");
    }
    let read = |said: &str| {
        let state = state_json::last_final(said.as_bytes(), Config::default()).unwrap();
        serde_json::to_value(&state).unwrap()
    };
    assert_eq!(read(short), last(said));
    assert_eq!(read(said), last(said));
    let replay = session(&["replay", &journal], b"");
    assert_eq!(last(&replay.out), last(short));
}

#[test]
fn nodes_of_other_namespaces_are_read_or_refused() {
    let folder = Folder::new("uses-as");
    let space = |name: &str, uses: &Json| {
        let mut row =
            json!({"kind": "job", "live": true, "name": name, "parent": null, "sessions": [""]});
        let row_keys = row.as_object_mut().unwrap();
        row_keys.extend(uses.as_object().unwrap().clone());
        row
    };
    let node = |name: &str| json!({"alloc": null, "name": name, "origin": "startup", "session": "", "state": "up"});
    for (first, second, told) in [
        (
            json!({"uses": ["a"]}),
            json!({"uses_as": "i", "uses_also": ["b"]}),
            "",
        ),
        (
            json!({"uses_as": "j"}),
            json!({"uses_as": "i"}),
            "leads back to itself",
        ),
        (
            json!({"uses_as": "i"}),
            json!({"uses": []}),
            "leads back to itself",
        ),
        (
            json!({"uses": ["a"]}),
            json!({"uses_as": "k"}),
            "\"k\" is not there",
        ),
        (
            json!({"uses": ["a"]}),
            json!({"uses_as": "i", "uses_also": ["c"]}),
            "\"c\" is not there",
        ),
        (
            json!({"uses": ["a"]}),
            json!({"uses_as": 7}),
            "expected a string",
        ),
        (
            json!({"uses": ["a"]}),
            json!({}),
            "either \"uses\" or \"uses_as\"",
        ),
        (
            json!({"uses": ["a"]}),
            json!({"uses": ["a"], "uses_also": ["b"]}),
            "without \"uses_as\"",
        ),
        (
            json!({"uses": ["a"]}),
            json!({"uses_as": "i", "uses": ["a"]}),
            "has both",
        ),
    ] {
        let spaces = [space("i", &first), space("j", &second)];
        let state = json!({"allocations": [], "dvm": "up", "namespaces": spaces, "next_request": 1, "next_session_id": 1,
            "nodes": [node("a"), node("b")], "pending": [], "scheduler": null});
        let dump = folder.file("dump");
        std::fs::write(&dump, format!("{}\n", json!({"final": state}))).unwrap();
        let read = state_json::last_final(&std::fs::read(&dump).unwrap(), Config::default());
        match read {
            Ok(state) => {
                let spaces = &serde_json::to_value(&state).unwrap()["namespaces"];
                assert_eq!((told, &spaces[1]["uses"]), ("", &json!(["a", "b"])));
            }
            Err(error) => assert!(!told.is_empty() && error.contains(told), "{error}"),
        }
    }
}
