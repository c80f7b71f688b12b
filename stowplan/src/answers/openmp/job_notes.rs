//! The notes on the threads of a job: each class once, with the first rank of which it holds and how many ranks there are.

use super::classes::{Class, Key, Stretch, classes, stretches};
use super::job::JobThreads;
use super::notes::{Scope, found, remedy};
use super::process::Process;
use super::refused::Refused;
use roaring::RoaringBitmap;
use std::collections::{BTreeMap, BTreeSet};
use stowplan_engine::error::Note;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;

/// A note that holds for some ranks.
struct Held {
    class: &'static str,
    text: String,
    help: Option<String>,
    first: u32,
    ranks: u64,
}

/// The notes on the threads of a plan; none if nothing is said about threads.
///
/// # Errors
/// `bad-value`, or `not-modelled`: there is no answer by the rules that were asked for.
///
/// Cost: as many answers as there are distinct apps, topologies and masks, never ranks.
pub fn notes(plan: &Plan) -> Result<Vec<Note>, (&'static str, String)> {
    if plan.thread_words().is_empty() {
        return Ok(Vec::new());
    }
    let mut threads =
        JobThreads::new(plan, None).map_err(|error| (error.class(), error.to_string()))?;
    let mut held: Vec<Held> = Vec::new();
    for class in classes(plan) {
        of_class(&mut threads, class, plan, &mut held)?;
    }
    held.extend(shared(plan, &mut threads));
    let told = held.into_iter().map(|own| {
        let more = match own.ranks {
            0 | 1 => String::new(),
            ranks => format!(" and {} more", ranks - 1),
        };
        let help = own
            .help
            .map_or_else(String::new, |help| format!("; {help} changes it"));
        Note::OfLine {
            class: own.class,
            text: format!("rank {}{more}: {}{help}", own.first, own.text),
        }
    });
    Ok(told.collect())
}

fn of_class(
    threads: &mut JobThreads<'_>,
    class: Class,
    plan: &Plan,
    held: &mut Vec<Held>,
) -> Result<(), (&'static str, String)> {
    let answer = threads.answer(class.key);
    if let Some((_, why)) = answer
        .refused
        .iter()
        .find(|(_, why)| !matches!(why, Refused::Aborts { .. }))
    {
        return Err((why.class(), format!("rank {}: {why}", class.first)));
    }
    let (machine, variables) = (
        threads.machine(class.key.topology),
        threads.variables(class.key.app).clone(),
    );
    let process = Process::uncaged(
        &machine,
        &answer.mask,
        &variables,
        plan.thread_words().levels,
    );
    let runtimes = threads.runtimes();
    for own in found(&process, &answer, &runtimes, Scope::Job) {
        if let Some(known) = held.iter_mut().find(|known| known.class == own.class) {
            known.ranks += class.ranks;
            known.first = known.first.min(class.first);
            continue;
        }
        held.push(Held {
            class: own.class,
            help: remedy(&process, own.class, &runtimes),
            text: own.text,
            first: class.first,
            ranks: class.ranks,
        });
    }
    Ok(())
}

/// What stands on a node: app, topology, pattern and processes of each app.
type Content = Vec<(u32, u32, u32, u32)>;

/// Whether bound threads of two ranks of a node share a cpu. Each distinct content of nodes is looked at once.
fn shared(plan: &Plan, threads: &mut JobThreads<'_>) -> Option<Held> {
    let all = stretches(plan);
    let bounds: BTreeSet<u32> = all
        .iter()
        .flat_map(|own| [own.nodes.first, own.nodes.end()])
        .collect();
    let bounds: Vec<u32> = bounds.into_iter().collect();
    let mut starts: BTreeMap<u32, Vec<Stretch>> = BTreeMap::new();
    for own in &all {
        starts.entry(own.nodes.first).or_default().push(*own);
    }
    let mut here: Vec<Stretch> = Vec::new();
    let mut seen: BTreeMap<Content, Vec<(usize, u32)>> = BTreeMap::new();
    let mut held: Option<Held> = None;
    for (at, &bound) in bounds.iter().enumerate() {
        here.retain(|own| own.nodes.end() > bound);
        here.extend(starts.remove(&bound).unwrap_or_default());
        let content = here.iter().map(|own| {
            (
                own.app.number(),
                own.topology.number(),
                own.pattern.number(),
                own.procs,
            )
        });
        let content: Content = content.collect();
        let nodes = bounds.get(at + 1).map_or(0, |next| u64::from(next - bound));
        let sharing = seen
            .entry(content)
            .or_insert_with(|| sharing_on(&here, plan, threads));
        let first = sharing
            .iter()
            .map(|&(row, local)| rank(&here[row], bound, local, plan))
            .min();
        let (Some(first), ranks) = (first, nodes * sharing.len() as u64) else {
            continue;
        };
        let known = held.get_or_insert_with(|| Held {
            class: "ranks-share-threads",
            text: "its threads are bound to cpus to which threads of another rank of the node are bound".to_owned(),
            help: None,
            first,
            ranks: 0,
        });
        known.first = known.first.min(first);
        known.ranks += ranks;
    }
    held
}

/// The rank of a process on a node.
fn rank(own: &Stretch, node: u32, local: u32, plan: &Plan) -> u32 {
    plan.rank_of(own.located(node, local)).0
}

/// The processes of a node whose bound threads share cpus with those of others: rows of `here`, and numbers within them.
fn sharing_on(here: &[Stretch], plan: &Plan, threads: &mut JobThreads<'_>) -> Vec<(usize, u32)> {
    let mut sharing = BTreeSet::new();
    for runtime in threads.runtimes() {
        let mut used: Vec<((usize, u32), RoaringBitmap)> = Vec::new();
        for (row, own) in here.iter().enumerate() {
            let pattern = plan.patterns().get(own.pattern);
            for local in 0..own.procs {
                let cpus = pattern.place(local).cpus;
                let answer = threads.answer(Key {
                    app: own.app,
                    topology: own.topology,
                    cpus,
                });
                if let Some(own) = answer.of(runtime).filter(|own| own.is_bound()) {
                    used.push(((row, local), own.sets_used()));
                }
            }
        }
        let (mut once, mut twice) = (RoaringBitmap::new(), RoaringBitmap::new());
        for (_, own) in &used {
            twice |= own & &once;
            once |= own;
        }
        let both = used.iter().filter(|(_, own)| !own.is_disjoint(&twice));
        sharing.extend(both.map(|&(at, _)| at));
    }
    sharing.into_iter().collect()
}
