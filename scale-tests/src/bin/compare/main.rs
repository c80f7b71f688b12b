//! `compare`: random jobs through the engine and the plain mapper, until the first differences.
//!
//! A difference is shrunk and printed as a command line to paste. The same seed gives the same jobs on every machine.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use stowplan_scale_tests::arbitrary;
use stowplan_scale_tests::catalogue::MACHINES;
use stowplan_scale_tests::compare::{Difference, Verdict};
use stowplan_scale_tests::coverage::Coverage;
use stowplan_scale_tests::crew::Crew;
use stowplan_scale_tests::job::Job;
use stowplan_scale_tests::shrink::shrink;
use stowplan_scale_tests::small_world;

// Small jobs are mostly allocation.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const HELP: &str = "\
compare [--seconds S | --jobs N] [--seed N] [--from N] [--workers N] [--differences N]
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
    workers: usize,
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

/// So many jobs are made and compared before the next ones.
const BATCH: u64 = 512;

/// Compares the jobs asked for. Gives the number of differences.
fn compare_all(asked: &Asked) -> u64 {
    let small = || {
        small_world::size()
            .saturating_sub(asked.from)
            .div_ceil(asked.every)
    };
    let jobs = if asked.small_world {
        asked.jobs.min(small())
    } else {
        asked.jobs
    };
    let number_of = |at: u64| asked.one.unwrap_or(asked.from + at * asked.every);
    let start = Instant::now();
    let (crew, mut total) = (Crew::new(asked.workers), Coverage::default());
    let (mut done, mut differing, mut shown) = (0, 0, Vec::new());
    while done < jobs {
        let late = |seconds| start.elapsed() >= Duration::from_secs(seconds);
        if asked.seconds.is_some_and(late) || asked.stop && differing > 0 {
            break;
        }
        let batch = BATCH.min(jobs - done);
        let size = usize::try_from(batch).unwrap_or(usize::MAX);
        let found = crew.compare(size, |at| job_of(asked, number_of(done + at as u64)));
        for (at, (job, verdict)) in (done..).zip(found) {
            let number = number_of(at);
            total.count(number, &verdict);
            if let Verdict::Differs(difference) = verdict {
                differing += 1;
                show(&crew, &job, &difference, (number, asked), &mut shown);
            }
        }
        done += batch;
    }
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

/// What differences have in common that are shown once or twice: their kind, and both classes.
fn key(difference: &Difference) -> String {
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
