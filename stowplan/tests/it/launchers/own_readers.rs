//! An exported line as our own reader of that launcher's lines places it.

use crate::launchers::given::{Given, OWN};
use crate::launchers::rules;
use crate::launchers::truth::{Process, Truth};
use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan::launchers::export::Dialect;
use stowplan_engine::stage::resolve::Files;

/// The files beside a script.
pub(crate) struct Scripts<'g>(pub(crate) &'g Given);

impl Files for Scripts<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let text = self.0.files.get(path).ok_or("No such file")?;
        Ok(text.as_bytes().to_vec())
    }
}

/// The words of ours that describe the machine.
pub(crate) fn machine(job: &[String]) -> Vec<String> {
    let mut words = Vec::new();
    for two in job
        .windows(2)
        .filter(|two| matches!(&*two[0], "--topo" | "--devices"))
    {
        words.extend_from_slice(two);
    }
    words
}

/// How the reader of a dialect is called, and what stands before the words of a script.
fn called(dialect: Dialect) -> Option<&'static [&'static str]> {
    match dialect {
        Dialect::Hydra => Some(&["mpiexec.hydra"]),
        Dialect::Intel => Some(&["--as", "intel", "mpiexec"]),
        Dialect::Flux => Some(&["flux"]),
        Dialect::Pals => Some(&["--as", "pals", "mpiexec"]),
        // Resource files of jsrun are not read.
        Dialect::Jsrun
        | Dialect::Srun
        | Dialect::Prterun
        | Dialect::RankOrder
        | Dialect::Hostfile
        | Dialect::Rankfile => None,
    }
}

/// The processes of the line in a script; or why our reader refuses it.
pub(crate) fn read(
    dialect: Dialect,
    given: &Given,
    job: &[String],
    truth: &Truth,
) -> Option<Result<Vec<Process>, String>> {
    let called = called(dialect)?;
    let mut words = machine(job);
    // Flux's scripts trust that the instance numbers its nodes by name; the other readers take hosts from the line.
    let names = rules::by_name(truth.nodes.keys().cloned().collect());
    words.extend(["-H".to_owned(), names.join(",")]);
    for (name, value) in &given.variables {
        words.extend(["--env".to_owned(), format!("{name}={value}")]);
    }
    words.extend(called.iter().map(|&word| word.to_owned()));
    words.extend(given.words.iter().filter(|word| *word != OWN).cloned());
    let unnamed = truth
        .processes
        .iter()
        .all(|process| process.words.is_empty());
    words.extend(unnamed.then(|| "./given".to_owned()));
    let asked = match map_args(&words) {
        Ok(asked) => asked,
        Err(error) => return Some(Err(format!("{error}: {words:?}"))),
    };
    let placed = match place(asked, &FilesAlone(&Scripts(given))) {
        Ok(placed) => placed,
        Err(error) => return Some(Err(format!("{}: {error}", error.class()))),
    };
    let mut own = Truth::of(&placed.mapped.plan).processes;
    if unnamed {
        own.iter_mut().for_each(|process| process.words.clear());
    }
    if !truth.tells_gpus() {
        // The plan says nothing of the GPUs that a process sees.
        own.iter_mut().for_each(|process| process.gpus = None);
    }
    if dialect == Dialect::Flux
        && let Some(at) = given.words.iter().position(|word| word == "multi-prog")
    {
        rules::programs(&given.files[&given.words[at + 1]], &mut own, &["%t", "%o"]);
    }
    Some(Ok(own))
}
