//! The files that `docs/code-map.md` and ARCHITECTURE.md name are there.

use crate::console::root;
use std::collections::BTreeSet;
use std::fs;

/// How names of files end that are looked for.
const ENDS: [&str; 5] = [".rs", ".md", ".sh", ".py", ".h"];

/// A page without its fenced blocks.
fn prose(page: &str) -> String {
    let path = root().join(page);
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut prose = String::new();
    let mut is_fenced = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    prose
}

/// The words of a text in backticks.
fn quoted(text: &str) -> Vec<String> {
    let pieces = text.split('`').skip(1).step_by(2);
    pieces.map(str::to_owned).collect()
}

/// Whether a word is the path of a file of ours, written out.
fn is_path(word: &str) -> bool {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "/._-".contains(sign);
    word.contains('/') && word.chars().all(is_plain) && ENDS.iter().any(|&end| word.ends_with(end))
}

/// Refuses paths that lead nowhere.
fn all_there(page: &str, paths: &BTreeSet<String>) {
    let missing: Vec<&str> = paths
        .iter()
        .filter(|path| !root().join(path.as_str()).is_file())
        .map(String::as_str)
        .collect();
    assert!(
        missing.is_empty(),
        "{page} names files that are not there:\n{}",
        missing.join("\n")
    );
}

#[test]
fn the_map_names_files_that_are_there() {
    const MAP: &str = "docs/code-map.md";
    let map = prose(MAP);
    let mut rows = BTreeSet::new();
    let mut paths = BTreeSet::new();
    let lines = map.lines().filter(|line| line.starts_with("| "));
    for line in lines.filter(|line| *line != "| what | file |") {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        assert_eq!(cells.len(), 2, "a row has two cells: {line}");
        let words = quoted(cells[1]).into_iter();
        // An option is no file.
        let files: Vec<String> = words.filter(|word| !word.starts_with('-')).collect();
        assert!(!files.is_empty(), "a row names a file: {line}");
        assert!(rows.insert(cells[0].trim().to_owned()), "twice: {line}");
        paths.extend(files);
    }
    assert!(rows.len() > 100, "{} rows", rows.len());
    paths.extend(quoted(&map).into_iter().filter(|word| is_path(word)));
    all_there(MAP, &paths);
}

#[test]
fn architecture_names_files_that_are_there() {
    const PAGE: &str = "ARCHITECTURE.md";
    // Paths in a row about one folder are often from that folder on.
    let is_whole = |word: &String| {
        let first = word.split('/').next().unwrap_or_default();
        is_path(word) && root().join(first).is_dir()
    };
    let paths: BTreeSet<String> = quoted(&prose(PAGE)).into_iter().filter(is_whole).collect();
    assert!(paths.len() > 20, "{} paths", paths.len());
    all_there(PAGE, &paths);
}
