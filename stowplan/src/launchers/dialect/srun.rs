//! Slurm's srun: a layout and one list of masks for all nodes, or parts of a het step.

use super::multi_prog::{self, Replaces};
use super::srun_words::{Layout, any_overfull, bind_word, gpu_word, lacks};
use super::{comment, common, common_gpus, parts, program, says};
use crate::launchers::gpus::{GpuLists, there};
use crate::launchers::job::{Job, Unsaid};
use crate::launchers::script::{File, PLAN, Script, Signs, Variable, WORD_BYTES_MAX, Word};
use crate::launchers::text::Note;
use stowplan_engine::count::counted;

/// Nodes times tasks; above it, Slurm takes long to process an arbitrary layout.
const SLOW_LAYOUT: u64 = 100_000_000;
const TRUSTS: &str = "that the step has all cpus of its nodes, and that Slurm orders nodes by name";
/// A job may be refused an arbitrary layout that a step inside it gets.
const TRUSTS_ARBITRARY: &str = "that the step has all cpus of its nodes, and that it runs inside an allocation (salloc, sbatch)";

pub(crate) fn export<'p>(job: &'p Job<'p>) -> Result<(Script<'p>, Vec<Note>), Unsaid> {
    job.all_named()?;
    match together(job) {
        Ok(script) => Ok(script),
        // Parts can express what one step cannot. If they cannot either, both reasons are given.
        Err(Unsaid(why)) => match parts::words(job) {
            Ok(words) => Ok((
                Script {
                    comment: comment(
                        "srun",
                        job,
                        &format!("{} by parts", says(job)),
                        &trusts(job, TRUSTS),
                    ),
                    launcher: "srun",
                    words,
                    ..Script::default()
                },
                Vec::new(),
            )),
            Err(_)
                if job.single().is_none()
                    && multi_prog::can_carry(job, Replaces::Nothing).is_ok() =>
            {
                Ok(around_exec(job))
            }
            Err(Unsaid(also)) => Err(Unsaid(format!("{why}; and by parts, {also}"))),
        },
    }
}

/// Several programs on shared nodes, whose cpus no list of masks says: each task finds its place and its program in the plan.
fn around_exec<'p>(job: &'p Job<'p>) -> (Script<'p>, Vec<Note>) {
    let mut files = Vec::new();
    let mut variables = Vec::new();
    let mut words = by_layout(job).unwrap_or_else(|| {
        files.push(hosts(job));
        variables.push(Variable {
            name: "SLURM_HOSTFILE",
            value: Word::path("hosts"),
        });
        let ranks = format!("-n{}", job.ranks());
        [ranks.as_str(), "-m", "arbitrary"].map(Word::plain).into()
    });
    words.extend([Word::plain("--cpu-bind=none"), Word::Arguments]);
    words.extend(["stowplan", "exec"].map(Word::plain));
    if job.gpus.is_some() {
        words.push(Word::plain("--gpus"));
    }
    words.push(Word::path(PLAN));
    let trusts = "that stowplan is on the path of each node, that the step has all cpus of its nodes, and that it runs inside an allocation (salloc, sbatch)";
    let says = format!("{}, by stowplan exec", says(job));
    let script = Script {
        comment: comment("srun", job, &says, trusts),
        launcher: "srun",
        exports: Vec::new(),
        variables,
        words,
        files,
        plan: Some(job.plan.to_bytes()),
    };
    (script, slow(job).into_iter().collect())
}

/// The job as one step.
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
            multi_prog::can_carry(job, Replaces::Nothing)?;
            words.push(Word::plain("--multi-prog"));
            words.push(Word::path("programs"));
            files.push(multi_prog::file(job));
        }
    }
    let inside = match variables.is_empty() {
        true => TRUSTS,
        false => TRUSTS_ARBITRARY,
    };
    let script = Script {
        comment: comment("srun", job, says(job), &trusts(job, inside)),
        launcher: "srun",
        variables,
        words,
        files,
        ..Script::default()
    };
    Ok((script, notes))
}

/// What the script trusts. Up to 24.11 the only rank of a node sees all GPUs of the step, whatever list of GPUs it is given.
fn trusts(job: &Job<'_>, inside: &str) -> String {
    let lone = |gpus: &GpuLists, number: u32| {
        let own = gpus.on(number);
        let place = job.plan.place(job.first_rank_on(number));
        let there = place.map_or(0, |place| there(job.plan, &place).len());
        own.len() == 1 && !own[0].is_empty() && own[0].len() < there
    };
    let groups = job.lists.groups.iter().filter(|group| group.ranks == 1);
    let mut alone = groups.flat_map(|group| group.first..group.first + group.nodes);
    match &job.gpus {
        Some(gpus) if alone.any(|number| lone(gpus, number)) => format!(
            "{inside}, and that Slurm is 26.05 or newer: older ones show the only rank of a node all GPUs"
        ),
        Some(_) | None => inside.to_owned(),
    }
}

/// The words for nodes and a layout, without a file.
fn by_layout(job: &Job<'_>) -> Option<Vec<Word>> {
    let map = job.nodes.by_name(job.map.clone()?)?;
    let layout = Layout::of(&map)?;
    let (nodes, ranks) = (job.nodes.len(), job.ranks());
    if nodes > 1 && any_overfull(job) {
        return None;
    }
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

/// The hosts in rank order, a line for each run of ranks on a host.
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
        signs: Signs::Shown,
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

/// The word for cpus: one list for all nodes.
fn bind(job: &Job<'_>) -> Result<Word, Unsaid> {
    if job.lists.rows.is_empty() {
        return Ok(Word::plain("--cpu-bind=none"));
    }
    let list = common(job)?.period();
    // Slurm checks the whole list on each node, whether or not a task uses an entry.
    for group in &job.lists.groups {
        lacks(job, group.first, &list)?;
    }
    bind_word(job, &list)
}
