//! Compares the header with the code: the same functions with the same numbers of arguments, and nothing else is exported.

use crate::programs::{folder, library, run};
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

fn read(path: &str) -> String {
    fs::read_to_string(folder().join(path)).expect("it is committed")
}

/// Functions with their numbers of arguments, in C or Rust text without comments.
fn functions(text: &str, before: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    let mut rest = text;
    while let Some(at) = rest.find(before) {
        let (lead, behind) = (&rest[..at], &rest[at..]);
        let end = behind.find(|sign: char| !(sign.is_alphanumeric() || sign == '_'));
        let (name, tail) = behind.split_at(end.unwrap_or(behind.len()));
        rest = tail;
        let declared = tail.starts_with('(') && !lead.ends_with('_');
        if !declared {
            continue;
        }
        let close = tail.find(')').expect("a list of arguments ends");
        let list = tail[1..close].trim().trim_end_matches(',');
        let count = match list {
            "" | "void" => 0,
            list => list.split(',').count(),
        };
        found.entry(name.to_owned()).or_insert(count);
    }
    found
}

fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("/*") {
        out += &rest[..at];
        let end = rest[at..].find("*/").expect("a comment ends");
        rest = &rest[at + end + 2..];
    }
    out + rest
}

fn in_rust() -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for file in fs::read_dir(folder().join("src")).expect("it is a folder") {
        let text = fs::read_to_string(file.expect("a file").path()).expect("it is text");
        for part in text.split("extern \"C\" fn ").skip(1) {
            all.extend(
                functions(part, "stow_")
                    .into_iter()
                    .take(1)
                    .filter(|_| part.starts_with("stow_")),
            );
            let name: String = part
                .chars()
                .take_while(|sign| sign.is_alphanumeric() || *sign == '_')
                .collect();
            let open = part.find('(').expect("arguments");
            let close = part
                .find(") ")
                .or_else(|| part.find(")\n"))
                .expect("arguments end");
            let list = part[open + 1..close].trim().trim_end_matches(',');
            let count = if list.is_empty() {
                0
            } else {
                list.split(',').count()
            };
            all.insert(name, count);
        }
    }
    all.retain(|name, _| name.starts_with("stow_"));
    all
}

#[test]
fn the_header_declares_what_the_code_has() {
    let header = functions(&without_comments(&read("include/stowplan.h")), "stow_");
    let code = in_rust();
    assert!(header.len() > 120, "{} functions", header.len());
    assert_eq!(header, code);
}

#[test]
fn nothing_else_is_exported_and_the_name_is_the_promised_one() {
    if Command::new("nm").arg("--version").output().is_err() {
        eprintln!("skipped: there is no nm");
        return;
    }
    let listed = run(Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(library("so")));
    let exported: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.split_whitespace().nth(2))
        .collect();
    let names: Vec<&str> = exported
        .iter()
        .map(|name| name.split('@').next().unwrap_or(name))
        .collect();
    let code = in_rust();
    assert_eq!(names.len(), code.len(), "{names:?}");
    assert!(
        names.iter().all(|name| code.contains_key(*name)),
        "{names:?}"
    );
    let dynamic = run(Command::new("readelf").arg("-d").arg(library("so")));
    assert!(
        dynamic.contains("libstowplan.so.1") && dynamic.contains("NODELETE"),
        "{dynamic}"
    );
}

/// Functions that take no bytes from callers.
const WITHOUT_BYTES: &[&str] = &["stow_api_version"];

#[test]
fn every_function_is_given_wrong_arguments_and_any_bytes() {
    let arguments = without_comments(&read("tests/c/arguments.c"))
        + &without_comments(&read("tests/c/answers.c"))
        + &without_comments(&read("tests/c/cluster.c"))
        + &without_comments(&read("tests/c/components.c"));
    let body = read("tests/it/bytes.rs")
        + &read("tests/it/bytes_answers.rs")
        + &read("tests/it/bytes_cluster.rs")
        + &read("tests/it/bytes_components.rs");
    for name in functions(&without_comments(&read("include/stowplan.h")), "stow_").keys() {
        let called = |text: &str| {
            let behind = |(at, _): (usize, &str)| text[at + name.len()..].chars().next();
            let mut ends = text.match_indices(name.as_str()).map(behind);
            ends.any(|sign| !sign.is_some_and(|sign| sign.is_alphanumeric() || sign == '_'))
        };
        assert!(called(&arguments), "{name} has no wrong arguments");
        let takes = !WITHOUT_BYTES.contains(&name.as_str());
        assert_eq!(called(&body), takes, "{name} in the body of the fuzzer");
    }
}
