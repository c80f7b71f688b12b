//! Slurm's srun: a layout and one list of masks for all nodes, or parts of a het step.

use super::programs::{self, Replaces};
use super::{comment, common, common_gpus, fits, gpu_lists, masks, parts, program, says};
use crate::export::Note;
use crate::gpus::period;
use crate::job::{Job, Unsaid};
use crate::lists::allowed;
use crate::script::{File, Script, Variable, WORD_BYTES_MAX, Word};
use std::convert::Infallible;
use stowplan_engine::count::counted;
use stowplan_engine::table::cpusets::CpusetId;
use stowplan_engine::taskmap::{Block, TaskMap};

/// Nodes times tasks from which on Slurm takes long over an arbitrary layout.
const SLOW_LAYOUT: u64 = 100_000_000;
const TRUSTS: &str = "that the step has all cpus of its nodes, and that Slurm orders nodes by name";

/// How ranks go over nodes that stand by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    Block,
    Cyclic,
    Plane(u32),
}

impl Layout {
    pub(super) fn word(self) -> String {
        match self {
            Self::Block => "block".to_owned(),
            Self::Cyclic => "cyclic".to_owned(),
            Self::Plane(size) => format!("plane={size}"),
        }
    }

    /// The layout that a task map is; nodes are numbered by name.
    pub(super) fn of(map: &TaskMap) -> Option<Self> {
        let (nodes, tasks) = (map.node_count().ok()?, map.task_count().ok()?.0);
        let (_, first) = map.runs().next()?;
        let round = |size: u32| {
            let turn = size.checked_mul(nodes)?;
            let (full, rest) = (tasks / turn, tasks % turn);
            same(
                map,
                &[
                    (0, nodes, size, full),
                    (0, rest / size, size, 1),
                    (rest / size, 1, rest % size, 1),
                ],
            )
            .then_some(())
        };
        let (each, more) = (tasks / nodes, tasks % nodes);
        let even = [(0, more, each + 1, 1), (more, nodes - more, each, 1)];
        if same(map, &even) {
            Some(Self::Block)
        } else if round(1).is_some() {
            Some(Self::Cyclic)
        } else {
            round(first.0).map(|()| Self::Plane(first.0))
        }
    }
}

/// Whether a map is these blocks; those of nothing are passed over.
fn same(map: &TaskMap, blocks: &[(u32, u32, u32, u32)]) -> bool {
    let some = blocks
        .iter()
        .filter(|&&(_, nodes, ppn, repeat)| nodes > 0 && ppn > 0 && repeat > 0);
    let blocks = some.map(|&(first, nodes, ppn, repeat)| Block {
        first,
        nodes,
        ppn,
        repeat,
    });
    TaskMap::from_blocks(blocks).is_ok_and(|own| own == *map)
}

pub(crate) fn export<'p>(job: &'p Job<'p>) -> Result<(Script<'p>, Vec<Note>), Unsaid> {
    job.all_named()?;
    match together(job) {
        Ok(script) => Ok(script),
        // Parts say what one step cannot; where they cannot either, both reasons count.
        Err(Unsaid(why)) => match parts::words(job) {
            Ok(words) => Ok((
                Script {
                    comment: comment("srun", job, &format!("{} by parts", says(job)), TRUSTS),
                    launcher: "srun",
                    variables: Vec::new(),
                    words,
                    files: Vec::new(),
                },
                Vec::new(),
            )),
            Err(Unsaid(also)) => Err(Unsaid(format!("{why}; and by parts, {also}"))),
        },
    }
}

/// One step.
fn together<'p>(job: &'p Job<'p>) -> Result<(Script<'p>, Vec<Note>), Unsaid> {
    let bind = bind(job)?;
    let gpus = common_gpus(job)?.map(gpu_word).transpose()?;
    let mut files = Vec::new();
    let mut variables = Vec::new();
    let mut notes = Vec::new();
    let mut words = match by_layout(job) {
        Some(words) => words,
        None => {
            files.push(hosts(job));
            variables.push(Variable {
                name: "SLURM_HOSTFILE",
                value: Word::path("hosts"),
            });
            notes.extend(slow(job));
            let ranks = Word::plain(format!("-n{}", job.ranks()));
            vec![ranks, Word::plain("-m"), Word::plain("arbitrary")]
        }
    };
    words.push(bind);
    words.extend(gpus);
    words.push(Word::Arguments);
    match job.single() {
        Some(only) => {
            job.words_stand()?;
            words.extend(program(only));
        }
        None => {
            programs::can_carry(job, Replaces::Nothing)?;
            words.push(Word::plain("--multi-prog"));
            words.push(Word::path("programs"));
            files.push(File {
                name: "programs",
                body: Box::new(|out| programs::write(job, out)),
            });
        }
    }
    let script = Script {
        comment: comment("srun", job, says(job), TRUSTS),
        launcher: "srun",
        variables,
        words,
        files,
    };
    Ok((script, notes))
}

/// Nodes and a layout without a file.
fn by_layout(job: &Job<'_>) -> Option<Vec<Word>> {
    let map = job.nodes.by_name(job.map.clone()?)?;
    let layout = Layout::of(&map)?;
    let (nodes, ranks) = (job.nodes.len(), job.ranks());
    let hosts = job.nodes.folded(std::slice::from_ref(&(0..nodes)));
    if hosts.len() >= WORD_BYTES_MAX {
        return None;
    }
    let words = [
        format!("-N{nodes}"),
        "-w".to_owned(),
        hosts,
        format!("-n{ranks}"),
        "-m".to_owned(),
        layout.word(),
    ];
    Some(words.map(Word::Plain).into())
}

/// A host a line, in rank order.
fn hosts<'p>(job: &'p Job<'p>) -> File<'p> {
    File {
        name: "hosts",
        body: Box::new(|out| {
            job.runs(&mut |node, count| {
                let name = job.nodes.name(node);
                match count {
                    1 => writeln!(out, "{name}"),
                    _ => writeln!(out, "{name}*{count}"),
                }
            })
        }),
    }
}

fn slow(job: &Job<'_>) -> Option<Note> {
    let (nodes, ranks) = (u64::from(job.nodes.len()), u64::from(job.ranks()));
    let product = nodes.saturating_mul(ranks);
    (product > SLOW_LAYOUT).then(|| Note {
        class: "slow-layout",
        sentence: format!(
            "Slurm's controller works {} times {} over an arbitrary layout, more than {SLOW_LAYOUT} steps",
            counted(nodes, "node"),
            counted(ranks, "task")
        ),
    })
}

/// The word for cpus, one list for all nodes.
fn bind(job: &Job<'_>) -> Result<Word, Unsaid> {
    if job.lists.rows.is_empty() {
        return Ok(Word::plain("--cpu-bind=none"));
    }
    let list = common(job)?.period();
    // Slurm checks the whole list on each node, whether a task uses an entry or not.
    for group in &job.lists.groups {
        lacks(job, group.first, &list)?;
    }
    bind_word(job, &list)
}

/// The word of a list.
pub(super) fn bind_word(job: &Job<'_>, list: &[CpusetId]) -> Result<Word, Unsaid> {
    let text = format!("--cpu-bind=mask_cpu:{}", masks(job, list));
    fits(text, "the list of masks")
}

/// The word of a list of GPUs: numbers where each rank has one, else masks. Slurm goes over the list again.
pub(super) fn gpu_word(list: &[Vec<u32>]) -> Result<Word, Unsaid> {
    let list = period(list);
    let text = if list.iter().all(|gpus| gpus.len() == 1) {
        format!("--gpu-bind=map_gpu:{}", gpu_lists(list, ","))
    } else {
        let mask = |gpus: &Vec<u32>| crate::cpus::mask(&gpus.iter().copied().collect());
        let masks: Vec<String> = list.iter().map(mask).collect();
        format!("--gpu-bind=mask_gpu:{}", masks.join(","))
    };
    fits(text, "the list of GPUs")
}

/// That a node has every cpu of a list.
pub(super) fn lacks(job: &Job<'_>, number: u32, list: &[CpusetId]) -> Result<(), Unsaid> {
    let there = allowed(job.plan, job.nodes.node(number));
    let outside = list
        .iter()
        .find(|&&id| !job.lists.sets.get(id).is_subset(&there));
    match outside {
        None => Ok(()),
        Some(&id) => Err(Unsaid(format!(
            "node {} lacks cpus of {}, an entry of the one list of masks that no rank there uses, and Slurm checks them all",
            job.nodes.name(number),
            crate::cpus::mask(job.lists.sets.get(id))
        ))),
    }
}

/// Never fails.
pub(super) fn sure<T>(result: Result<T, Infallible>) -> T {
    match result {
        Ok(value) => value,
    }
}
