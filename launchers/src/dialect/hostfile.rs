//! Hosts with slots, for launchers that fill hosts block by block.

use super::comment_without_cpus;
use crate::job::{Job, Unsaid};
use crate::nodes::RankNodes;
use crate::text::Text;
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

pub(crate) fn export<'p>(job: &'p Job<'p>) -> Result<Text<'p>, Unsaid> {
    let blocks = job.blocks().map_err(|(rank, node)| {
        Unsaid(format!(
            "rank {rank} comes back to node {}, and a list of slots is filled node by node",
            job.nodes.name(node)
        ))
    })?;
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
