//! Intel MPI's Hydra: a machine file whose hosts repeat in rank order, and a domain for each local rank.

use super::variables::OfApp;
use super::{comment, common, fits, masks, programs_of_line, whole};
use crate::launchers::job::{Job, Unsaid};
use crate::launchers::script::{File, Script, Signs, Variable, Word};

pub(crate) fn export<'p>(job: &'p Job<'p>) -> Result<Script<'p>, Unsaid> {
    job.all_named()?;
    super::no_gpus(job)?;
    job.words_stand()?;
    let pin = if job.lists.rows.is_empty() {
        Variable {
            name: "I_MPI_PIN",
            value: Word::plain("off"),
        }
    } else {
        Variable {
            name: "I_MPI_PIN_DOMAIN",
            value: domains(job)?,
        }
    };
    let mut words = vec![Word::plain("-machinefile"), Word::path("machines")];
    words.extend(programs_of_line(job, OfApp::Env));
    Ok(Script {
        comment: comment(
            "intel",
            job,
            "their order and cpus",
            "that nothing else sets pins, and a probe: a list that Intel MPI refuses runs with its own pins and exit 0",
        ),
        launcher: "mpiexec.hydra",
        variables: vec![pin],
        words,
        files: vec![machines(job)],
        ..Script::default()
    })
}

/// The word for domains: as many as there are ranks on every node.
fn domains(job: &Job<'_>) -> Result<Word, Unsaid> {
    let groups = &job.lists.groups;
    let ranks = groups.first().map_or(0, |group| group.ranks);
    if let Some(other) = groups.iter().find(|group| group.ranks != ranks) {
        return Err(Unsaid(format!(
            "node {} has {} bound ranks and node {} has {ranks}, and there must be as many domains as ranks on each",
            job.nodes.name(other.first),
            other.ranks,
            job.nodes.name(0)
        )));
    }
    let list = whole(common(job)?);
    fits(format!("[{}]", masks(job, &list)), "the list of domains")
}

fn machines<'p>(job: &'p Job<'p>) -> File<'p> {
    File {
        name: "machines",
        body: Box::new(|out| {
            job.runs(&mut |node, count| writeln!(out, "{}:{count}", job.nodes.name(node)))
        }),
        signs: Signs::Shown,
    }
}
