//! The line of flux: `flux run` and `flux submit`. Source: `lines/flux/spec.md`.
//!
//! Words become an ask, the instance gives nodes and cores to it, tasks are dealt over these, and each node's tasks get their cpus.

// Commands of Flux that place nothing themselves.
mod command;
// The words.
mod words;
// The scheduler.
mod site;
// R, and the nodes of the instance.
mod allotted;
mod instance;
pub mod resources;
// What is asked for, and which nodes may serve it.
mod asks;
mod requires;
// Nodes and cores for the job.
mod schedule;
// Tasks for its nodes, ranks for the tasks.
pub mod deal;
mod task_map;
// Cpus and GPUs for the tasks of a node.
mod affinity;
mod mpibind;
pub mod sets;
mod tree;
// What the page says.
mod tell;
// All of it, for one scheduler.
mod place;

use crate::launchers::line::{Laid, LineAsked, LineRefused};
use instance::Instance;
use place::Job;
use site::Policy;

/// The version whose rules are known.
const VERSION: &str = "0.88";

/// Where the processes of a line are.
///
/// # Errors
/// A [`LineRefused`].
pub fn lay(asked: &LineAsked<'_>) -> Result<Laid, LineRefused> {
    if asked.version.is_some_and(|version| version != VERSION) {
        return Err(asked.refused(
            "not-modelled",
            format_args!("only the rules of flux-core {VERSION} are known here"),
        ));
    }
    command::refuse(asked)?;
    let said = site::policy(asked)?;
    let policy = said.unwrap_or(Policy::Simple);
    let line = words::read(asked)?;
    let ask = asks::read(asked, &line)?;
    let instance = match asked.alloc {
        Some(alloc) => allotted::instance(asked, alloc, policy)?,
        None => Instance::of(asked, ask.nodes)?,
    };
    let job = Job {
        asked,
        line: &line,
        ask: &ask,
        instance: &instance,
    };
    let mut laid = job.lay(policy)?;
    tell::derived(&mut laid, &job, policy, said);
    if said.is_none() {
        tell::assumed(&mut laid, &job);
    }
    Ok(laid)
}
