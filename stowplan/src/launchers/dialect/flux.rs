//! Flux: a task map over hosts, and cpus by local rank.

use super::multi_prog::{self, Replaces};
use super::{comment, common, common_gpus, fits, gpu_lists, lists, program, says};
use crate::launchers::gpus::period;
use crate::launchers::job::{Job, Unsaid};
use crate::launchers::script::{File, Script, Signs, WORD_BYTES_MAX, Word};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::taskmap::{Encoder, Form, Limits};

pub(crate) fn export<'p>(job: &'p Job<'p>) -> Result<Script<'p>, Unsaid> {
    job.all_named()?;
    let nodes = job.nodes.len();
    let mut files = Vec::new();
    let mut words = vec![Word::plain("run"), Word::plain(format!("-N{nodes}"))];
    words.extend(tasks(job)?);
    let hosts = job.nodes.folded(std::slice::from_ref(&(0..nodes)));
    words.push(fits(
        format!("--requires=host:{hosts}"),
        "the list of hosts",
    )?);
    let trusts = if let Some(map) = by_number(job) {
        words.push(Word::Plain(map));
        "that the instance numbers its nodes by name"
    } else {
        words.push(Word::Path {
            before: "--taskmap=hostfile:",
            file: "hosts",
            behind: "",
        });
        files.push(File {
            name: "hosts",
            body: Box::new(|out| {
                job.runs(&mut |node, count| {
                    let name = job.nodes.name(node);
                    (0..count).try_for_each(|_| writeln!(out, "{name}"))
                })
            }),
            signs: Signs::Shown,
        });
        "that every node can read the file of hosts"
    };
    words.extend([Word::plain("-o"), affinity(job)?]);
    if let Some(list) = common_gpus(job)? {
        let text = format!("gpu-affinity=map:{}", gpu_lists(period(list), ";"));
        words.extend([Word::plain("-o"), fits(text, "the list of GPUs")?]);
    }
    words.push(Word::Arguments);
    match job.single() {
        Some(only) => {
            job.name_stands(only)?;
            words.extend(program(only));
        }
        None => {
            multi_prog::can_carry(job, Replaces::TaskAndOffset)?;
            words.extend(["flux", "multi-prog"].map(Word::plain));
            words.push(Word::path("programs"));
            files.push(multi_prog::file(job));
        }
    }
    Ok(Script {
        comment: comment("flux", job, says(job), trusts),
        launcher: "flux",
        words,
        files,
        ..Script::default()
    })
}

/// The words for the number of tasks. Flux deals tasks over cores, or equally many to each node.
fn tasks(job: &Job<'_>) -> Result<Vec<Word>, Unsaid> {
    let (nodes, ranks) = (job.nodes.len(), job.ranks());
    let fewest = fewest_cores(job);
    if ranks.div_ceil(nodes) > fewest {
        if !ranks.is_multiple_of(nodes) {
            return Err(Unsaid(format!(
                "{ranks} ranks on {nodes} nodes of {fewest} cores: Flux gives a node no more tasks than cores but by equal counts"
            )));
        }
        return Ok(vec![Word::plain(format!(
            "--tasks-per-node={}",
            ranks / nodes
        ))]);
    }
    let mut words = vec![Word::plain(format!("-n{ranks}"))];
    // The cores that ranks are bound to must be the job's: whole nodes are.
    if !job.lists.rows.is_empty() {
        words.push(Word::plain("-x"));
    }
    Ok(words)
}

/// The cores of the node with the fewest, among nodes with ranks.
fn fewest_cores(job: &Job<'_>) -> u32 {
    let world = job.plan.world();
    let runs = job.plan.apps().iter().flat_map(|app| app.runs());
    let states = runs.flat_map(|run| {
        let all = world.before.iter();
        all.filter(|(nodes, _)| nodes.overlap(run.nodes).is_some())
    });
    let cores = states.map(|(_, state)| {
        let topology = world.states.get(state).topology;
        match world.topologies.count(topology, ObjKind::Core) {
            0 => world.topologies.count(topology, ObjKind::Hwthread),
            cores => cores,
        }
    });
    cores.min().unwrap_or(0)
}

/// The task map by node number, if the plan's nodes are in name order: the instance's nodes are assumed to be.
fn by_number(job: &Job<'_>) -> Option<String> {
    if !job.nodes.ascend_by_name() {
        return None;
    }
    let limits = Limits {
        chars: Some(WORD_BYTES_MAX as u64 - 32),
        ..Limits::default()
    };
    let map = job.map.as_ref()?;
    let text = map.text(Form::Map, Encoder::Best, limits).ok()?;
    let mut word = "--taskmap=manual:".to_owned();
    text.write_to(&mut word).ok()?;
    Some(word)
}

fn affinity(job: &Job<'_>) -> Result<Word, Unsaid> {
    if job.lists.rows.is_empty() {
        return Ok(Word::plain("cpu-affinity=off"));
    }
    let list = common(job)?.period();
    let text = format!("cpu-affinity=map:{}", lists(job, &list, ',', ";"));
    fits(text, "the list of cpus")
}
