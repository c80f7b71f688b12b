//! Scenario files.

use super::{ours, root, session};
use crate::folder::Folder;
use serde_json::{Value as Json, json};
use std::io::Write as _;
use stowplan_cli::command::session::state_json;
use stowplan_session::Config;

#[test]
fn every_scenario_of_ours_ends_as_it_says() {
    for path in ours() {
        let said = session(&["run", path.to_str().unwrap(), "--check"], b"");
        assert_eq!(
            (said.status, said.err.as_str()),
            (0, ""),
            "{}: {}",
            path.display(),
            said.out
        );
    }
}

#[test]
fn every_scenario_of_the_contract_ends_as_it_says() {
    let folder =
        std::env::var_os("STOWPLAN_SHARED").map_or_else(|| root().join("../shared"), Into::into);
    let path = folder.join("reservation-scenarios.json");
    if !path.exists() {
        let _ = writeln!(
            std::io::stderr(),
            "skipped: no {}; see STOWPLAN_SHARED",
            path.display()
        );
        return;
    }
    let said = session(&["run", path.to_str().unwrap(), "--check"], b"");
    assert_eq!(
        (said.status, said.err.as_str()),
        (0, ""),
        "an expectation of the contract is not met"
    );
    assert!(said.out.lines().count() > 1000);
}

#[test]
fn an_expectation_that_is_not_met_is_shown_and_exits_with_1() {
    let folder = Folder::new("unmet");
    let path = folder.file("unmet.json");
    let step = json!({"event": "job_end", "ns": "nobody", "expect": {"status": "PMIX_SUCCESS"}});
    std::fs::write(&path, json!({"name": "unmet", "steps": [step]}).to_string()).unwrap();
    let said = session(&["run", &path], b"");
    assert_eq!((said.status, said.err.as_str()), (1, ""));
    let first: Json = serde_json::from_str(said.out.lines().next().unwrap()).unwrap();
    assert_eq!(first["expected"], json!({"status": "PMIX_SUCCESS"}));
    assert_eq!(first["status"], "PMIX_ERR_NOT_FOUND");
    assert_eq!(session(&["run", &path, "--format", "text"], b"").status, 1);
}

/// Documents with one malformed part each.
fn malformed() -> Vec<Json> {
    let step = |step: Json| json!({"name": "bad", "steps": [step]});
    let initial = |initial: Json| json!({"name": "bad", "initial": initial, "steps": []});
    let config = |config: Json| json!({"name": "bad", "config": config, "steps": []});
    let deep = (0..70).fold(json!(1), |inner, _| json!([inner]));
    vec![
        json!(5),
        json!({"name": "bad"}),
        json!({"name": 5, "steps": []}),
        json!({"name": "bad", "steps": {}}),
        step(json!(5)),
        step(json!({})),
        step(json!({"event": "explode"})),
        step(json!({"event": "dvm_end", "why": "x"})),
        step(json!({"event": "job_end"})),
        step(json!({"event": "job_end", "ns": null})),
        step(json!({"event": "job_end", "ns": 5})),
        step(json!({"event": "alloc", "from": "t", "directive": "PMIX_ALLOC_NEW"})),
        step(json!({"event": "alloc", "from": "t", "attrs": {}})),
        step(json!({"event": "alloc", "from": "t", "directive": "x", "attrs": []})),
        step(json!({"event": "alloc", "from": "t", "directive": "x", "attrs": {"X": deep}})),
        step(json!({"event": "grant", "req": -1})),
        step(json!({"event": "grant", "req": 1.0})),
        step(json!({"event": "grant", "req": "1"})),
        step(json!({"event": "deny", "req": 1})),
        step(json!({"event": "tool_attach", "ns": "x", "scheduler": 1})),
        step(json!({"event": "warn", "alloc_id": "x", "time_remaining": 4_294_967_296_u64})),
        step(json!({"event": "reclaim", "alloc_id": "x", "reason": 5})),
        initial(json!([])),
        initial(json!({"nodes": ["a", "a"]})),
        initial(json!({"nodes": [""]})),
        initial(json!({"nodes": [5]})),
        initial(json!({"nodes": "a"})),
        initial(json!({"tools": ["a:b"]})),
        initial(json!({"tools": ["a"], "scheduler": "a"})),
        initial(json!({"scheduler": 5})),
        initial(json!({"nodes": ["x".repeat(256)]})),
        config(json!({"available": ["PMIX_ALLOC_TIME"]})),
        config(json!({"available": "PMIX_ALLOC_TARGET"})),
        config(json!({"limits": {"max_jobs": 1}})),
        config(json!({"limits": {"max_nodes": -1}})),
        config(json!({"next_session_id": 4_294_967_296_u64})),
        config(json!({"next_session_id": 0})),
        config(json!(5)),
    ]
}

/// A good scenario before a malformed one is not run either.
#[test]
fn what_is_no_scenario_says_where_and_prints_nothing() {
    let folder = Folder::new("malformed");
    let good = json!({"name": "good", "initial": {"nodes": ["a"], "tools": ["t"]}, "steps": []});
    for bad in malformed() {
        let path = folder.file("bad.json");
        for document in [bad.clone(), json!({"version": 1, "scenarios": [good, bad]})] {
            std::fs::write(&path, document.to_string()).unwrap();
            let said = session(&["run", &path], b"");
            assert_eq!((said.status, said.out.as_str()), (2, ""), "{document}");
            assert!(
                said.err.starts_with("error[scenario]: "),
                "{document}: {}",
                said.err
            );
        }
    }
    for text in [
        "",
        "{",
        "[1,",
        "{\"steps\":[]} x",
        "{\"version\":2,\"scenarios\":[]}",
        "\u{feff}{}",
    ] {
        let path = folder.file("bad.json");
        std::fs::write(&path, text).unwrap();
        let said = session(&["run", &path], b"");
        assert_eq!((said.status, said.out.as_str()), (2, ""), "{text}");
        assert!(
            said.err.starts_with("error[scenario]: "),
            "{text}: {}",
            said.err
        );
    }
    let said = session(&["run", &folder.file("not-there.json")], b"");
    assert_eq!((said.status, said.out.as_str()), (2, ""));
}

/// A file that is wrong: the line and column that are named, and the words that are underlined. Of a key that is missing, its object is.
const WRONG: &[(&str, &str, &str)] = &[
    (
        "{\"steps\":[\n {\"event\":\"node_up\",\"nod\":\"a\"}]}",
        "2:21",
        "\"nod\"",
    ),
    (
        "{\"steps\":[{\"event\":\"dvm_end\"},\n{\"event\":\"node_upp\"}]}",
        "2:10",
        "\"node_upp\"",
    ),
    (
        "{\"steps\":[{\"event\":\"node_up\"}]}",
        "1:11",
        "{\"event\":\"node_up\"}",
    ),
    (
        "{\"steps\":[{\"event\":\"warn\",\n\"alloc_id\":\"a\",\"time_remaining\":true}]}",
        "2:33",
        "true",
    ),
    (
        "{\"steps\":[{\"event\":\"dvm_end\",\"expect\":{\"state\":1}}]}",
        "1:40",
        "\"state\"",
    ),
    (
        "{\"steps\":[],\"config\":\n{\"limits\":{\"max_nodes\":-1}}}",
        "2:24",
        "-1",
    ),
    (
        "{\"steps\":[],\"config\":{\"limit\":{}}}",
        "1:23",
        "\"limit\"",
    ),
    (
        "{\"steps\":[],\"initial\":{\"nodes\":[\"a\",\"b\",7]}}",
        "1:41",
        "7",
    ),
    (
        "{\"steps\":[],\"final\":{\"nodes\":[{\"name\":\"a\"},{\"nam\":1}]}}",
        "1:45",
        "\"nam\"",
    ),
    (
        "{\"version\":1,\"scenarios\":[{\"steps\":[]},\n{\"steps\":8}]}",
        "2:10",
        "8",
    ),
    ("{\"steps\":[],\n}", "2:1", "}"),
    ("{\"steps\":7,\"steps\":8}", "1:20", "8"),
];

#[test]
fn a_wrong_part_is_shown_where_it_is() {
    let folder = Folder::new("place");
    let path = folder.file("s.json");
    for (text, place, words) in WRONG {
        std::fs::write(&path, text).unwrap();
        let said = session(&["run", &path], b"");
        assert_eq!((said.status, said.out.as_str()), (2, ""), "{text}");
        let head = format!("error[scenario]: {path}:{place}: ");
        assert!(said.err.starts_with(&head), "{text}: {}", said.err);
        let lines: Vec<&str> = said.err.lines().collect();
        let (line, under) = (lines[1], lines[2]);
        let (from, to) = (under.find('^').unwrap(), under.len());
        assert_eq!(line.get(from..to), Some(*words), "{}", said.err);
    }
}

#[test]
fn null_means_absent_everywhere() {
    let folder = Folder::new("null");
    let path = folder.file("null.json");
    let attrs =
        json!({"PMIX_ALLOC_TARGET": null, "PMIX_ALLOC_ID": null, "PMIX_ALLOC_INHERITANCE": null});
    let document = json!({"name": "null", "config": null, "initial": {"nodes": ["a"], "tools": ["t"], "scheduler": null},
        "steps": [
            {"event": "spawn", "from": "t", "job": "j", "target": null, "hosts": null, "expect": null},
            {"event": "alloc", "from": "j", "directive": "PMIX_ALLOC_NEW", "attrs": attrs},
            {"event": "grant", "req": 1, "nodes": ["b"], "alloc_id": null, "note": "n"},
        ], "final": null, "note": "kept out"});
    std::fs::write(&path, document.to_string()).unwrap();
    let said = session(&["run", &path, "--check"], b"");
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert_eq!(
        said.out.matches("\"PMIX_SUCCESS\"").count(),
        2,
        "{}",
        said.out
    );
}

#[test]
fn one_scenario_of_many_is_run_by_name() {
    let folder = Folder::new("only");
    let path = folder.file("two.json");
    let one = |name: &str| json!({"name": name, "steps": []});
    let document = json!({"version": 1, "scenarios": [one("a"), one("b")]});
    std::fs::write(&path, document.to_string()).unwrap();
    let said = session(&["run", &path, "--only", "b"], b"");
    assert_eq!((said.status, said.out.lines().count()), (0, 1));
    assert!(said.out.contains("\"b\""));
    assert_eq!(session(&["run", &path, "--only", "c"], b"").status, 2);
}

#[test]
fn a_dump_is_read_back_whole() {
    for path in ours() {
        let said = session(&["run", path.to_str().unwrap()], b"");
        let last: Json = serde_json::from_str(said.out.lines().last().unwrap()).unwrap();
        let state = state_json::last_final(said.out.as_bytes(), Config::default()).unwrap();
        assert_eq!(
            serde_json::to_value(&state).unwrap(),
            last["final"],
            "{}",
            path.display()
        );
    }
}

#[test]
fn a_terminal_is_told_no_control_characters() {
    let folder = Folder::new("control");
    let path = folder.file("control.json");
    let document = json!({"name": "control", "initial": {"nodes": ["a\u{1b}[2J"], "tools": ["t\u{7}"]},
        "steps": [{"event": "spawn", "from": "t\u{7}", "job": "j\u{9b}"}]});
    std::fs::write(&path, document.to_string()).unwrap();
    let said = session(&["run", &path, "--format", "text"], b"");
    assert_eq!(said.status, 0);
    assert!(
        !said
            .out
            .chars()
            .any(|letter| letter.is_control() && letter != '\n'),
        "{:?}",
        said.out
    );
    let said = session(&["run", &folder.file("\u{1b}[2J")], b"");
    assert!(
        !said
            .err
            .chars()
            .any(|letter| letter.is_control() && letter != '\n'),
        "{:?}",
        said.err
    );
}

/// Transcripts of the command line: `$ stowplan session …`, then everything it prints, on both streams, journals included.
/// `UPDATE=1` rewrites the answers.
#[test]
fn each_transcript_prints_what_it_says() {
    let folder = Folder::new("cases");
    let files = std::fs::read_dir(root().join("cases/sessions"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    for path in files.filter(|path| {
        path.extension()
            .is_some_and(|ending| ending == "transcript")
    }) {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut written = String::new();
        for line in text.lines() {
            if line.starts_with('#') {
                written.push_str(line);
                written.push('\n');
            }
            let Some(command) = line.strip_prefix("$ stowplan session ") else {
                continue;
            };
            let place = |word: &str| {
                let here = word.replace("TEMP/", &format!("{}/", folder.path().display()));
                if here.starts_with("cases/") {
                    root().join(here).to_str().unwrap().to_owned()
                } else {
                    here
                }
            };
            let words: Vec<String> = command.split_whitespace().map(place).collect();
            let said = session(&words.iter().map(String::as_str).collect::<Vec<_>>(), b"");
            written.push_str(&format!("{line}\n{}{}", said.out, said.err));
        }
        if std::env::var_os("UPDATE").is_some() && std::env::var_os("CI").is_none() {
            std::fs::write(&path, &written).unwrap();
        }
        assert_eq!(
            written,
            std::fs::read_to_string(&path).unwrap(),
            "{}",
            path.display()
        );
    }
}
