//! What the words of a job tell whoever runs inside it.

use super::options::{NodeCounts, Options, Reading};
use super::reading::read;
use super::rules::Rules;
use super::version::Version;
use super::words::{Class, Command, Key, words};
use crate::launchers::line::LineRefused;

/// What salloc and sbatch were asked for, as far as their words fix it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct JobTold {
    /// Nodes, if their number is one.
    pub nodes: Option<u64>,
    /// Tasks of the job.
    pub tasks: Option<u64>,
    /// Tasks of each node.
    pub tasks_per_node: Option<u64>,
    /// Cpus of each task.
    pub cpus_per_task: Option<u64>,
    /// Threads of each core.
    pub threads_per_core: Option<u64>,
    /// GPUs of each node.
    pub gpus_per_node: Option<u64>,
    /// GPUs of each task.
    pub gpus_per_task: Option<u64>,
    /// The nodes that are asked for by name.
    pub node_list: Option<String>,
    /// Variables that `--export` sets.
    pub variables: Vec<(String, String)>,
}

/// Reads the words of salloc or sbatch.
///
/// # Errors
/// As for `--alloc`, with the same sentences, at the word.
pub fn job_told(said: &[String]) -> Result<JobTold, LineRefused> {
    let (version, _) = Version::read(None)?;
    let rules = Rules::of(version);
    let reading = Reading {
        command: Command::Job,
        rules,
        plane: None,
    };
    let read = read(said, &words(Command::Job, rules))?;
    for said in &read.said {
        Options::of(std::slice::from_ref(said), reading)
            .map_err(|refused| refused.at(said.at, 0..0))?;
    }
    let options = Options::of(&read.said, reading)?;
    let exports = read
        .said
        .iter()
        .filter(|said| said.word.class == Class::Places(Key::Export));
    let exports = exports.flat_map(|said| said.value.split(','));
    let variables = exports.filter_map(|part| part.split_once('='));
    let one = |counts: NodeCounts| (counts.min == counts.max).then_some(counts.min);
    let named = options.node_list.as_deref().and_then(super::site::names);
    let named = named.map(|names| names.iter().map(|names| u64::from(names.count)).sum());
    let tasks = options.tasks;
    let nodes = match (options.nodes, options.tasks_per_node, tasks) {
        (Some(counts), ..) => one(counts),
        (None, Some(each), Some(tasks)) => Some(tasks.div_ceil(each)),
        (None, _, None | Some(1)) => named.or(Some(1)),
        (None, None, Some(_)) => named,
    };
    let each = options.tasks_per_node.zip(nodes);
    Ok(JobTold {
        nodes,
        tasks: tasks.or(each.and_then(|(each, nodes)| each.checked_mul(nodes))),
        tasks_per_node: options.tasks_per_node,
        cpus_per_task: options.cpus_per_task,
        threads_per_core: options.threads_per_core,
        gpus_per_node: options.gpus_per_node.map(|own| own.total()),
        gpus_per_task: options.gpus_per_task.map(|own| own.total()),
        node_list: options.node_list,
        variables: variables
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
    })
}
