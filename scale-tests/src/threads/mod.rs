//! Threads of OpenMP: random processes, and recorded ones, answered by our rules and by the plain model.

// Machines of a few numbers.
pub mod machines;
// Random processes.
mod random;
// Recorded answers of the runtimes.
pub mod recorded;

use crate::choices::Choices;
use machines::{Known, Shape};
use std::collections::BTreeSet;
use stowplan::answers::openmp::answer::Answer;
use stowplan::answers::openmp::notes::{Scope, found};
use stowplan::answers::openmp::{Process, Refused, Runtime, Variables, threads};
use stowplan_reference::threads::{Asked, Rules, Set, Told, Why};

/// A process of which both are asked.
#[derive(Clone, Debug)]
pub struct Case {
    /// The cpus that it starts with.
    pub mask: Set,
    /// Whether the kernel allows no others.
    pub caged: bool,
    /// Its variables, in order.
    pub env: Vec<(String, String)>,
    /// Whose rules hold.
    pub rules: Rules,
    /// Levels of parallel regions.
    pub levels: u32,
}

impl Case {
    /// The question to the plain model, on a machine with these cpus in all.
    pub(crate) fn asked<'a>(&'a self, known: &'a Known, all: &'a Set) -> Asked<'a> {
        Asked {
            hardware: &known.plain,
            mask: &self.mask,
            allowed: if self.caged { &self.mask } else { all },
            env: &self.env,
            rules: self.rules,
            levels: self.levels,
        }
    }

    /// The words of `--omp`.
    #[must_use]
    pub fn runtime(&self) -> String {
        match self.rules {
            Rules::Gnu => "gnu".to_owned(),
            Rules::Llvm(version) => format!("llvm@{version}"),
            Rules::Intel => "intel".to_owned(),
        }
    }

    /// A command to paste; `topology`: the machine.
    #[must_use]
    pub fn command(&self, topology: &str) -> String {
        let mask = list(&self.mask);
        let caged = if self.caged {
            format!(" --allowed {mask}")
        } else {
            String::new()
        };
        let env = self
            .env
            .iter()
            .map(|(name, value)| format!(" -x '{name}={value}'"));
        let env: String = env.collect();
        format!(
            "stowplan threads --topo {topology} --cpus {mask}{caged} --omp {} --levels {}{env}",
            self.runtime(),
            self.levels
        )
    }
}

fn list(set: &Set) -> String {
    let each: Vec<String> = set.iter().map(u32::to_string).collect();
    each.join(",")
}

/// What differs between the two, for so many random processes of a seed: each as a command to paste, and what either says.
///
/// # Panics
/// A shape of a machine gives no sound topology.
#[must_use]
pub fn differences(cases: u64, seed: u64) -> Vec<String> {
    differences_with(cases, seed, &|_| {})
}

/// The same, with a fault that is put into every answer of the plain model.
#[must_use]
pub fn differences_with(cases: u64, seed: u64, fault: &dyn Fn(&mut Told)) -> Vec<String> {
    let mut choices = Choices::seeded(seed);
    let machines: Vec<Known> = (0..40)
        .map(|_| Known::of(Shape::random(&mut choices)))
        .collect();
    let mut found = Vec::new();
    for number in 0..cases {
        let mut choices = Choices::seeded(seed.wrapping_mul(0x9e37_79b9).wrapping_add(number));
        let known = choices.pick(&machines);
        let case = random::case(&mut choices, known);
        if let Some(difference) = difference(known, &case, fault) {
            found.push(format!(
                "{}\n    {:?}\n    {difference}",
                case.command("T"),
                known.shape
            ));
        }
    }
    found
}

/// What differs between the two for the process that is drawn next; `None`: nothing.
#[must_use]
pub fn drawn(choices: &mut Choices<'_>, known: &Known) -> Option<String> {
    let case = random::case(choices, known);
    let difference = difference(known, &case, &|_| {})?;
    Some(format!("{}\n    {difference}", case.command("T")))
}

/// What differs between the two; `None`: nothing.
#[must_use]
pub fn difference(known: &Known, case: &Case, fault: &dyn Fn(&mut Told)) -> Option<String> {
    let all: Set = known.plain.cpus.iter().map(|cpu| cpu.os).collect();
    let asked = case.asked(known, &all);
    let mut plain = stowplan_reference::threads::threads(&asked);
    if let Ok(told) = &mut plain {
        fault(told);
    }
    let runtime: Runtime = case.runtime().parse().ok()?;
    let mask = case.mask.iter().copied().collect();
    let allowed = if case.caged { &mask } else { known.ours.all() };
    let variables: Variables = case.env.iter().map(|(name, value)| (name, value)).collect();
    let process = Process {
        machine: &known.ours,
        mask: &mask,
        allowed,
        variables: &variables,
        levels: Some(case.levels),
    };
    let ours = threads(&process, runtime);
    match (&ours, &plain) {
        (Err(Refused::NotModelled { .. }), Err(Why::NotModelled))
        | (Err(Refused::Aborts { .. }), Err(Why::Aborts)) => None,
        (Err(refused), other) => Some(format!("we refuse: {refused}; plain: {}", brief(other))),
        (Ok(_), Err(why)) => Some(format!("we answer, plain: {why:?}")),
        (Ok(own), Ok(plain)) => {
            let own = told_of(own);
            if let Some(difference) = apart(&own, plain) {
                return Some(difference);
            }
            let told = vec![(case.runtime(), ours.clone().ok()?)];
            let answer = Answer::new(mask.clone(), told, Vec::new());
            let notes = found(&process, &answer, &[runtime], Scope::Process);
            let notes: BTreeSet<&str> = notes.iter().map(|note| note.class).collect();
            notes_apart(&asked, plain, &notes)
        }
    }
}

fn brief(told: &Result<Told, Why>) -> String {
    match told {
        Ok(told) => format!("{} threads", told.threads.len()),
        Err(why) => format!("{why:?}"),
    }
}

fn told_of(own: &stowplan::answers::openmp::Threads) -> Told {
    let set = |set: &roaring::RoaringBitmap| -> Set { set.iter().collect() };
    Told {
        number: own.number(),
        start: set(own.start()),
        places: own.places().iter().map(set).collect(),
        bound: own.is_bound(),
        threads: own
            .iter()
            .map(|(thread, place, cpus)| (thread.name(), place, set(cpus)))
            .collect(),
    }
}

fn apart(ours: &Told, plain: &Told) -> Option<String> {
    if ours.number != plain.number {
        return Some(format!(
            "{} threads instead of {}",
            ours.number, plain.number
        ));
    }
    if ours.places != plain.places {
        return Some(format!(
            "places {:?} instead of {:?}",
            ours.places, plain.places
        ));
    }
    if (&ours.start, ours.bound) != (&plain.start, plain.bound) {
        return Some(format!(
            "start {:?} {} instead of {:?} {}",
            ours.start, ours.bound, plain.start, plain.bound
        ));
    }
    if ours.threads.len() != plain.threads.len() {
        return Some(format!(
            "{} rows instead of {}",
            ours.threads.len(),
            plain.threads.len()
        ));
    }
    let mut both = ours.threads.iter().zip(&plain.threads);
    let (ours, plain) = both.find(|(ours, plain)| ours != plain)?;
    Some(format!("thread {ours:?} instead of {plain:?}"))
}

/// The notes on a process that hold exactly where these conditions do, worked out from the plain answer.
fn notes_apart(asked: &Asked<'_>, told: &Told, notes: &BTreeSet<&str>) -> Option<String> {
    let set = asked.env.iter().any(|(name, _)| name == "OMP_NUM_THREADS");
    let (count, cores) = (told.threads.len(), asked.hardware.cores(asked.mask));
    let used: Set = told
        .threads
        .iter()
        .flat_map(|(_, _, cpus)| cpus)
        .copied()
        .collect();
    let whole = told.threads.iter().all(|(_, _, cpus)| cpus == asked.mask);
    let conditions = [
        ("threads-share-core", set && count > cores),
        ("threads-counted", !set && count > cores),
        (
            "threads-unbound",
            !told.bound && count > 1 && cores > 1 && whole,
        ),
        (
            "cores-idle",
            told.bound && asked.hardware.cores(&used) < count.min(cores),
        ),
        ("threads-leave-mask", !used.is_subset(asked.mask)),
        (
            "main-thread-pinned",
            asked.rules == Rules::Gnu && told.start != *asked.mask,
        ),
        ("runtimes-differ", false),
        ("runtime-aborts", false),
        ("runtime-untested", false),
    ];
    let wrong = conditions
        .iter()
        .find(|(class, holds)| notes.contains(class) != *holds);
    wrong.map(|(class, holds)| {
        format!(
            "note[{class}]: {}",
            if *holds { "missing" } else { "does not hold" }
        )
    })
}
