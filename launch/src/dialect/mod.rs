//! What the dialects share, and one file for each.

// Slurm.
pub(crate) mod srun;
// Parts of a job with cpus of their own, for Slurm.
mod parts;
// PRRTE and Open MPI 5.
pub(crate) mod prterun;
// MPICH.
pub(crate) mod hydra;
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
// Lines of programs by rank, for srun and flux.
mod programs;

use crate::cpus;
use crate::job::{Job, Program, Unsaid};
use crate::lists::CpuList;
use crate::script::{WORD_BYTES_MAX, Word};
use stowplan_engine::table::cpusets::CpusetId;

/// A word of ours that the system takes.
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

/// Masks with commas between them.
fn masks(job: &Job<'_>, list: &[CpusetId]) -> String {
    let mask = |&id: &CpusetId| cpus::mask(job.lists.sets.get(id));
    list.iter().map(mask).collect::<Vec<String>>().join(",")
}

/// Lists of cpus, with one sign between cpus and another between ranks.
fn lists(job: &Job<'_>, list: &[CpusetId], cpu: char, rank: &str) -> String {
    let text = |&id: &CpusetId| cpus::ranges(job.lists.sets.get(id), cpu);
    list.iter().map(text).collect::<Vec<String>>().join(rank)
}

/// The list of all ranks of a node.
fn whole(list: &CpuList) -> Vec<CpusetId> {
    list.iter().collect()
}

/// The one list that every node's list is the beginning of.
fn common<'j>(job: &'j Job<'_>) -> Result<&'j CpuList, Unsaid> {
    job.lists.common().map_err(|number| {
        Unsaid(format!(
            "the ranks of node {} have other cpus than those of other nodes, and there is one list for all",
            job.nodes.name(number)
        ))
    })
}

/// The first comment.
fn comment(dialect: &str, job: &Job<'_>, says: &str, trusts: &str) -> String {
    let (ranks, nodes) = (job.ranks(), job.nodes.len());
    let bound = if job.lists.rows.is_empty() {
        ", nobody bound"
    } else if job.lists.unbound_on.is_some() {
        ", unbound ranks as all cpus of their node"
    } else {
        ""
    };
    format!(
        "# stowplan export {dialect}: says {ranks} ranks on {nodes} nodes, {says}{bound}; trusts {trusts}"
    )
}

/// The comment of a dialect that says nothing of cpus.
fn comment_without_cpus(dialect: &str, job: &Job<'_>, says: &str, trusts: &str) -> String {
    let (ranks, nodes) = (job.ranks(), job.nodes.len());
    format!(
        "# stowplan export {dialect}: says {ranks} ranks on {nodes} nodes, {says}, no cpus; trusts {trusts}"
    )
}
