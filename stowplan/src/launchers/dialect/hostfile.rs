//! Hosts with slots, as each launcher reads them.

use super::comment_without_cpus;
use super::hydra::dealt_by_slots;
use super::rank_order::equal;
use crate::launchers::job::{Job, Unsaid};
use crate::launchers::nodes::RankNodes;
use crate::launchers::reader::Reader;
use crate::launchers::text::Text;
use std::fmt;

/// A line of a hostfile as PRRTE and Open MPI read it: the name as it was written, the slots, and how to log in.
pub(super) fn write_line(
    nodes: &RankNodes<'_>,
    node: u32,
    slots: u32,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let said = nodes.written(node);
    if !said.user.is_empty() {
        write!(out, "{}@", said.user)?;
    }
    write!(out, "{} slots={slots}", nodes.name(node))?;
    if !said.port.is_empty() {
        write!(out, " port={}", said.port)?;
    }
    writeln!(out)
}

pub(crate) fn export<'p>(job: &'p Job<'p>, reader: Reader) -> Result<Text<'p>, Unsaid> {
    match reader {
        Reader::Own | Reader::Prte | Reader::Ompi | Reader::Ompi4 => slots(job),
        Reader::Hydra => hydra(job),
        Reader::Intel => Ok(runs(
            job,
            "that mpiexec.hydra of Intel MPI reads it with -machinefile",
            |name, count| format!("{name}:{count}"),
        )),
        Reader::Slurm => Ok(runs(
            job,
            "that SLURM_HOSTFILE is its path, with a slash, and srun has -m arbitrary",
            |name, count| match count {
                1 => name.to_owned(),
                _ => format!("{name}*{count}"),
            },
        )),
        // Flux, and who reads PBS_NODEFILE, take every line for the name of a host.
        Reader::Flux | Reader::Pbs => Ok(Text {
            comments: Vec::new(),
            ..runs(job, "", lines)
        }),
        Reader::Pals => pals(job),
    }
}

/// A line for each rank.
fn lines(name: &str, count: u32) -> String {
    vec![name; count as usize].join("\n")
}

/// A line for each run of ranks on a host, in rank order: hosts may come again.
fn runs<'p>(job: &'p Job<'p>, trusts: &str, line: fn(&str, u32) -> String) -> Text<'p> {
    Text {
        comments: vec![comment_without_cpus("hostfile", job, "their order", trusts)],
        body: Box::new(move |out| {
            job.runs(&mut |node, count| writeln!(out, "{}", line(&job.nodes.name(node), count)))
        }),
    }
}

/// `a slots=2`.
fn slots<'p>(job: &'p Job<'p>) -> Result<Text<'p>, Unsaid> {
    let blocks = blocks(job)?;
    let says = "how many on each";
    let trusts = "that the launcher fills hosts in this order, and binds";
    Ok(Text {
        comments: vec![comment_without_cpus("hostfile", job, says, trusts)],
        body: Box::new(move |out| {
            blocks
                .iter()
                .try_for_each(|&(node, count)| write_line(&job.nodes, node, count, out))
        }),
    })
}

/// `a:2`: Hydra deals ranks over slots, round by round.
fn hydra<'p>(job: &'p Job<'p>) -> Result<Text<'p>, Unsaid> {
    let slots = dealt_by_slots(job).ok_or_else(|| {
        Unsaid(
            "ranks do not go round the hosts by slots, and Hydra deals them so without a rank map"
                .to_owned(),
        )
    })?;
    let trusts = "that mpiexec.hydra of MPICH reads it with -f, and binds";
    Ok(Text {
        comments: vec![comment_without_cpus("hostfile", job, "their order", trusts)],
        body: Box::new(move |out| {
            slots
                .iter()
                .try_for_each(|&(node, count)| writeln!(out, "{}:{count}", job.nodes.name(node)))
        }),
    })
}

/// A host a line, with equal counts.
fn pals<'p>(job: &'p Job<'p>) -> Result<Text<'p>, Unsaid> {
    let blocks = blocks(job)?;
    let count = equal(job)?;
    let trusts = format!("that mpiexec has --hostfile FILE --ppn {count}, and binds");
    let first = comment_without_cpus("hostfile", job, "how many on each", &trusts);
    Ok(Text {
        comments: vec![first],
        body: Box::new(move |out| {
            blocks
                .iter()
                .try_for_each(|&(node, _)| writeln!(out, "{}", job.nodes.name(node)))
        }),
    })
}

fn blocks(job: &Job<'_>) -> Result<Vec<(u32, u32)>, Unsaid> {
    job.blocks().map_err(|(rank, node)| {
        Unsaid(format!(
            "rank {rank} comes back to node {}, and a list of slots is filled node by node",
            job.nodes.name(node)
        ))
    })
}
