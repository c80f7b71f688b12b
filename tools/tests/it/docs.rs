//! The pages in `docs/` that are lists: they are complete, and list only things that exist.

use crate::console::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use stowplan::job::options::{IGNORED, Meaning, OPTIONS};
use stowplan_engine::error::{Note, PlaceError};

fn page(name: &str) -> String {
    let path = root().join("docs").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The cells of the rows of all tables on a page.
fn rows(page: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| {
        line.trim_matches('|')
            .split(" | ")
            .map(|cell| cell.trim().to_owned())
            .collect()
    };
    let rows = page
        .lines()
        .filter(|line| line.starts_with('|') && !line.starts_with("|---"));
    rows.map(cells).collect()
}

#[test]
fn coverage_names_a_test_for_each_bullet_of_the_seed() {
    let page = page("coverage.md");
    let mut bullets = BTreeSet::new();
    for row in rows(&page).iter().filter(|row| row[0].starts_with("T-")) {
        let number: u32 = row[0]
            .trim_start_matches("T-")
            .parse()
            .expect("a bullet has a number");
        bullets.insert(number);
        let test = row[2].trim_matches('`');
        let (module, name) = test.split_once("::").expect("module::test");
        let engine = root().join(format!("engine/tests/it/{module}.rs"));
        let tools = root().join(format!("tools/tests/it/{module}.rs"));
        let components = root().join("engine/tests/it/app_idx.rs");
        let own = [engine, tools].into_iter().find(|file| file.exists());
        let has = |file: &Path, what: &str| fs::read_to_string(file).unwrap().contains(what);
        let known = own.is_some() || has(&components, &format!("component!({module},"));
        let file = own.unwrap_or(components);
        assert!(
            known && has(&file, &format!("fn {name}(")),
            "{}: there is no test {test}",
            row[0]
        );
    }
    assert_eq!(bullets, (1..=43).collect());
}

#[test]
fn errors_lists_each_class_once() {
    let page = page("errors.md");
    let mut listed: Vec<String> = rows(&page)
        .iter()
        .map(|row| row[0].trim_matches('`').to_owned())
        .filter(|word| word != "class")
        .collect();
    listed.sort();
    let all = listed.len();
    listed.dedup();
    assert_eq!(listed.len(), all, "a class is listed twice");
    for class in [
        "failed-map",
        "not-enough-slots",
        "ppr-too-many",
        "nothing-local",
    ] {
        let class = class.to_owned();
        assert!(listed.contains(&class), "{class} is not in docs/errors.md");
    }
    // Every class in the engine's sources is on the page.
    let mut found = BTreeSet::new();
    for file in ["spec.rs", "place.rs", "note.rs"] {
        let text =
            fs::read_to_string(root().join("engine/src/error").join(file)).expect("it is there");
        for line in text.lines().filter(|line| line.contains("=> \"")) {
            let class = line.split('"').nth(1).unwrap_or_default();
            if class.contains('-') {
                found.insert(class.to_owned());
            }
        }
    }
    for class in found {
        assert!(listed.contains(&class), "{class} is not in docs/errors.md");
    }
    let known = Note::UnknownKey {
        key: String::new(),
        owner: stowplan_engine::error::spec::Owner::Job,
    };
    assert!(listed.contains(&known.class().to_owned()));
    let failed = PlaceError::FailedMap {
        app: 0,
        policy: String::new(),
    };
    assert!(listed.contains(&failed.class().to_owned()));
}

#[test]
fn options_lists_each_option() {
    let page = page("options.md");
    let listed: BTreeSet<String> = rows(&page)
        .iter()
        .flat_map(|row| {
            row[0]
                .split(", ")
                .map(|word| word.trim_matches('`').to_owned())
                .collect::<Vec<_>>()
        })
        .collect();
    for row in OPTIONS.iter().chain(IGNORED) {
        for name in row.names {
            let written = stowplan::job::options::written(name);
            assert!(
                listed.contains(&written),
                "{written} is not in docs/options.md"
            );
        }
        assert!(row.meaning == Meaning::Ignored || !row.help.is_empty());
    }
}
