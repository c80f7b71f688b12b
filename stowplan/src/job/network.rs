//! `--network`: reads the network that a job names, and finds its nodes there.

use crate::job::args::JobArgs;
use crate::job::error::{JobError, told};
use crate::score::network::{Asked, BadNetwork, Network, OnNetwork, read};
use std::sync::Arc;
use stowplan_engine::error::Note;
use stowplan_engine::map::Mapped;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::table::names::Names;

/// The network that the options name, if any. `job`: the names of the job's nodes, for forms that go by names.
///
/// # Errors
/// `bad-network`.
pub fn named(
    args: &JobArgs,
    job: Option<&Names>,
    files: &dyn Files,
) -> Result<Option<Network>, JobError> {
    let Some(text) = &args.network else {
        return Ok(None);
    };
    let asked = Asked {
        text: text.clone(),
        levels: args.network_levels.clone(),
    };
    let network = read(&asked, job, &|path| files.read(path));
    network.map(Some).map_err(refused)
}

/// The same, with the place of each of the job's nodes in it.
///
/// # Errors
/// `bad-network`, also for a node that the network lacks.
pub fn of_nodes(
    args: &JobArgs,
    job: &Names,
    files: &dyn Files,
) -> Result<Option<OnNetwork>, JobError> {
    let network = match &args.network_read {
        Some(network) => Some(Arc::clone(network)),
        None => named(args, Some(job), files)?.map(Arc::new),
    };
    let found = network.map(|network| OnNetwork::of(network, job));
    found.transpose().map_err(refused)
}

/// Notes on a job's network: what was assumed, and where Slurm's order of nodes is another.
pub(crate) fn note(on: &OnNetwork, mapped: &mut Mapped) {
    if let Some(machine) = on.network().assumed() {
        mapped.notes.push(Note::OfLine {
            class: "assumed-order",
            text: format!(
                "the hosts were dealt to the groups of {machine} in the order of the list: its names are not known to say where nodes are"
            ),
        });
    }
    if on.slurm_differs() {
        mapped.notes.push(Note::OfLine {
            class: "slurm-order",
            text: "srun -m block and its default go leaf by leaf as the file lists leaves (Slurm from 26.05), which is another order of nodes than the network's; -m plane and arbitrary do not".to_owned(),
        });
    }
}

/// The error of a job for a network.
pub(crate) fn refused(error: BadNetwork) -> JobError {
    told(BadNetwork::CLASS, error.to_string())
}
