//! `compare`: random jobs through the engine and the plain mapper, until the first few differences.
//!
//! A difference is shrunk and printed as a command line to paste. The same seed gives the same jobs on every machine.

mod corpus;
mod hydra;
mod ours;
mod prterun;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use stowplan_scale_tests::arbitrary;
use stowplan_scale_tests::catalogue::MACHINES;
use stowplan_scale_tests::compare::{Difference, Verdict};
use stowplan_scale_tests::coverage::Coverage;
use stowplan_scale_tests::crew::Crew;
use stowplan_scale_tests::job::Job;
use stowplan_scale_tests::lines::{Launcher, differences};
use stowplan_scale_tests::shrink::shrink;
use stowplan_scale_tests::small_world;
use stowplan_scale_tests::threads;

// Most of the work of a small job is allocation.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const HELP: &str = "\
compare [--seconds S | --jobs N | --to N] [--seed N] [--from N] [--workers N] [--differences N]
        [--small-world [--every N]] [--coverage] [--one N] [--stop] [--quiet]
compare --corpus FOLDER
compare --prterun PATH [--jobs N] [--seed N]
compare --hydra PATH
compare --lines hydra|intel|slurm|flux|pals|aprun|jsrun [--jobs N] [--seed N]
compare --threads [--jobs N] [--seed N]
compares the engine with the plain mapper on random jobs, or on every job of a small world (every N-th); both with the
placement corpus in a folder; the engine with a prterun, or with the mpiexec of Hydra, that is there; random lines of a launcher with its plain model;
random processes with the threads of OpenMP;
--from and --to are numbers of jobs, the last not included; exit status 1 when they differ";

/// What the command line says.
#[derive(Clone, Debug)]
struct Asked {
    seconds: Option<u64>,
    jobs: u64,
    seed: u64,
    from: u64,
    /// The first number that is not compared.
    to: u64,
    workers: usize,
    /// How many differences are shrunk and shown.
    differences: usize,
    small_world: bool,
    /// Of the small world, one job in this many is compared.
    every: u64,
    coverage: bool,
    one: Option<u64>,
    /// Stop at the first difference.
    stop: bool,
    /// Report the progress of a long run now and then.
    progress: bool,
    corpus: Option<PathBuf>,
    prterun: Option<PathBuf>,
    hydra: Option<PathBuf>,
    /// Whether threads of random processes are compared.
    threads: bool,
    /// Whose random lines are compared.
    lines: Option<Launcher>,
}

fn asked(args: impl Iterator<Item = String>) -> Option<Asked> {
    let mut asked = Asked {
        seconds: None,
        jobs: u64::MAX,
        seed: 1,
        from: 0,
        to: u64::MAX,
        workers: 2,
        differences: 10,
        small_world: false,
        every: 1,
        coverage: false,
        one: None,
        stop: false,
        progress: true,
        corpus: None,
        prterun: None,
        hydra: None,
        threads: false,
        lines: None,
    };
    let mut args = args;
    while let Some(word) = args.next() {
        let path = match word.as_str() {
            "--corpus" => Some(&mut asked.corpus),
            "--prterun" => Some(&mut asked.prterun),
            "--hydra" => Some(&mut asked.hydra),
            _ => None,
        };
        if let Some(path) = path {
            *path = Some(PathBuf::from(args.next()?));
            continue;
        }
        if word == "--lines" {
            asked.lines = Some(Launcher::of_word(&args.next()?)?);
            continue;
        }
        if word == "--threads" {
            asked.threads = true;
            continue;
        }
        let mut number = || args.next()?.parse::<u64>().ok();
        match word.as_str() {
            "--seconds" => asked.seconds = Some(number()?),
            "--jobs" => asked.jobs = number()?,
            "--seed" => asked.seed = number()?,
            "--from" => asked.from = number()?,
            "--to" => asked.to = number()?,
            "--quiet" => asked.progress = false,
            "--workers" => asked.workers = usize::try_from(number()?).ok()?,
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
    let found = if let Some(folder) = &asked.corpus {
        corpus::compare(folder)
    } else if let Some(path) = &asked.prterun {
        prterun::compare(path, asked.jobs.min(2000), asked.seed)
    } else if let Some(path) = &asked.hydra {
        hydra::compare(path)
    } else if let Some(launcher) = asked.lines {
        compare_lines(launcher, &asked)
    } else if asked.threads {
        compare_threads(&asked)
    } else {
        compare_all(&asked)
    };
    let _ = out.flush();
    match found {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(1),
    }
}

/// Compares the threads of random processes with the plain model. Gives the number of differences.
fn compare_threads(asked: &Asked) -> u64 {
    let cases = asked.jobs.min(10_000_000);
    let found = threads::differences(cases, asked.seed);
    let mut out = anstream::stdout();
    for difference in found.iter().take(asked.differences) {
        let _ = writeln!(out, "{difference}");
    }
    let _ = writeln!(
        out,
        "seed {}: threads of {cases} processes, {} differ",
        asked.seed,
        found.len()
    );
    found.len() as u64
}

/// Compares random lines of a launcher with its plain model. Gives the number of differences.
fn compare_lines(launcher: Launcher, asked: &Asked) -> u64 {
    let lines = asked.jobs.min(1_000_000);
    let found = differences(launcher, lines, asked.seed);
    let mut out = anstream::stdout();
    for difference in found.iter().take(asked.differences) {
        let _ = writeln!(out, "{difference}");
    }
    let _ = writeln!(
        out,
        "seed {}: {lines} lines of {launcher:?}, {} differ",
        asked.seed,
        found.len()
    );
    found.len() as u64
}

/// Topologies as typed on a command line.
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

/// How many jobs are made and compared at a time. Pools of several threads wait for their last job, so this should happen seldom
/// (batches of 256 took a third longer).
const BATCH: u64 = 4096;
/// Seconds between two lines of progress.
const PROGRESS: u64 = 20;

/// What all workers found.
#[derive(Default)]
struct Seen {
    total: Coverage,
    differing: u64,
    /// Keys of the differences that were shown already.
    shown: Vec<String>,
    /// When progress was last reported. Unit: seconds of the run.
    said: u64,
}

impl Seen {
    /// Reports progress now and then. It goes to the terminal, because it is not part of the result.
    fn progress(&mut self, start: Instant, jobs: u64) {
        let seconds = start.elapsed().as_secs();
        if seconds < self.said + PROGRESS {
            return;
        }
        self.said = seconds;
        let (done, differing) = (self.total.jobs(), self.differing);
        let rate = done / seconds.max(1);
        let mut out = anstream::stderr();
        let _ = writeln!(
            out,
            "{done} of {jobs} jobs, {rate} a second, {differing} differ"
        );
    }
}

fn held(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Compares the jobs asked for. Gives the number of differences.
fn compare_all(asked: &Asked) -> u64 {
    let end = if asked.small_world {
        asked.to.min(small_world::size())
    } else {
        asked.to
    };
    let numbers = end.saturating_sub(asked.from).div_ceil(asked.every);
    let jobs = asked.one.map_or(asked.jobs.min(numbers), |_| 1);
    let number_of = |at: u64| asked.one.unwrap_or(asked.from + at * asked.every);
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let seen = Mutex::new(Seen::default());
    let work = || {
        let crew = Crew::new(1);
        loop {
            let done = next.fetch_add(BATCH, Ordering::Relaxed);
            let late = |seconds| start.elapsed() >= Duration::from_secs(seconds);
            let stopped = asked.stop && held(&seen).differing > 0;
            if done >= jobs || stopped || asked.seconds.is_some_and(late) {
                return;
            }
            let size = usize::try_from(BATCH.min(jobs - done)).unwrap_or(usize::MAX);
            let found = crew.compare(size, |at| job_of(asked, number_of(done + at as u64)));
            let mut seen = held(&seen);
            for (at, (job, verdict)) in (done..).zip(found) {
                let number = number_of(at);
                seen.total.count(number, &verdict);
                if let Verdict::Differs(difference) = verdict {
                    seen.differing += 1;
                    show(&crew, &job, &difference, (number, asked), &mut seen.shown);
                }
            }
            if asked.progress {
                seen.progress(start, jobs);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..asked.workers.max(1) {
            scope.spawn(work);
        }
    });
    let Seen {
        total, differing, ..
    } = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut out = anstream::stdout();
    if asked.coverage {
        let _ = write!(out, "{}", total.table());
    }
    let millis = start.elapsed().as_millis().max(1);
    let _ = writeln!(out, "{}", total.line());
    let rate = u128::from(total.jobs()) * 1000 / millis;
    let _ = writeln!(
        out,
        "seed {}: {} jobs in {} s, {rate} a second, {differing} differ",
        asked.seed,
        total.jobs(),
        millis / 1000
    );
    differing
}

/// A key for differences of which only one or two are shown: their kind and both classes.
fn key(difference: &Difference) -> String {
    let class = |text: &str| text.split(':').next().unwrap_or_default().to_owned();
    match difference.kind {
        "class" | "accepted" | "refused" => format!(
            "{} {} {}",
            difference.kind,
            class(&difference.engine),
            class(&difference.wanted)
        ),
        "check" => difference.engine.split(", at").take(1).collect(),
        kind => kind.to_owned(),
    }
}

/// Shrinks a difference and prints it, unless enough of its kind were shown.
fn show(
    crew: &Crew,
    job: &Job,
    difference: &Difference,
    (number, asked): (u64, &Asked),
    shown: &mut Vec<String>,
) {
    let wanted = key(difference);
    let alike = shown.iter().filter(|other| **other == wanted).count();
    if shown.len() >= asked.differences || alike >= 2 {
        return;
    }
    shown.push(wanted.clone());
    let small = shrink(job, &mut |job| match crew.compare_one(job) {
        Verdict::Differs(other) => key(&other) == wanted,
        Verdict::Mapped(_) | Verdict::Words(_) | Verdict::Refused(_) => false,
    });
    let now = match crew.compare_one(&small) {
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
