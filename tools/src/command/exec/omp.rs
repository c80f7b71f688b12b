//! The OpenMP variables that `exec --omp` gives to a process: what the user set stays, what would win in silence goes.

use crate::report::{self, Refused, told};
use crate::{Console, output};
use roaring::RoaringBitmap;
use stowplan::answers::openmp::answer::Answer;
use stowplan::answers::openmp::notes::{Scope, found};
use stowplan::answers::openmp::team_sizes::list;
use stowplan::answers::openmp::{Machine, Process, Runtime, Variables, threads};
use stowplan::launchers::openmp;
use stowplan_engine::plan::{Plan, ProcPlace};
use stowplan_engine::table::cpusets::list_form;

/// Which variables are set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Omp {
    /// The number, the places, and how threads go to them.
    Places,
    /// The number alone.
    Number,
}

/// Variables that would win over places in silence.
const FOREIGN: [&str; 4] = [
    "KMP_AFFINITY",
    "KMP_HW_SUBSET",
    "KMP_PLACE_THREADS",
    "GOMP_CPU_AFFINITY",
];

/// What is set and what is removed.
#[derive(Clone, Debug, Default)]
pub(super) struct Threads {
    pub(super) set: Vec<(&'static str, String)>,
    pub(super) removed: Vec<(&'static str, String)>,
}

impl Threads {
    /// The variables of a process; none for an unbound one, or if they are not asked for.
    pub(super) fn of(asked: Option<Omp>, plan: &Plan, place: &ProcPlace) -> Self {
        let (Some(asked), Some(places)) = (asked, openmp::places(plan, place)) else {
            return Self::default();
        };
        let there = std::env::var("OMP_NUM_THREADS").ok();
        let said = plan.thread_words().of(place.app).iter();
        let said = said.filter(|(name, _)| name == "OMP_NUM_THREADS");
        let said = said.map(|(_, value)| value.clone()).next_back();
        let said = said.filter(|value| list(value).is_some());
        let given = plan.threads_of(place).map(|threads| threads.to_string());
        let kept = there.filter(|value| list(value).is_some());
        let number = kept
            .or(said)
            .or(given)
            .unwrap_or_else(|| places.len().to_string());
        let first = list(&number)
            .and_then(|all| all.first().copied())
            .unwrap_or(0);
        let fewer = (first as usize) < places.len();
        let mut own = Self::default();
        own.set.push(("OMP_NUM_THREADS", number));
        if asked == Omp::Places {
            own.set.push(("OMP_PLACES", openmp::listed(&places)));
            let bind = if fewer { "spread" } else { "close" };
            own.set.push(("OMP_PROC_BIND", bind.to_owned()));
            let there = FOREIGN.iter().filter_map(|&name| {
                let value = std::env::var_os(name)?;
                Some((name, value.to_string_lossy().into_owned()))
            });
            own.removed = there.collect();
        }
        own
    }

    /// Refuses variables that would be removed.
    pub(super) fn strict(&self) -> Result<(), Refused> {
        let Some((name, value)) = self.removed.first() else {
            return Ok(());
        };
        Err(told(
            "omp-foreign",
            format!("{name}={value} is set, and it wins over the places of the plan"),
        ))
    }

    /// A sentence for each variable that is removed.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        self.removed.iter().map(|(name, value)| {
            let sentence =
                format!("{name}={value} is removed: it would win over the places of the plan");
            stowplan::job::error::one_line(&sentence)
        })
    }
}

/// The variables with which a runtime tells where its threads are, for `check --live`.
pub(super) fn report(place: &ProcPlace) -> [(&'static str, String); 2] {
    let format = format!("stow {} %H %n %A", place.rank.0);
    [
        ("OMP_DISPLAY_AFFINITY", "true".to_owned()),
        ("OMP_AFFINITY_FORMAT", format),
    ]
}

/// Prints the variables, `others` behind those of threads, and where the threads will be.
///
/// # Errors
/// There is no answer, or the runtime ends the program.
pub(super) fn dry_run(
    plan: &Plan,
    place: &ProcPlace,
    own: &Threads,
    others: &[(String, String)],
    console: &mut Console<'_>,
) -> Result<(), Refused> {
    let world = plan.world();
    let topology = world.states.get(world.before.state(place.node)).topology;
    let machine = Machine::new(&world.topologies, &world.cpusets, topology);
    let mask: RoaringBitmap = match place.cpus {
        Some(cpus) => world.cpusets.get(cpus).clone(),
        None => machine.all().clone(),
    };
    let there = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let mut variables: Variables = there.collect();
    for (name, value) in &own.set {
        variables.set(name, value);
    }
    for (name, _) in &own.removed {
        variables = variables.with(name, None);
    }
    let said = plan.thread_words().runtime.as_ref();
    let said = said
        .map(|word| super::super::threads::runtime(word))
        .transpose()?;
    let runtimes = said.map_or(vec![Runtime::GNU, Runtime::LLVM], |own| vec![own]);
    let process = Process::uncaged(&machine, &mask, &variables, plan.thread_words().levels);
    let mut answers = Vec::new();
    for &runtime in &runtimes {
        let answer = threads(&process, runtime);
        let answer = answer.map_err(|why| told(why.class(), why.to_string()))?;
        answers.push((runtime.word().to_owned(), answer));
    }
    let answer = Answer::new(mask.clone(), answers, Vec::new());
    let mut text = String::new();
    for (name, value) in &own.set {
        text.push_str(&format!("{name}={value}\n"));
    }
    for (name, value) in others {
        text.push_str(&format!("{name}={value}\n"));
    }
    text.push_str("#thread\tplace\tcpus");
    text.push_str(if said.is_some() { "\n" } else { "\truntime\n" });
    for (runtime, threads) in &answer.told {
        for (thread, place, cpus) in threads.iter() {
            let place = place.map_or_else(|| "-".to_owned(), |place| place.to_string());
            text.push_str(&format!("{}\t{place}\t{}", thread.name(), list_form(cpus)));
            if said.is_none() {
                text.push_str(&format!("\t{runtime}"));
            }
            text.push('\n');
        }
    }
    output::give(None, console.out, |out| out.write_all(text.as_bytes()))?;
    for note in found(&process, &answer, &runtimes, Scope::Process) {
        report::note(console.err, note.class, &note.text);
    }
    Ok(())
}
