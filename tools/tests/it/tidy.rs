//! House rules that no lint checks: sizes and names of files, and which modules import which.

use crate::console::root;
use std::fs;
use std::path::{Path, PathBuf};

/// The most lines of a file.
const LINES_MAX: usize = 500;
/// Names that say nothing.
const BANNED: &[&str] = &[
    "utils", "util", "helpers", "helper", "common", "types", "misc", "part2",
];
/// Folders with our own sources.
const SOURCES: &[&str] = &[
    "engine",
    "judge",
    "session",
    "topo",
    "stowplan",
    "tools",
    "bench",
    "scale-tests",
    "bindings/c",
    "scale-tests/fuzz/fuzz_targets",
];

fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in SOURCES {
        rust_files(&root().join(folder), &mut found);
    }
    assert!(found.len() > 100, "the sources are where they always were");
    found
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a folder that can be read").path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.ends_with("target") {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn none(faults: &[String], rule: &str) {
    assert!(faults.is_empty(), "{rule}:\n{}", faults.join("\n"));
}

#[test]
fn files_are_short_and_have_a_noun() {
    let mut faults = Vec::new();
    for path in sources() {
        let lines = read(&path).lines().count();
        if lines > LINES_MAX {
            faults.push(format!("{}: {lines} lines", path.display()));
        }
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if BANNED.contains(&name.as_str()) {
            faults.push(format!("{}: says nothing", path.display()));
        }
    }
    none(
        &faults,
        "a file has at most 500 lines and is named for its noun",
    );
}

#[test]
fn folders_are_whole() {
    let mut faults = Vec::new();
    for path in sources() {
        if path.with_extension("").is_dir() {
            faults.push(format!("{} beside its folder", path.display()));
        }
        let beside_it = path
            .parent()
            .is_some_and(|parent| parent.ends_with("tests"));
        if beside_it {
            faults.push(format!("{} is a test binary of its own", path.display()));
        }
    }
    none(
        &faults,
        "a module of files is NAME/mod.rs; a crate has one test binary, tests/it/",
    );
}

#[test]
fn libraries_are_built_once() {
    let mut faults = Vec::new();
    for path in sources() {
        let own = path.strip_prefix(root()).unwrap_or(&path);
        let within = |folder: &str| own.components().any(|part| part.as_os_str() == folder);
        // The programs of one crate are small.
        if within("src") && !within("bin") && read(&path).contains("cfg(test)") {
            faults.push(format!("{} has tests", path.display()));
        }
    }
    none(
        &faults,
        "tests are in tests/it/ of a crate: in src/ they would compile the library once more",
    );
}

#[test]
fn every_file_says_what_it_is() {
    let silent = sources()
        .into_iter()
        .filter(|path| !read(path).starts_with("//!") && !read(path).starts_with("#!["));
    let faults: Vec<String> = silent.map(|path| path.display().to_string()).collect();
    none(&faults, "a file opens with what its noun is");
}

/// The modules of a file, in the order of its `mod` lines.
fn modules(file: &Path) -> Vec<String> {
    let text = read(file);
    let name = |line: &str| {
        let line = line
            .trim_start_matches("pub(crate) ")
            .trim_start_matches("pub(super) ")
            .trim_start_matches("pub ");
        Some(line.strip_prefix("mod ")?.strip_suffix(';')?.to_owned())
    };
    text.lines().filter_map(name).collect()
}

/// The modules of `known` that a text names after `prefix`, as `crate::plan` or `super::order`.
fn named(text: &str, prefix: &str, known: &[String]) -> Vec<usize> {
    let mut found = Vec::new();
    let lines = text
        .lines()
        .map(str::trim_start)
        .filter(|line| !line.starts_with("//"));
    for line in lines {
        for (at, _) in line.match_indices(prefix) {
            let rest = &line[at + prefix.len()..];
            // `use super::{a, b::c};`
            let parts = rest
                .strip_prefix('{')
                .unwrap_or(rest)
                .split([',', '{', '}']);
            let limit = if rest.starts_with('{') { usize::MAX } else { 1 };
            for part in parts.take(limit) {
                let word = part
                    .trim()
                    .split(|sign: char| !(sign.is_alphanumeric() || sign == '_'))
                    .next();
                found.extend(
                    known
                        .iter()
                        .position(|module| Some(module.as_str()) == word),
                );
            }
        }
    }
    found
}

#[test]
fn the_engine_imports_upwards_only() {
    let source = root().join("engine/src");
    let order = modules(&source.join("lib.rs"));
    assert!(order.len() > 10, "the modules of the engine");
    let mut faults = Vec::new();
    for (place, module) in order.iter().enumerate() {
        let (file, folder) = (source.join(format!("{module}.rs")), source.join(module));
        let mut files = Vec::new();
        rust_files(&folder, &mut files);
        files.extend(file.is_file().then_some(file));
        for file in files {
            for other in named(&read(&file), "crate::", &order) {
                if other > place {
                    faults.push(format!(
                        "{} imports {}, which stands below",
                        file.display(),
                        order[other]
                    ));
                }
            }
        }
    }
    none(
        &faults,
        "in engine/src/lib.rs a module imports only from `mod` lines above its own",
    );
}

#[test]
fn the_judge_shares_no_stage() {
    let mut files = Vec::new();
    rust_files(&root().join("judge/src"), &mut files);
    assert!(!files.is_empty());
    let forbidden = ["text", "spawn", "stage", "map", "cluster", "planner"].map(str::to_owned);
    let mut faults = Vec::new();
    for file in files {
        for other in named(&read(&file), "stowplan_engine::", &forbidden) {
            faults.push(format!("{} imports {}", file.display(), forbidden[other]));
        }
    }
    none(&faults, "the judge derives every promise another way");
}

/// Whether a word of a sentence in quotes on this line says that something stands somewhere, or behind something. What a programmer reads
/// may; memory is behind memory.
fn says_what_stands_where(line: &str) -> bool {
    let line = line.trim_start().replace("'\"'", "a quote");
    let for_programmers =
        line.starts_with("//") || line.contains("expect(") || line.contains("panic!");
    let quoted = line.split('"').skip(1).step_by(2);
    let sentences = quoted.map(|text| text.replace("memory behind memory", ""));
    let says = |text: String| {
        let mut words = text.split(|sign: char| !sign.is_alphanumeric());
        text.contains(' ') && words.any(|word| ["stand", "stands", "behind"].contains(&word))
    };
    !for_programmers && sentences.into_iter().any(says)
}

/// A message says what is expected, in words that an engineer would say.
#[test]
fn messages_do_not_say_what_stands_where() {
    let mut faults = Vec::new();
    let is_product = |path: &PathBuf| {
        let inside = path.strip_prefix(root()).expect("it is one of ours");
        let is_test = ["bench", "scale-tests"]
            .iter()
            .any(|tests| inside.starts_with(tests));
        inside.iter().any(|part| part == "src") && !is_test
    };
    for path in sources().into_iter().filter(is_product) {
        let text = read(&path);
        for (at, _) in (text.lines().enumerate()).filter(|(_, line)| says_what_stands_where(line)) {
            faults.push(format!("{}:{}", path.display(), at + 1));
        }
    }
    none(
        &faults,
        "say \"is given twice\", \"comes after\", \"is expected here\"",
    );
}
