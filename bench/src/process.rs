//! Maps the same job with whole processes: a `prterun` given by path, and our own command.

use crate::report::{fraction, time};
use std::fmt::Write as _;
use std::io;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Slots of a node; each gets as many processes.
const SLOTS: u32 = 64;
/// When a run takes longer than this, no larger job is tried. Unit: nanoseconds.
const PATIENCE: u64 = 10_000_000_000;

/// How long one job took. Unit: nanoseconds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Nodes.
    pub nodes: u32,
    /// `--map-by`.
    pub by: &'static str,
    /// `prterun --rtos donotlaunch`, the whole process.
    pub theirs: Option<u64>,
    /// `stowplan map`, the whole process.
    pub ours: Option<u64>,
}

/// The programs to measure, and the topology.
#[derive(Clone, Copy, Debug)]
pub struct Programs<'p> {
    /// Path of a `prterun`.
    pub prterun: &'p str,
    /// Path of `stowplan`.
    pub stowplan: Option<&'p str>,
    /// A file with the topology of every node, for both.
    pub topo_xml: &'p str,
}

/// Measures jobs of 2^10 ranks and more, by core and by slot, up to the first that takes `prterun` more than ten seconds.
///
/// # Errors
/// When a program cannot be started.
pub fn rows(programs: Programs<'_>) -> io::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for by in ["core", "slot"] {
        let mut patient = true;
        for power in (4..=16).step_by(2) {
            let nodes = 1_u32 << power;
            let theirs = if patient {
                theirs(programs, nodes, by)?
            } else {
                None
            };
            patient = theirs.is_some_and(|nanos| nanos < PATIENCE);
            let ours = match programs.stowplan {
                Some(path) => ours(path, programs.topo_xml, nodes, by)?,
                None => None,
            };
            rows.push(Row {
                nodes,
                by,
                theirs,
                ours,
            });
        }
    }
    Ok(rows)
}

fn theirs(programs: Programs<'_>, nodes: u32, by: &str) -> io::Result<Option<u64>> {
    // No ranges: prterun needs every node by name.
    let hosts: Vec<String> = (0..nodes).map(|at| format!("n{at}:{SLOTS}")).collect();
    let ranks = (nodes * SLOTS).to_string();
    let hosts = hosts.join(",");
    let mut args = vec!["--rtos", "donotlaunch", "--prtemca", "hwloc_use_topo_file"];
    args.extend([
        programs.topo_xml,
        "-H",
        &hosts,
        "--map-by",
        by,
        "-n",
        &ranks,
        "true",
    ]);
    let mut command = Command::new(programs.prterun);
    // It refuses to run as root, as in a container, unless both variables are set.
    for word in ["PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"] {
        command.env(word, "1");
    }
    least(command.args(args), 1)
}

fn ours(path: &str, topo_xml: &str, nodes: u32, by: &str) -> io::Result<Option<u64>> {
    let hosts = format!("n[0-{}]:{SLOTS}", nodes - 1);
    let ranks = (nodes * SLOTS).to_string();
    let mut command = Command::new(path);
    command.args([
        "map", "--topo", topo_xml, "-H", &hosts, "--map-by", by, "-n", &ranks, "true",
    ]);
    least(&mut command, 10)
}

/// The least time of several runs; `None` when the command fails.
fn least(command: &mut Command, runs: u32) -> io::Result<Option<u64>> {
    let mut best = u64::MAX;
    for _ in 0..runs {
        let start = Instant::now();
        let silent = command.stdout(Stdio::null()).stderr(Stdio::null());
        if !silent.status()?.success() {
            return Ok(None);
        }
        best = best.min(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
    }
    Ok(Some(best))
}

/// Both, side by side, as Markdown.
#[must_use]
pub fn markdown(rows: &[Row]) -> String {
    let mut text = String::from(
        "| ranks | nodes | map by | prterun, whole process | stowplan, whole process | ratio |\n|--:|--:|---|--:|--:|--:|\n",
    );
    for row in rows {
        let said = |nanos: Option<u64>| nanos.map_or_else(|| "–".to_owned(), time);
        let both = row.theirs.zip(row.ours);
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            u64::from(row.nodes) * u64::from(SLOTS),
            row.nodes,
            row.by,
            said(row.theirs),
            said(row.ours),
            both.map_or_else(|| "–".to_owned(), |(theirs, ours)| fraction(theirs, ours)),
        )
        .expect("a String takes every character");
    }
    text
}
