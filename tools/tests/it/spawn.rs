//! `stowplan spawn` on the labelled spawn requests. A request with an equal command line is also checked as a command line.

use crate::console::{MadeUp, Said, shared, skipped, stowplan};
use serde_json::{Value, value::RawValue};
use std::collections::BTreeMap;
use std::path::PathBuf;

fn topology(name: &str) -> Option<PathBuf> {
    let file = format!("{name}.xml");
    let folders = ["corpus/topo", "spawn-topo"];
    folders
        .iter()
        .map(|folder| shared(folder).join(&file))
        .find(|path| path.exists())
}

fn strings(value: &Value) -> Vec<String> {
    let words = value.as_array().into_iter().flatten();
    words
        .map(|word| word.as_str().unwrap_or_default().to_owned())
        .collect()
}

/// What is wrong with an answer.
fn judge(case: &Value, said: &Said, twin: &str) -> Option<String> {
    let expect = &case["expect"];
    if let Some(class) = expect["error"].as_str() {
        let first = said.err.lines().next().unwrap_or_default();
        let right = said.status == 2
            && said.out.is_empty()
            && first.starts_with(&format!("error[{class}]: "));
        let placed = twin != "spawn"
            || !matches!(class, "bad-request" | "bad-attribute")
            || has_position(first);
        return (!right || !placed)
            .then(|| format!("{twin}: {class}, not {}: {first}", said.status));
    }
    if said.status != 0 {
        return Some(format!("{twin}: refused: {}", said.err));
    }
    let lines: Vec<&str> = said.out.lines().collect();
    if let Some(attributes) = expect["attributes"].as_array() {
        let given: Vec<Value> = lines
            .iter()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        return (given != *attributes).then(|| format!("{twin}: {}", said.out));
    }
    let cell = |cell: &Value| {
        cell.as_str()
            .map_or_else(|| cell.to_string(), str::to_owned)
    };
    let row = |row: &Value| {
        row.as_array()
            .into_iter()
            .flatten()
            .map(cell)
            .collect::<Vec<_>>()
            .join("\t")
    };
    let rows: Vec<String> = expect["rows"]
        .as_array()
        .into_iter()
        .flatten()
        .map(row)
        .collect();
    (lines.get(1..).unwrap_or_default() != rows).then(|| format!("{twin}: {}", said.out))
}

/// Whether a message names LINE:COLUMN.
fn has_position(message: &str) -> bool {
    let numbers = |part: &str| part.chars().next().is_some_and(|c| c.is_ascii_digit());
    message
        .split(':')
        .collect::<Vec<_>>()
        .windows(2)
        .any(|pair| numbers(pair[0]) && numbers(pair[1]))
}

#[test]
fn spawn_requests_give_what_they_must() {
    let path = shared("spawn-cases.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        skipped("the labelled spawn requests");
        return;
    };
    let cases: Vec<Value> = serde_json::from_str(&text).expect("the cases are JSON");
    // The requests as they are written, because the order of their keys matters.
    let written: Vec<BTreeMap<String, &RawValue>> =
        serde_json::from_str(&text).expect("the cases are JSON");
    let requests = written
        .iter()
        .map(|case| Some(case.get("request")?.get().to_owned()));
    let mut wrong = Vec::new();
    for (case, written) in cases.iter().zip(requests) {
        let mut files = MadeUp::default();
        for (name, text) in case["files"].as_object().into_iter().flatten() {
            files.files.insert(
                name.clone(),
                text.as_str().unwrap_or_default().as_bytes().to_vec(),
            );
        }
        let request = case["request_text"]
            .as_str()
            .map(str::to_owned)
            .or(written)
            .unwrap_or_default();
        files
            .files
            .insert("request.json".to_owned(), request.into_bytes());
        let topology =
            topology(case["topology"].as_str().unwrap_or_default()).expect("the topology is there");
        let mut job = vec!["--topo".to_owned(), topology.to_string_lossy().into_owned()];
        if let Some(head) = case["head"].as_str() {
            job.extend(["--head".to_owned(), head.to_owned()]);
        }
        job.extend(["--format".to_owned(), "tsv".to_owned()]);
        let mut args = vec!["spawn".to_owned(), "request.json".to_owned()];
        args.extend(job.clone());
        args.extend(strings(&case["args"]));
        let said = stowplan(&args, &files);
        let mut faults: Vec<String> = judge(case, &said, "spawn").into_iter().collect();
        for note in strings(&case["notes"]) {
            if !said.err.contains(&format!("note[{note}]: ")) {
                faults.push(format!("no note[{note}]"));
            }
        }
        if case["argv"].is_array() {
            let mut args = vec!["map".to_owned()];
            args.extend(job);
            args.extend(strings(&case["argv"]));
            faults.extend(judge(case, &stowplan(&args, &files), "map"));
        }
        wrong.extend(
            faults
                .into_iter()
                .map(|fault| format!("{}: {fault}", case["name"])),
        );
    }
    assert!(
        wrong.is_empty(),
        "{} faults:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}
