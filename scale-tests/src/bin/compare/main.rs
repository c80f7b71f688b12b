//! `compare`: random jobs through the engine and the plain mapper, until the first differences.
//!
//! A difference is shrunk and printed as a command line to paste. The same seed gives the same jobs on every machine.

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use stowplan_scale_tests::arbitrary;
use stowplan_scale_tests::catalogue::MACHINES;
use stowplan_scale_tests::compare::{Depth, Difference, Lab, Verdict};
use stowplan_scale_tests::coverage::Coverage;
use stowplan_scale_tests::job::Job;
use stowplan_scale_tests::shrink::shrink;
use stowplan_scale_tests::small_world;

const HELP: &str = "\
compare [--seconds S | --jobs N] [--seed N] [--from N] [--workers N] [--threads-every N] [--differences N]
        [--small-world [--every N]] [--coverage] [--one N] [--stop]
compares the engine with the plain mapper on random jobs, or on every job of a small world (every N-th);
exit status 1 when they differ";

/// What the command line says.
#[derive(Clone, Debug)]
struct Asked {
    seconds: Option<u64>,
    jobs: u64,
    seed: u64,
    from: u64,
    workers: u64,
    /// Every so many jobs also bytes and threads are compared.
    threads_every: u64,
    /// So many differences are shrunk and shown.
    differences: usize,
    small_world: bool,
    /// Every so many jobs of the small world one is compared.
    every: u64,
    coverage: bool,
    one: Option<u64>,
    /// The first difference ends the run.
    stop: bool,
}

fn asked(args: impl Iterator<Item = String>) -> Option<Asked> {
    let mut asked = Asked {
        seconds: None,
        jobs: u64::MAX,
        seed: 1,
        from: 0,
        workers: 2,
        threads_every: 64,
        differences: 10,
        small_world: false,
        every: 1,
        coverage: false,
        one: None,
        stop: false,
    };
    let mut args = args;
    while let Some(word) = args.next() {
        let mut number = || args.next()?.parse::<u64>().ok();
        match word.as_str() {
            "--seconds" => asked.seconds = Some(number()?),
            "--jobs" => asked.jobs = number()?,
            "--seed" => asked.seed = number()?,
            "--from" => asked.from = number()?,
            "--workers" => asked.workers = number()?.max(1),
            "--threads-every" => asked.threads_every = number()?.max(1),
            "--differences" => asked.differences = usize::try_from(number()?).ok()?,
            "--one" => asked.one = Some(number()?),
            "--every" => asked.every = number()?.max(1),
            "--stop" => asked.stop = true,
            "--small-world" => asked.small_world = true,
            "--coverage" => asked.coverage = true,
            _ => return None,
        }
    }
    Some(asked)
}

fn main() -> ExitCode {
    let mut out = anstream::stdout();
    let Some(asked) = asked(std::env::args().skip(1)) else {
        let _ = writeln!(out, "{HELP}");
        return ExitCode::from(2);
    };
    let found = compare_all(&asked);
    let _ = out.flush();
    match found {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(1),
    }
}

/// Topologies as they are typed.
fn typed(machine: usize) -> String {
    MACHINES[machine].topo.to_owned()
}

/// The job of a number.
fn job_of(asked: &Asked, number: u64) -> Job {
    if asked.small_world {
        small_world::job(number)
    } else {
        arbitrary::job(asked.seed, number)
    }
}

/// Compares the jobs asked for. Gives the number of differences.
fn compare_all(asked: &Asked) -> u64 {
    let numbers = if asked.small_world {
        asked.jobs.min(
            small_world::size()
                .saturating_sub(asked.from)
                .div_ceil(asked.every),
        )
    } else {
        asked.jobs
    };
    let start = Instant::now();
    let enough = || {
        asked
            .seconds
            .is_some_and(|seconds| start.elapsed() >= Duration::from_secs(seconds))
    };
    let (next, differing) = (AtomicU64::new(0), AtomicU64::new(0));
    let total = Mutex::new(Coverage::default());
    let shown = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..asked.workers {
            scope.spawn(|| {
                let lab = Lab::new();
                let mut seen = Coverage::default();
                loop {
                    let first = next.fetch_add(256, Ordering::Relaxed);
                    let stopped = asked.stop && differing.load(Ordering::Relaxed) > 0;
                    if first >= numbers || stopped || enough() {
                        break;
                    }
                    for number in first..(first + 256).min(numbers) {
                        let number = asked.one.unwrap_or(asked.from + number * asked.every);
                        let job = job_of(asked, number);
                        let verdict = compared(&lab, &job, asked, number);
                        seen.count(number, &job, &verdict);
                        if let Verdict::Differs(difference) = verdict {
                            differing.fetch_add(1, Ordering::Relaxed);
                            show(&lab, &job, &difference, number, asked, &shown);
                        }
                    }
                }
                total
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .add(&seen);
            });
        }
    });
    let total = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut out = anstream::stdout();
    if asked.coverage {
        let _ = write!(out, "{}", total.table());
    }
    let seconds = start.elapsed().as_millis().max(1);
    let differing = differing.into_inner();
    let _ = writeln!(out, "{}", total.line());
    let rate = u128::from(total.jobs()) * 1000 / seconds;
    let _ = writeln!(
        out,
        "seed {}: {} jobs in {} s, {rate} a second, {differing} differ",
        asked.seed,
        total.jobs(),
        seconds / 1000
    );
    differing
}

fn compared(lab: &Lab, job: &Job, asked: &Asked, number: u64) -> Verdict {
    let depth = if number.is_multiple_of(asked.threads_every) {
        Depth::Threads
    } else {
        Depth::Rows
    };
    let guarded = std::panic::AssertUnwindSafe(|| lab.compare(job, depth));
    std::panic::catch_unwind(guarded).unwrap_or_else(|_| {
        Verdict::Differs(Difference {
            kind: "panic",
            engine: "a panic".to_owned(),
            wanted: "an answer".to_owned(),
        })
    })
}

/// Shrinks a difference and prints it, unless enough of its kind were shown.
fn show(
    lab: &Lab,
    job: &Job,
    difference: &Difference,
    number: u64,
    asked: &Asked,
    shown: &Mutex<Vec<String>>,
) {
    let key = |difference: &Difference| {
        let class = |text: &str| text.split(':').next().unwrap_or_default().to_owned();
        match difference.kind {
            "class" | "accepted" | "refused" => format!(
                "{} {} {}",
                difference.kind,
                class(&difference.engine),
                class(&difference.wanted)
            ),
            kind => kind.to_owned(),
        }
    };
    let wanted = key(difference);
    {
        let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
        let alike = shown.iter().filter(|other| **other == wanted).count();
        if shown.len() >= asked.differences || alike >= 2 {
            return;
        }
        shown.push(wanted.clone());
    }
    let small = shrink(job, &mut |job| match compared(lab, job, asked, number) {
        Verdict::Differs(other) => key(&other) == wanted,
        Verdict::Mapped(_) | Verdict::Words(_) | Verdict::Refused(_) => false,
    });
    let now = match compared(lab, &small, asked, number) {
        Verdict::Differs(now) => now,
        Verdict::Mapped(_) | Verdict::Words(_) | Verdict::Refused(_) => difference.clone(),
    };
    let mut out = anstream::stdout();
    let _ = writeln!(
        out,
        "job {number}: {}\n{}\n    engine  {}\n    wanted  {}\n",
        now.kind,
        small.command_line(typed),
        now.engine,
        now.wanted
    );
}
