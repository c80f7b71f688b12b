//! `docs/session.schema.json`: what is read and answered matches it, and what is refused does not.

use super::{ours, root, session};
use crate::folder::Folder;
use serde_json::{Value as Json, json};

fn part(name: &str) -> jsonschema::Validator {
    let text = std::fs::read_to_string(root().join("docs/session.schema.json")).unwrap();
    let mut schema: Json = serde_json::from_str(&text).unwrap();
    let object = schema.as_object_mut().unwrap();
    object.remove("anyOf");
    object.insert("$ref".to_owned(), json!(format!("#/$defs/{name}")));
    jsonschema::validator_for(&schema).unwrap()
}

/// Our scenarios, each as its first line and its steps.
fn scenarios() -> Vec<(Json, Vec<Json>)> {
    let mut all = Vec::new();
    for path in ours() {
        let file: Json = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let list = match file.get("scenarios") {
            Some(list) => list.as_array().unwrap().clone(),
            None => vec![file],
        };
        for scenario in list {
            let first = json!({"config": scenario["config"], "initial": scenario["initial"]});
            all.push((first, scenario["steps"].as_array().unwrap().clone()));
        }
    }
    all
}

#[test]
fn lines_and_answers_fit_the_schema() {
    let (first_line, event, answer) = (part("first"), part("event"), part("answer"));
    let folder = Folder::new("schema");
    let mut refusals = 0;
    for (number, (first, steps)) in scenarios().into_iter().enumerate() {
        assert!(first_line.is_valid(&first), "{first}");
        let mut lines = format!("{first}\n");
        for step in &steps {
            assert!(event.is_valid(step), "{step}");
            lines += &format!("{step}\n");
        }
        lines += "{\"event\":\"spwan\"}\nno JSON\n";
        let journal = folder.file(&number.to_string());
        let said = session(&["serve", "--journal", &journal], lines.as_bytes());
        assert_eq!(said.status, 0, "{}", said.err);
        let answers: Vec<Json> = said
            .out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(answers.len(), steps.len() + 3);
        for (at, told) in answers.iter().enumerate() {
            assert!(answer.is_valid(told), "{told}");
            if told.get("final").is_none() {
                assert_eq!(told["line"], json!(at + 2), "{told}");
            }
            refusals += usize::from(told.get("reason").is_some());
        }
        let meant = "there is no event \"spwan\", did you mean spawn?";
        assert_eq!(answers[steps.len()]["error"], json!(meant));
    }
    assert!(refusals > 20, "{refusals} refusals have a reason");
}

#[test]
fn what_is_refused_does_not_fit() {
    let event = part("event");
    let folder = Folder::new("schema-refused");
    for (number, line) in [
        json!({"event": "spwan"}),
        json!({"event": "job_end", "n": "j"}),
        json!({"event": "job_end"}),
        json!({"event": "grant", "req": -1}),
        json!({"event": "grant", "req": 1, "node": ["a"]}),
        json!({"event": "tool_attach", "ns": "t", "scheduler": "yes"}),
        json!({"event": "dvm_end", "expect": {"stat": 1}}),
        json!({"event": "warn", "alloc_id": "a", "time_remaining": 4_294_967_296_u64}),
    ]
    .iter()
    .enumerate()
    {
        assert!(!event.is_valid(line), "{line}");
        let journal = folder.file(&number.to_string());
        let lines = format!("{{}}\n{line}\n");
        let said = session(&["serve", "--journal", &journal], lines.as_bytes());
        assert!(said.out.starts_with("{\"error\""), "{line}: {}", said.out);
    }
}

#[test]
fn unknown_keys_of_a_final_state_are_refused_with_the_nearest() {
    let folder = Folder::new("schema-final");
    let node =
        json!({"alloc": null, "name": "n0", "origin": "startup", "session": "", "state": "up"});
    let mut wrong = node.clone();
    wrong["sate"] = json!("up");
    let state = |nodes: Json| {
        json!({"allocations": [], "dvm": "up", "namespaces": [], "next_request": 1, "next_session_id": 1,
               "nodes": nodes, "pending": [], "scheduler": null})
    };
    let sound = state(json!([node]));
    let mut table = sound.clone();
    table["alocations"] = json!([]);
    for (last, told) in [
        (sound, None),
        (
            table,
            Some("the final state: there is no key \"alocations\", did you mean allocations?"),
        ),
        (
            state(json!([wrong])),
            Some("row 0 of nodes: there is no key \"sate\", did you mean state?"),
        ),
    ] {
        let dump = folder.file("dump");
        std::fs::write(&dump, format!("{}\n", json!({"final": last}))).unwrap();
        let words = [
            "map",
            "--topo",
            "core:2 pu:1",
            "--session",
            &dump,
            "-n",
            "1",
            "./x",
        ];
        let words = words.map(str::to_owned);
        let said = crate::console::stowplan(&words, &stowplan_cli::disk::Disk);
        let scenario = folder.file("scenario.json");
        let whole = json!({"name": "x", "initial": {"nodes": ["n0"]}, "steps": [], "final": last});
        std::fs::write(&scenario, whole.to_string()).unwrap();
        let run = session(&["run", &scenario], b"");
        match told {
            None => assert_eq!((said.status, run.status), (0, 0), "{}{}", said.err, run.err),
            Some(told) => {
                for (status, out, err) in [
                    (said.status, said.out, said.err),
                    (run.status, run.out, run.err),
                ] {
                    assert_eq!((status, out.as_str()), (2, ""), "{err}");
                    assert!(err.contains(told), "{err}");
                }
            }
        }
    }
}

#[test]
fn unknown_keys_of_the_first_line_are_refused_with_the_nearest() {
    let first_line = part("first");
    let folder = Folder::new("schema-first");
    for (line, told) in [
        (
            json!({"inital": {}}),
            "there is no key \"inital\", did you mean initial?",
        ),
        (
            json!({"initial": {"node": ["a"]}}),
            "there is no key \"node\", did you mean nodes?",
        ),
        (
            json!({"config": {"limit": {}}}),
            "there is no key \"limit\", did you mean limits?",
        ),
        (
            json!({"config": {"limits": {"max_node": 1}}}),
            "there is no limit \"max_node\", did you mean max_nodes?",
        ),
        (
            json!({"config": {"available": ["PMIX_ALLOC_SHARED"]}}),
            "there is no attribute \"PMIX_ALLOC_SHARED\", did you mean PMIX_ALLOC_SHARE?",
        ),
        (
            json!({"nodes": ["a"]}),
            "there is no key \"nodes\"; there are config initial",
        ),
    ] {
        assert!(!first_line.is_valid(&line), "{line}");
        let said = session(
            &["serve", "--journal", &folder.file("j")],
            format!("{line}\n").as_bytes(),
        );
        assert_eq!((said.status, said.out.as_str()), (2, ""));
        assert!(said.err.contains(told), "{}", said.err);
        let scenario = folder.file("s.json");
        let mut whole = line.clone();
        whole["steps"] = json!([]);
        std::fs::write(&scenario, whole.to_string()).unwrap();
        let said = session(&["run", &scenario], b"");
        assert_eq!((said.status, said.out.as_str()), (2, ""), "{whole}");
        assert!(said.err.starts_with("error[scenario]: "), "{}", said.err);
    }
}
