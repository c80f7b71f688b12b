//! How an export is written in the words of each launcher: what they share, and a file for each. Lines are read in the folders of launchers.

// Slurm.
pub(crate) mod srun;
// Its words for layouts, masks and GPUs.
mod srun_words;
// Parts of a job with cpus of their own, for Slurm.
mod parts;
// PRRTE and Open MPI 5.
pub(crate) mod prterun;
// MPICH.
pub mod hydra;
// Intel MPI.
pub(crate) mod intel;
// Flux.
pub(crate) mod flux;
// HPE Cray PALS.
pub(crate) mod pals;
// IBM Spectrum LSF's jsrun.
pub(crate) mod jsrun;
// Cray MPICH's file of ranks.
pub(crate) mod rank_order;
// Hosts with slots.
pub(crate) mod hostfile;
// Open MPI's and PRRTE's file of ranks.
pub(crate) mod rankfile;
// The variables of a plan.
pub(crate) mod variables;
// Lines of programs by rank, for srun and flux.
pub mod multi_prog;

use crate::launchers::cpus;
use crate::launchers::job::{Job, Program, Unsaid};
use crate::launchers::lists::CpuList;
use crate::launchers::script::{WORD_BYTES_MAX, Word};
use stowplan_engine::count::counted;
use stowplan_engine::table::cpusets::CpusetId;
use variables::OfApp;

/// Checks that the system accepts a word of ours.
fn fits(word: String, what: &str) -> Result<Word, Unsaid> {
    if word.len() < WORD_BYTES_MAX {
        return Ok(Word::Plain(word));
    }
    Err(Unsaid(format!(
        "{what} takes {} bytes, and one word may have fewer than {WORD_BYTES_MAX}",
        word.len()
    )))
}

/// The words of a program.
fn program(program: &Program<'_>) -> impl Iterator<Item = Word> {
    program.words().map(Word::plain)
}

/// The words of all programs, with `:` between them: `-n`, the variables and the program of each. What the script is given stands before
/// those of the first program.
fn programs_of_line(job: &Job<'_>, own: OfApp) -> Vec<Word> {
    let mut words = Vec::new();
    for (number, app) in job.programs.iter().enumerate() {
        if number > 0 {
            words.push(Word::plain(":"));
        }
        words.extend([Word::plain("-n"), Word::plain(app.ranks.to_string())]);
        if number == 0 {
            words.push(Word::Arguments);
        }
        words.extend(variables::of_app(job, app, own));
        words.extend(program(app));
    }
    words
}

/// Masks separated by commas.
fn masks(job: &Job<'_>, list: &[CpusetId]) -> String {
    let mask = |&id: &CpusetId| cpus::mask(job.lists.sets.get(id));
    list.iter().map(mask).collect::<Vec<String>>().join(",")
}

/// Lists of cpus, with `cpu` between cpus and `rank` between ranks.
fn lists(job: &Job<'_>, list: &[CpusetId], cpu: char, rank: &str) -> String {
    let text = |&id: &CpusetId| cpus::ranges(job.lists.sets.get(id), cpu);
    list.iter().map(text).collect::<Vec<String>>().join(rank)
}

/// The list of all ranks of a node, one entry for each.
fn whole(list: &CpuList) -> Vec<CpusetId> {
    list.iter().collect()
}

/// One list for all nodes: the list of every node is a beginning of it.
fn common<'j>(job: &'j Job<'_>) -> Result<&'j CpuList, Unsaid> {
    job.lists.common().map_err(|number| {
        Unsaid(format!(
            "the ranks of node {} have other cpus than those of other nodes, and there is one list for all",
            job.nodes.name(number)
        ))
    })
}

/// The GPUs of each rank of a node, one list for all nodes; `None`: nobody asked for GPUs, or no rank is given any.
fn common_gpus<'j>(job: &'j Job<'_>) -> Result<Option<&'j [Vec<u32>]>, Unsaid> {
    let Some(gpus) = &job.gpus else {
        return Ok(None);
    };
    let list = gpus.common_of_all();
    all_have(job, list.map_err(|number| other_gpus(job, number))?).map(Some)
}

fn other_gpus(job: &Job<'_>, number: u32) -> Unsaid {
    Unsaid(format!(
        "the ranks of node {} have other GPUs than those of other nodes, and there is one list for all",
        job.nodes.name(number)
    ))
}

/// Checks that every rank is given GPUs: the list has an entry for each.
fn all_have<'l>(job: &Job<'_>, list: &'l [Vec<u32>]) -> Result<&'l [Vec<u32>], Unsaid> {
    match list.iter().position(Vec::is_empty) {
        None => Ok(list),
        Some(at) => Err(Unsaid(format!(
            "the {} rank of a node, first on {}, is given no GPU, and the list has one for each",
            ordinal(at),
            job.nodes.name(0)
        ))),
    }
}

fn ordinal(at: usize) -> String {
    match at {
        0 => "first".to_owned(),
        1 => "second".to_owned(),
        2 => "third".to_owned(),
        more => format!("{}th", more + 1),
    }
}

/// Lists of GPUs, with `rank` between ranks.
fn gpu_lists(list: &[Vec<u32>], rank: &str) -> String {
    let each: Vec<String> = list
        .iter()
        .map(|gpus| crate::launchers::gpus::numbers(gpus))
        .collect();
    each.join(rank)
}

/// Checks that no rank is given GPUs, for launchers that have no words for them.
fn no_gpus(job: &Job<'_>) -> Result<(), Unsaid> {
    if job.gpus.is_none() {
        return Ok(());
    }
    let why = "ranks are given GPUs, and the launcher has no words for them: exec --gpus sets them, --gpus none gives none";
    Err(Unsaid(why.to_owned()))
}

/// What a script says about ranks.
const fn says(job: &Job<'_>) -> &'static str {
    match job.gpus {
        None => "their order and cpus",
        Some(_) => "their order, cpus and GPUs",
    }
}

/// The first comment of a script.
fn comment(dialect: &str, job: &Job<'_>, says: &str, trusts: &str) -> String {
    let ranks = counted(job.ranks(), "rank");
    let nodes = counted(job.nodes.len(), "node");
    let bound = if job.lists.rows.is_empty() {
        ", nobody bound"
    } else if job.lists.unbound_on.is_some() {
        ", unbound ranks as all cpus of their node"
    } else {
        ""
    };
    let cards = cards(job);
    format!(
        "# stowplan export {dialect}: says {ranks} on {nodes}, {says}{bound}{cards}; trusts {trusts}"
    )
}

/// What is said of network cards: no launcher has words for those of a rank.
fn cards(job: &Job<'_>) -> &'static str {
    match job.plan.nics().any() {
        true => ", not their network cards: exec --nics shows them",
        false => "",
    }
}

/// The comment of a dialect that says nothing about cpus.
fn comment_without_cpus(dialect: &str, job: &Job<'_>, says: &str, trusts: &str) -> String {
    let ranks = counted(job.ranks(), "rank");
    let nodes = counted(job.nodes.len(), "node");
    let cards = cards(job);
    format!(
        "# stowplan export {dialect}: says {ranks} on {nodes}, {says}, no cpus{cards}; trusts {trusts}"
    )
}
