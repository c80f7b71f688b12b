//! The parts of a het step, `srun A : B`: refused, with what is known of them. Source: `lines/slurm/spec.md` 10.

use super::job::Job;
use super::node_set::NodeSet;
use super::options::{Options, Reading};
use super::reading::read;
use super::refusals;
use super::remedies::Starts;
use super::site::names;
use super::words::{Command, words};
use crate::launchers::line::{LineAsked, LineRefused};
use crate::launchers::script::quoted;

/// The most parts of which the nodes are worked out.
const PARTS_MAX: usize = 16;

/// A part with the words that it has.
struct Part<'w> {
    words: &'w [String],
    options: Options,
}

/// The refusal; its help has each part as a line of its own, on the nodes that it would have.
pub(super) fn refused(
    asked: &LineAsked<'_>,
    job: &Job,
    reading: Reading,
    starts: Starts<'_>,
) -> LineRefused {
    let why = "`:`: how the parts of a het step are placed is not known here";
    let Some(lists) = parts(asked, reading).and_then(|parts| Some((nodes(&parts, job)?, parts)))
    else {
        return refusals::not_modelled(why);
    };
    let (sets, parts) = lists;
    let known: Vec<String> = sets
        .iter()
        .enumerate()
        .map(|(part, set)| format!("part {part} on {}", host_list(job, set)))
        .collect();
    let mut refused = refusals::not_modelled(format!(
        "{why}, but for their nodes, which five lines that were run agree on: {}; a part alone can be placed",
        known.join(", ")
    ));
    for (part, set) in parts.iter().zip(&sets) {
        let line = part.alone(&host_list(job, set), set.len());
        if starts(&line) {
            let words: Vec<String> = line.iter().map(|word| quoted(word)).collect();
            refused
                .help
                .push(format!("{} {}", asked.command, words.join(" ")));
        }
    }
    refused
}

/// The parts, each with a program.
fn parts<'w>(asked: &LineAsked<'w>, reading: Reading) -> Option<Vec<Part<'w>>> {
    let table = words(Command::Step, reading.rules);
    let lists: Vec<&[String]> = asked.words.split(|word| word == ":").collect();
    if lists.len() > PARTS_MAX {
        return None;
    }
    let part = |words: &'w [String]| {
        let own = read(words, &table).ok()?;
        let has_program = own.program < words.len();
        let options = Options::of(&own.said, reading).ok()?;
        has_program.then_some(Part { words, options })
    };
    lists.into_iter().map(part).collect()
}

/// The nodes of each part: its own, and as few as its tasks fit into.
fn nodes(parts: &[Part<'_>], job: &Job) -> Option<Vec<NodeSet>> {
    let listed: Vec<Option<NodeSet>> = parts
        .iter()
        .map(|part| {
            let list = part.options.node_list.as_deref()?;
            Some(job.find(&names(list)?).0)
        })
        .collect();
    let mut taken = NodeSet::default();
    let mut sets = Vec::with_capacity(parts.len());
    for (at, part) in parts.iter().enumerate() {
        let own = listed[at].clone();
        let set = match own {
            Some(own) => own,
            None => {
                let others = listed.iter().flatten();
                let others = others.fold(taken.clone(), |all, set| all.with(set));
                let free = job.all().without(&others);
                let count = part.count(job, &free);
                free.first(count)
            }
        };
        if set.is_empty() || set.overlaps(&taken) {
            return None;
        }
        taken = taken.with(&set);
        sets.push(set);
    }
    Some(sets)
}

impl Part<'_> {
    /// How many of the free nodes, in their order, the part takes.
    fn count(&self, job: &Job, free: &NodeSet) -> u64 {
        if let Some(nodes) = self.options.nodes {
            return nodes.min;
        }
        let tasks = self.options.tasks.unwrap_or(1);
        let by_limit = self
            .options
            .tasks_per_node
            .map_or(1, |each| tasks.div_ceil(each));
        let mut wanted = tasks.saturating_mul(self.options.cpus_per_task.unwrap_or(1));
        let mut count = 0;
        for (nodes, run) in job.of(free) {
            let needed = wanted.div_ceil(run.told.max(1)).min(u64::from(nodes.count));
            wanted = wanted.saturating_sub(needed.saturating_mul(run.told));
            count += needed;
            if wanted == 0 {
                break;
            }
        }
        count.max(by_limit)
    }

    /// The part as a line of its own.
    fn alone(&self, list: &str, count: u64) -> Vec<String> {
        let mut line = vec!["-w".to_owned(), list.to_owned()];
        if self.options.nodes.is_none() {
            line.push(format!("-N{count}"));
        }
        if self.options.tasks.is_none() && self.options.tasks_per_node.is_none() {
            line.push("-n1".to_owned());
        }
        line.extend_from_slice(self.words);
        line
    }
}

/// The names of nodes, as Slurm writes them.
fn host_list(job: &Job, set: &NodeSet) -> String {
    let mut parts = Vec::new();
    for (nodes, names) in job.names.ranges() {
        for own in set.ranges().filter_map(|range| range.overlap(nodes)) {
            let first = names.first + u64::from(own.first - nodes.first);
            let last = first + u64::from(own.count) - 1;
            let width = usize::from(names.width);
            let (prefix, suffix) = (&names.prefix, &names.suffix);
            parts.push(match (width, own.count) {
                (0, _) => format!("{prefix}{suffix}"),
                (_, 1) => format!("{prefix}{first:0width$}{suffix}"),
                _ => format!("{prefix}[{first:0width$}-{last:0width$}]{suffix}"),
            });
        }
    }
    parts.join(",")
}
