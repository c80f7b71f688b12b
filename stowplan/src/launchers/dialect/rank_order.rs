//! Cray MPICH's file of ranks: a line of ranks for each node.

use super::comment_without_cpus;
use crate::launchers::job::{Job, Unsaid};
use crate::launchers::text::Text;
use std::fmt::{self, Write};
use stowplan_engine::count::counted;

pub(crate) fn export<'p>(job: &'p Job<'p>) -> Result<Text<'p>, Unsaid> {
    equal(job)?;
    let says = "which ranks are on which node";
    let trusts = "that the launcher goes over the same nodes in the plan's order, and binds";
    Ok(Text {
        comments: vec![
            comment_without_cpus("rank-order", job, says, trusts),
            "# MPICH_RANK_REORDER_METHOD=3, and MPICH_RANK_REORDER_FILE names this file".to_owned(),
        ],
        body: Box::new(|out| write(job, out)),
    })
}

/// The number of ranks on each node, if it is the same on all.
pub(super) fn equal(job: &Job<'_>) -> Result<u32, Unsaid> {
    let groups = &job.lists.groups;
    let ranks = groups.first().map_or(0, |group| group.ranks);
    match groups.iter().find(|group| group.ranks != ranks) {
        None => Ok(ranks),
        Some(other) => Err(Unsaid(format!(
            "node {} has {} and node {} has {ranks}, and a file of ranks takes equal counts",
            job.nodes.name(other.first),
            counted(other.ranks, "rank"),
            job.nodes.name(0)
        ))),
    }
}

/// Writes the lines.
pub(super) fn write(job: &Job<'_>, out: &mut dyn Write) -> fmt::Result {
    for number in 0..job.nodes.len() {
        let mut ranks = job.ranks_on(number).into_iter();
        if let Some(first) = ranks.next() {
            write!(out, "{first}")?;
        }
        ranks.try_for_each(|rank| write!(out, ",{rank}"))?;
        writeln!(out)?;
    }
    Ok(())
}
