//! `docs/divergences.md` names every rule in which we differ from PRRTE, and a case for each.

use crate::console::{root, shared};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// The cells of the rows of a Markdown table with this many columns, without the head and the line under it.
fn rows(text: &str, columns: usize) -> Vec<Vec<String>> {
    let cells = |line: &str| {
        let inside = line.trim().strip_prefix('|')?.strip_suffix('|')?.to_owned();
        let cells: Vec<String> = inside
            .split('|')
            .map(|cell| cell.trim().to_owned())
            .collect();
        (cells.len() == columns).then_some(cells)
    };
    let rows = text.lines().filter_map(cells);
    rows.filter(|row| row[0] != "rule" && !row[0].starts_with("--"))
        .collect()
}

fn documented() -> Vec<Vec<String>> {
    let text =
        fs::read_to_string(root().join("docs/divergences.md")).expect("the document is there");
    rows(&text, 5)
}

#[test]
fn each_divergence_has_its_case() {
    let mut named = BTreeSet::new();
    for row in documented() {
        let case = row[4].trim_matches('`').to_owned();
        let path = root().join(format!("cases/divergences/{case}.case"));
        let text =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(
            text.contains(&format!("divergences, {}.", row[0])),
            "{case} is another rule's"
        );
        assert!(
            row.iter().all(|cell| !cell.is_empty()),
            "{} says too little",
            row[0]
        );
        assert!(named.insert(case.clone()), "{case} is named twice");
    }
    let folder = fs::read_dir(root().join("cases/divergences")).expect("the cases are there");
    let files = folder.map(|entry| entry.expect("a folder that can be read").path());
    let files: BTreeSet<String> = files
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    assert_eq!(files, named, "cases and table name the same");
}

#[test]
fn each_rule_of_the_corpus_is_documented() {
    let documented: BTreeSet<String> = documented().into_iter().map(|row| row[0].clone()).collect();
    let slice = fs::read_to_string(root().join("cases/corpus/placements.jsonl"))
        .expect("our slice is there");
    let mut rules = BTreeSet::new();
    for line in slice.lines() {
        let case: Value = serde_json::from_str(line).expect("a case a line");
        let own = case["divergence"].as_array().into_iter().flatten();
        rules.extend(own.filter_map(|rule| rule.as_str().map(str::to_owned)));
    }
    // The corpus at hand may have rules for which our part of it has no case.
    if let Ok(text) = fs::read_to_string(shared("corpus/README.md")) {
        let counted = |row: &Vec<String>| row[1].parse::<u32>().is_ok();
        rules.extend(
            rows(&text, 3)
                .into_iter()
                .filter(counted)
                .map(|row| row[0].clone()),
        );
    }
    let missing: Vec<&String> = rules.difference(&documented).collect();
    assert!(missing.is_empty(), "docs/divergences.md lacks {missing:?}");
}
