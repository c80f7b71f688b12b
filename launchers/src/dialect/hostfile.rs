//! Hosts with slots, for launchers that fill hosts block by block.

use super::comment_without_cpus;
use crate::job::{Job, Unsaid};
use crate::text::Text;

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
            blocks.iter().try_for_each(|&(node, count)| {
                writeln!(out, "{} slots={count}", job.nodes.name(node))
            })
        }),
    })
}
