//! Measures in a separate process, so that allocations of other tests do not count.

use stats_alloc::{INSTRUMENTED_SYSTEM, Region};
use std::fmt::Debug;
use std::process::Command;
use std::str::FromStr;
use std::time::Instant;
use stowplan_engine::map::map_resolved;
use stowplan_scale_tests::shapes::{self, Shape};

/// Tells the child which job to place.
const JOB: &str = "STOWPLAN_CHILD_JOB";

/// What it cost to place a job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// Bytes allocated, including those freed again.
    pub(crate) bytes: u64,
    /// Allocations.
    pub(crate) count: u64,
    /// The largest amount of memory that the process held. Unit: KiB.
    pub(crate) peak_kib: u64,
    /// The least time of several runs: of a job as it passes, of a command as it is used on all processors. Unit: nanoseconds.
    pub(crate) nanos: u64,
}

impl Cost {
    /// What a child printed: its numbers, in the order of the fields.
    fn told(numbers: &[u64]) -> Self {
        Self {
            bytes: numbers[0],
            count: numbers[1],
            peak_kib: numbers[2],
            nanos: numbers[3],
        }
    }
}

/// The shape of a job text: `regular TOPOLOGY|NODES|SLOTS|POLICY`, or a named shape and its divisor.
pub(crate) fn shape(job: &str) -> Shape {
    let parts: Vec<&str> = job.split('|').collect();
    match parts[..] {
        [topology, nodes, slots, map] => shapes::regular(
            "child",
            topology,
            nodes.parse().unwrap(),
            slots.parse().unwrap(),
            map,
        ),
        [name, divisor] => shapes::named(name, divisor.parse().unwrap()).unwrap(),
        _ => panic!("no such job: {job}"),
    }
}

/// Runs one test of this binary in a process of its own. Gives the numbers of the line that begins with `begins`.
pub(crate) fn again<N>(test: &str, (variable, value): (&str, &str), begins: &str) -> Vec<N>
where
    N: FromStr<Err: Debug>,
{
    let binary = std::env::current_exe().unwrap();
    let output = Command::new(binary)
        .args(["--exact", test, "--nocapture", "--test-threads", "1"])
        .env(variable, value)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find_map(|line| line.split_once(begins));
    let (_, numbers) = line.unwrap_or_else(|| panic!("{value}: {text}"));
    let numbers = numbers.split(' ').map(|word| word.parse().unwrap());
    numbers.collect()
}

/// Places a job in a process of its own.
pub(crate) fn cost(job: &str) -> Cost {
    Cost::told(&again("child::placed_here", (JOB, job), "cost "))
}

/// The body of the child process, not a promise: without a job it does nothing.
#[test]
fn placed_here() {
    let Ok(job) = std::env::var(JOB) else {
        return;
    };
    let shape = shape(&job);
    let (resolved, machine) = (shape.resolved.clone(), shape.machine.clone());
    let region = Region::new(&INSTRUMENTED_SYSTEM);
    let mapped = map_resolved(resolved, machine).unwrap();
    let change = region.change();
    drop(mapped);
    let peak = peak_kib();
    let runs = (0..5).map(|_| {
        let (resolved, machine) = (shape.resolved.clone(), shape.machine.clone());
        let start = Instant::now();
        let mapped = map_resolved(resolved, machine);
        let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap();
        drop(mapped);
        nanos
    });
    let nanos = runs.min().unwrap();
    println!(
        "cost {} {} {peak} {nanos}",
        change.bytes_allocated, change.allocations
    );
}

/// Tells the child which command to run: words apart by newlines.
const COMMAND: &str = "STOWPLAN_CHILD_COMMAND";

/// Runs the command in a process of its own.
pub(crate) fn run(words: &[&str]) -> Cost {
    Cost::told(&again(
        "child::run_here",
        (COMMAND, &words.join("\n")),
        "ran ",
    ))
}

/// The body of the child process, not a promise: without a command it does nothing.
#[test]
fn run_here() {
    let Ok(words) = std::env::var(COMMAND) else {
        return;
    };
    let words: Vec<String> = words.split('\n').map(str::to_owned).collect();
    let ran = || {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let start = used_nanos();
        let status = stowplan_cli::run(&words, &mut out, &mut err);
        assert_eq!(status, 0, "{}", String::from_utf8_lossy(&err));
        used_nanos() - start
    };
    let region = Region::new(&INSTRUMENTED_SYSTEM);
    let first = ran();
    let change = region.change();
    let peak = peak_kib();
    let nanos = (0..2).map(|_| ran()).min().unwrap().min(first);
    println!(
        "ran {} {} {peak} {nanos}",
        change.bytes_allocated, change.allocations
    );
}

/// The time for which this process used a processor, in steps of ten milliseconds, as the kernel counts it; 0 when it does not say.
/// Other programs on the machine do not count.
fn used_nanos() -> u64 {
    let told = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind_name = told.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let ticks = behind_name.split(' ').skip(11).take(2);
    let ticks = ticks.map(|word| word.parse::<u64>().unwrap_or(0));
    ticks.sum::<u64>() * 10_000_000
}

/// The largest amount of memory that this process held, as the kernel counts it; 0 when the kernel does not say.
pub(crate) fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let words = line.and_then(|line| line.split_whitespace().nth(1));
    words.and_then(|word| word.parse().ok()).unwrap_or(0)
}
