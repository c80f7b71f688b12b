//! Notes on the threads of a process: each has an exact condition (`docs/threads.md`), and a remedy that was tried.

use super::answer::Answer;
use super::process::{Process, threads};
use super::runtime::{Family, Runtime};
use super::status::{self, Passed};
use super::variables::Variables;
use super::{Refused, Threads};
use roaring::RoaringBitmap;
use stowplan_engine::table::cpusets::list_form;

/// Something that holds for a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The class of the note.
    pub class: &'static str,
    /// What holds.
    pub text: String,
}

/// Whether an answer is about one process, of which also the start matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// One process: `threads`, `explain`, `exec --omp`.
    Process,
    /// A job.
    Job,
}

/// Everything that holds for a process, each class at most once.
#[must_use]
pub fn found(
    process: &Process<'_>,
    answer: &Answer,
    runtimes: &[Runtime],
    scope: Scope,
) -> Vec<Found> {
    let mut all: Vec<Found> = Vec::new();
    let mut add = |class: &'static str, text: Option<String>| {
        if let Some(text) = text.filter(|_| all.iter().all(|own| own.class != class)) {
            all.push(Found { class, text });
        }
    };
    let each = answer.each().iter();
    let facts: Vec<_> = each
        .map(|(runtime, threads)| (runtime, Facts::new(process, threads).all()))
        .collect();
    let joined = answer.told.len() < facts.len();
    for (runtime, own) in &facts {
        for (at, (class, text)) in own.iter().enumerate() {
            let of_all = facts.iter().all(|(_, other)| other[at].1.is_some());
            let whose = if joined && of_all {
                String::new()
            } else {
                format!("{runtime}: ")
            };
            add(class, text.as_ref().map(|text| format!("{whose}{text}")));
        }
    }
    for &runtime in runtimes {
        for (class, text) in of_variables(process, runtime) {
            add(class, text);
        }
        let untested = runtime.family() != Family::Gnu && process.machine.is_untested();
        let text = || {
            format!(
                "the rules of {} were measured on x86 alone, and these are other cpus",
                runtime.exact()
            )
        };
        add("runtime-untested", untested.then(text));
    }
    if scope == Scope::Process {
        let pinned = answer
            .told
            .iter()
            .find(|(_, own)| own.runtime().family() == Family::Gnu && own.start() != process.mask);
        let text = pinned.map(|(_, own)| {
            format!("the program starts on cpus {} alone, and so does all that it starts before a parallel region: other programs, threads of MPI and of files", list_form(own.start()))
        });
        add("main-thread-pinned", text);
    }
    if let [(first, one), (second, other)] = answer.told.as_slice() {
        add("runtimes-differ", Some(parted(first, one, second, other)));
    }
    let aborts = answer.refused.iter().find_map(|(_, why)| match why {
        Refused::Aborts { .. } => Some(why.to_string().replace("\nhelp: ", "; ")),
        Refused::BadValue { .. } | Refused::NotModelled { .. } => None,
    });
    add("runtime-aborts", aborts);
    all
}

/// Everything that holds for a process, each class with a sentence and what would change it.
#[must_use]
pub fn told(
    process: &Process<'_>,
    answer: &Answer,
    runtimes: &[Runtime],
    scope: Scope,
) -> Vec<Found> {
    let mut all = found(process, answer, runtimes, scope);
    for own in &mut all {
        if let Some(help) = remedy(process, own.class, runtimes) {
            own.text.push_str(&format!("; {help} changes it"));
        }
    }
    all
}

/// How two runtimes part.
fn parted(first: &str, one: &Threads, second: &str, other: &Threads) -> String {
    if one.len() != other.len() {
        return format!(
            "{first} starts {} threads, {second} {}; --omp names the runtime",
            one.len(),
            other.len()
        );
    }
    let mut pairs = one.iter().zip(other.iter());
    let apart = pairs.find(|((_, _, a), (_, _, b))| a != b);
    apart.map_or_else(
        || format!("{first} and {second} number the threads differently; --omp names the runtime"),
        |((thread, _, a), (_, _, b))| {
            let (name, a, b) = (thread.name(), list_form(a), list_form(b));
            format!("thread {name} runs on cpus {a} with {first}, on {b} with {second}; --omp names the runtime")
        },
    )
}

/// What a runtime does with the variables.
fn of_variables(process: &Process<'_>, runtime: Runtime) -> [(&'static str, Option<String>); 3] {
    let word = runtime.word();
    let value = |name: &str| process.variables.get(name).unwrap_or_default().to_owned();
    let told = |passed: &Passed| {
        format!(
            "{}={}, {word}: {}",
            passed.name,
            value(passed.name),
            passed.why
        )
    };
    let outside = status::outside(process, runtime).map(|(name, numbers)| {
        let (cpus, mask) = (list_form(&numbers), list_form(process.mask));
        format!(
            "{name}={}: cpus {cpus} are not among the process's {mask}",
            value(name)
        )
    });
    [
        ("omp-number-outside", outside),
        (
            "omp-variable-ignored",
            status::passed_over(process, runtime).first().map(told),
        ),
        (
            "omp-word-unknown",
            status::not_understood(process, runtime).first().map(told),
        ),
    ]
}

/// What the conditions of notes look at.
struct Facts<'a> {
    process: &'a Process<'a>,
    threads: &'a Threads,
    /// Threads, and cores of the mask.
    count: usize,
    cores: usize,
}

impl<'a> Facts<'a> {
    fn new(process: &'a Process<'a>, threads: &'a Threads) -> Self {
        Self {
            process,
            threads,
            count: threads.len(),
            cores: process.machine.cores(process.mask),
        }
    }

    fn all(&self) -> [(&'static str, Option<String>); 5] {
        let (count, cores) = (self.count, self.cores);
        let set = self.process.variables.get("OMP_NUM_THREADS").is_some();
        let crowded = count > cores;
        let share = || format!("{count} threads on {}", cores_in_words(cores));
        let counted = || {
            format!(
                "{count} threads on {}: OMP_NUM_THREADS is not set, so hardware threads were counted",
                cores_in_words(cores)
            )
        };
        [
            ("threads-share-core", (crowded && set).then(share)),
            ("threads-counted", (crowded && !set).then(counted)),
            ("threads-unbound", self.unbound()),
            ("cores-idle", self.idle()),
            ("threads-leave-mask", self.leaves()),
        ]
    }

    /// The cpus that threads use.
    fn used(&self) -> impl Iterator<Item = &RoaringBitmap> {
        self.threads.iter().map(|(_, _, cpus)| cpus)
    }

    fn unbound(&self) -> Option<String> {
        let free = !self.threads.is_bound() && self.count > 1 && self.cores > 1;
        let whole = free && self.used().all(|cpus| cpus == self.process.mask);
        whole.then(|| {
            format!(
                "{} threads may each run on all of {}: nothing binds them",
                self.count,
                cores_in_words(self.cores)
            )
        })
    }

    fn idle(&self) -> Option<String> {
        if !self.threads.is_bound() {
            return None;
        }
        let all = self
            .used()
            .fold(RoaringBitmap::new(), |all, cpus| all | cpus);
        let touched = self.process.machine.cores(&all);
        let idle = touched < self.count.min(self.cores);
        idle.then(|| {
            format!(
                "{} threads use {touched} of {}",
                self.count,
                cores_in_words(self.cores)
            )
        })
    }

    fn leaves(&self) -> Option<String> {
        let mut each = self.threads.iter();
        let (thread, _, cpus) = each.find(|(_, _, cpus)| !cpus.is_subset(self.process.mask))?;
        let (cpus, mask) = (list_form(cpus), list_form(self.process.mask));
        Some(format!(
            "thread {} runs on cpus {cpus}, outside the process's {mask}",
            thread.name()
        ))
    }
}

fn cores_in_words(cores: usize) -> String {
    if cores == 1 {
        "1 core".to_owned()
    } else {
        format!("{cores} cores")
    }
}

/// What to write so that a note no longer holds, tried with each runtime.
#[must_use]
pub fn remedy(process: &Process<'_>, class: &'static str, runtimes: &[Runtime]) -> Option<String> {
    let own = process.variables;
    let cores = process.machine.cores(process.mask).to_string();
    let number = |variables: &Variables| variables.with("OMP_NUM_THREADS", Some(&cores));
    let close = |variables: &Variables| {
        let free = ["GOMP_CPU_AFFINITY", "KMP_AFFINITY", "KMP_HW_SUBSET"];
        let free = free
            .iter()
            .fold(variables.clone(), |own, name| own.with(name, None));
        free.with("OMP_PLACES", Some("cores"))
            .with("OMP_PROC_BIND", Some("close"))
    };
    let passed = runtimes
        .iter()
        .flat_map(|&runtime| status::passed_over(process, runtime));
    let without = passed.fold(own.clone(), |own, passed| own.with(passed.name, None));
    let tries = match class {
        "omp-variable-ignored" => vec![without, close(own)],
        "threads-share-core" | "threads-counted" => vec![number(own), close(&number(own))],
        "main-thread-pinned" => vec![own.with("OMP_PROC_BIND", Some("false"))],
        _ => vec![close(own), close(&number(own))],
    };
    let fine = |variables: &&Variables| {
        let process = Process {
            variables,
            ..*process
        };
        let mut told = Vec::new();
        for &runtime in runtimes {
            match threads(&process, runtime) {
                Ok(threads) => told.push((runtime.word().to_owned(), threads)),
                Err(_) => return false,
            }
        }
        let answer = Answer::new(process.mask.clone(), told, Vec::new());
        found(&process, &answer, runtimes, Scope::Process)
            .iter()
            .all(|own| own.class != class)
    };
    tries
        .iter()
        .find(fine)
        .map(|variables| changed(own, variables))
}

/// What to write to get from some variables to others.
fn changed(from: &Variables, to: &Variables) -> String {
    let set = to
        .iter()
        .filter(|(name, value)| from.get(name) != Some(value));
    let mut words: Vec<String> = set.map(|(name, value)| format!("{name}={value}")).collect();
    let gone = from.iter().filter(|(name, _)| to.get(name).is_none());
    words.extend(gone.map(|(name, _)| format!("without {name}")));
    words.join(" ")
}
