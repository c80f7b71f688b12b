//! `docs/reservations.md` names a test for each clause, decision, invariant and threat, and these tests exist.

use super::{ours, root};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Where tests may be.
const SOURCES: &[&str] = &[
    "session/tests",
    "session/src",
    "tools/tests",
    "tools/examples",
    "scale-tests/tests",
];

fn functions(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            functions(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let names = text
                .lines()
                .filter_map(|line| line.trim_start().strip_prefix("fn ")?.split('(').next());
            found.extend(names.map(str::to_owned));
        }
    }
}

/// Words between backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_clause_decision_and_invariant_has_a_test() {
    let text = std::fs::read_to_string(root().join("docs/reservations.md")).unwrap();
    let mut covers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in ours() {
        let scenario: Json = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let list = scenario["covers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| word.as_str().unwrap().to_owned());
        let name = scenario["name"].as_str().unwrap().to_owned();
        assert_eq!(path.file_stem().unwrap().to_str(), Some(name.as_str()));
        covers.insert(name, list.collect());
    }
    let mut tests = BTreeSet::new();
    SOURCES
        .iter()
        .for_each(|folder| functions(&root().join(folder), &mut tests));
    let mut missing: BTreeSet<String> = BTreeSet::new();
    for (letter, last) in [('S', 88), ('A', 33), ('I', 23)] {
        missing.extend((1..=last).map(|number| format!("{letter}-{number:02}")));
    }
    for line in text.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [number, .., named] = cells[..] else {
            continue;
        };
        for name in quoted(named) {
            let scenario = covers.get(name);
            assert!(
                scenario.is_some() || tests.contains(name),
                "{number}: there is no test {name}"
            );
            let numbered =
                number.len() == 4 && (number.starts_with("S-") || number.starts_with("A-"));
            let covered = scenario.is_none_or(|list| !numbered || list.contains(number));
            assert!(covered, "{name} does not say that it covers {number}");
        }
        if !quoted(named).is_empty() {
            missing.remove(number);
        }
    }
    assert!(missing.is_empty(), "without a test: {missing:?}");
}
