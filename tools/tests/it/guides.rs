//! The README's table of what Frontier's guide prints: each row is placed, and gives what stands there.

use crate::console::{MadeUp, root, stowplan, words};
use std::fs;

/// The rows of the table: a line of srun, the cpus of its ranks, their GPUs.
fn rows() -> Vec<[String; 3]> {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README is there");
    let table = readme
        .split("## What Frontier's guide prints, offline")
        .nth(1)
        .and_then(|rest| rest.split("\n## ").next())
        .expect("the README has the table");
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [line, cpus, gpus] = cells.as_slice() else {
            return None;
        };
        let line = line.strip_prefix('`')?.strip_suffix('`')?;
        line.starts_with('-')
            .then(|| [line, cpus, gpus].map(str::to_owned))
    };
    table.lines().filter_map(row).collect()
}

#[test]
fn frontier_is_as_its_guide_prints() {
    let rows = rows();
    assert!(rows.len() >= 6, "{} rows", rows.len());
    for [line, cpus, gpus] in rows {
        let job = match gpus.is_empty() {
            true => "--exclusive -N 1",
            false => "--exclusive -N 1 --gres=gpu:8",
        };
        let command = format!(
            "map --columns rank,cpus,gpus --topo builtin:frontier -H n0 --alloc '{job}' srun {line} ./a"
        );
        let said = stowplan(&words(&command), &MadeUp::default());
        assert_eq!(said.status, 0, "{command}\n{}", said.err);
        let placed: Vec<Vec<&str>> = said
            .out
            .lines()
            .skip(1)
            .map(|row| row.split('\t').collect())
            .collect();
        let column = |at: usize| {
            let cells: Vec<&str> = placed.iter().map(|row| row[at]).collect();
            cells.join(" ")
        };
        assert_eq!(column(1), cpus, "{command}");
        if !gpus.is_empty() {
            assert_eq!(column(2), gpus, "{command}");
        }
    }
}
