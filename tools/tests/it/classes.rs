//! The classes of errors in the code are those of `docs/errors.md`. `UPDATE=1` writes the code's table from the page.

use crate::console::root;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use stowplan_engine::error::Class;

const TABLE: &str = "engine/src/error/class/table.rs";

/// A row of the page: a class, when it is given, and what it names.
struct Row {
    word: String,
    when: String,
    names: String,
}

/// The classes of errors on the page, in its order; a row may have several.
fn rows() -> Vec<Row> {
    let page = fs::read_to_string(root().join("docs/errors.md")).expect("it is there");
    let (errors, _) = page.split_once("## Notes").expect("notes come last");
    let mut found = Vec::new();
    for line in errors.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let [words, when, names] = cells[..] else {
            panic!("three cells: {line}");
        };
        for word in words.split('`').skip(1).step_by(2) {
            found.push(Row {
                word: word.to_owned(),
                when: when.trim().to_owned(),
                names: names.trim().to_owned(),
            });
        }
    }
    found
}

fn variant(word: &str) -> String {
    let parts = word.split('-').map(|part| {
        let (first, rest) = part.split_at(1);
        first.to_uppercase() + rest
    });
    parts.collect()
}

/// The table with these rows. Classes that are there keep their numbers.
fn written(there: &str, rows: &[Row]) -> String {
    let (head, _) = there.split_once("classes! {").expect("a table");
    let mut next = Class::ALL.last().map_or(1, |last| last.number() + 1);
    let mut numbered: Vec<(u16, &Row)> = Vec::new();
    for row in rows {
        let number = Class::of_word(&row.word).map_or(next, Class::number);
        next += u16::from(number == next);
        numbered.push((number, row));
    }
    numbered.sort_by_key(|(number, _)| *number);
    let mut text = format!("{head}classes! {{\n");
    for (number, Row { word, when, names }) in numbered {
        let named = variant(word);
        writeln!(
            text,
            "    {named} = {number}, {word:?},\n        {when:?},\n        {names:?};"
        )
        .unwrap();
    }
    text + "}\n"
}

#[test]
fn the_table_of_classes_is_the_page() {
    let path = root().join(TABLE);
    let there = fs::read_to_string(&path).expect("it is there");
    let table = written(&there, &rows());
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        fs::write(&path, table).expect("it can be written");
    } else {
        assert_eq!(there, table, "{TABLE}: UPDATE=1 writes it from the page");
    }
}

/// The class words in a folder of sources: behind `class:`, and behind `told(`.
fn words(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            words(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            for sign in [
                "class: \"",
                "Error::told(\"",
                "Self::told(\"",
                "with_hint(\"",
            ] {
                let parts = text.split(sign).skip(1);
                found.extend(parts.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
            }
        }
    }
}

#[test]
fn every_class_of_the_library_is_in_the_table() {
    let mut found = BTreeSet::new();
    for folder in ["engine", "topo", "session", "stowplan"] {
        words(&root().join(folder).join("src"), &mut found);
    }
    assert!(found.len() > 20, "{found:?}");
    let notes = fs::read_to_string(root().join("docs/errors.md")).expect("it is there");
    let is_note = |word: &str| {
        notes
            .split("## Notes")
            .nth(1)
            .is_some_and(|notes| notes.contains(&format!("`{word}`")))
    };
    let strange: Vec<&String> = found
        .iter()
        .filter(|word| Class::of_word(word).is_none() && !is_note(word))
        .collect();
    assert!(strange.is_empty(), "{strange:?} are not in docs/errors.md");
}
