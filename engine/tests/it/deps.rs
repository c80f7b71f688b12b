//! The engine's dependency tree is fixed: `deps.txt` lists all of it.

use std::collections::BTreeSet;
use std::process::Command;

#[test]
fn the_dependency_tree_is_the_one_written_down() {
    let told = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--locked",
            "--offline",
            "--package",
            "stowplan-engine",
        ])
        .args(["--edges", "normal", "--prefix", "none", "--format", "{p}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        told.status.success(),
        "{}",
        String::from_utf8_lossy(&told.stderr)
    );
    let text = String::from_utf8(told.stdout).unwrap();
    // After the version, some have a path or a mark in parentheses.
    let tree: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.split(" (").next())
        .collect();
    let written: BTreeSet<&str> = include_str!("../../deps.txt").lines().collect();
    assert_eq!(
        tree, written,
        "engine/deps.txt: a new dependency needs a reason (CONTRIBUTING.md)"
    );
}
