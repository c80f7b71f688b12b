//! `--hydra PATH`: compares bindings inside a node with MPICH's Hydra, where both have the same policy. There are at most as many
//! processes as cpus.

use crate::ours::{Hardware, MACHINES, Place, first_difference};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use stowplan_scale_tests::job::{App, Job};

/// What Hydra is asked for, and the words that mean the same to us.
const ALIKE: [(&[&str], &str, &str); 7] = [
    (&["-bind-to", "core"], "core", "core"),
    (&["-bind-to", "socket"], "package", "package"),
    (&["-bind-to", "numa"], "numa", "numa"),
    (&["-bind-to", "hwthread"], "hwthread", "hwthread"),
    (
        &["-bind-to", "core", "-map-by", "socket"],
        "package",
        "core",
    ),
    (&["-bind-to", "core", "-map-by", "numa"], "numa", "core"),
    (
        &["-bind-to", "hwthread", "-map-by", "socket"],
        "package:hwtcpus",
        "hwthread",
    ),
];

/// Compares every policy on every machine with 1 to 16 processes. Gives the number of differences.
pub(crate) fn compare(path: &Path) -> u64 {
    let mut out = anstream::stdout();
    let (mut alike, mut differing) = (0_u64, 0_u64);
    // Hydra binds to disallowed PUs, and deals objects of uneven packages by their numbers.
    for name in MACHINES.into_iter().filter(|name| *name != "disallowed") {
        let Some(hardware) = Hardware::read(name) else {
            continue;
        };
        for (words, map, bind) in ALIKE {
            let cpus = if bind == "hwthread" {
                hardware.pus as usize
            } else {
                hardware.cores.len()
            };
            for procs in 1..=u32::try_from(cpus.min(16)).unwrap_or(16) {
                let app = App {
                    np: Some(procs),
                    hosts: Some("localhost:1024".to_owned()),
                    map: Some(map.to_owned()),
                    rank: Some("slot".to_owned()),
                    bind: Some(bind.to_owned()),
                    ..App::default()
                };
                let job = Job {
                    apps: vec![app],
                    ..Job::default()
                };
                let theirs = theirs(path, &hardware, words, procs);
                let difference = match hardware.answer(&job) {
                    Ok(ours) => first_difference(&ours, &theirs),
                    Err(class) => Some(format!("we refuse: {class}")),
                };
                let Some(difference) = difference else {
                    alike += 1;
                    continue;
                };
                differing += 1;
                let _ = writeln!(out, "{name} {words:?} -n {procs}: {difference}");
            }
        }
    }
    let _ = writeln!(out, "{alike} jobs bound alike, {differing} not");
    differing
}

/// `process 3 binding: 0100…`, a digit per PU by OS number.
fn theirs(path: &Path, hardware: &Hardware, words: &[&str], procs: u32) -> BTreeMap<u32, Place> {
    let mut command = Command::new(path);
    command
        .env("HWLOC_XMLFILE", &hardware.path)
        .env("HWLOC_THISSYSTEM", "0")
        .env("HYDRA_TOPO_DEBUG", "1")
        .args(["-n", &procs.to_string()])
        .args(words)
        .arg("true");
    let Ok(output) = command.output() else {
        return BTreeMap::new();
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = |line: &str| {
        let (process, digits) = line.strip_prefix("process ")?.split_once(" binding: ")?;
        let process = process.parse().ok()?;
        let bound = (0..)
            .zip(digits.trim().chars())
            .filter(|(_, digit)| *digit == '1');
        let cpus: Vec<u32> = bound.map(|(pu, _)| pu).collect();
        Some((process, ("localhost".to_owned(), process, Some(cpus))))
    };
    text.lines().filter_map(line).collect()
}
