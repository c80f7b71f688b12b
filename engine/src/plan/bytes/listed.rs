//! Listed ranks in bytes: each process of each node once.

use super::frame::BadPlan;
use super::wire::{Reader, Writer};
use crate::plan::placed::{ListedRun, PlacedRun, listed_by_node};

/// Writes listed ranks as columns.
pub fn write(writer: &mut Writer, listed: &[ListedRun]) {
    writer.size(listed.len());
    writer.column(listed.iter().map(|run| run.rank));
    writer.column(listed.iter().map(|run| run.node));
    writer.column(listed.iter().map(|run| run.local));
}

/// Reads listed ranks and checks that they ascend and have each process of each node once. `own`: number of processes of the
/// runs.
///
/// Cost: the entries; memory in proportion to them.
pub fn read(
    reader: &mut Reader<'_>,
    runs: &[PlacedRun],
    own: u64,
) -> Result<Vec<ListedRun>, BadPlan> {
    let rows = reader.table()?.into_iter();
    let listed = rows.map(|[rank, node, local]| ListedRun { rank, node, local });
    let listed: Vec<ListedRun> = listed.collect();
    let starts = listed.first().is_none_or(|first| first.rank == 0);
    let ascends = listed.is_sorted_by(|a, b| a.rank < b.rank);
    let ends = listed.last().is_none_or(|last| u64::from(last.rank) < own);
    reader.ensure(|| starts && ascends && ends, "listed ranks in order")?;
    reader.ensure(
        || is_whole(&listed, runs, own),
        "each process of each node among the listed ranks once",
    )?;
    Ok(listed)
}

/// Whether the entries of each node cover its processes from the first to the last, each once.
pub fn is_whole(listed: &[ListedRun], runs: &[PlacedRun], own: u64) -> bool {
    let mut runs: Vec<&PlacedRun> = runs.iter().collect();
    runs.sort_unstable_by_key(|run| run.nodes.first);
    let by_node = listed_by_node(listed);
    let node = |at: u32| listed[at as usize].node;
    let mut dealt = by_node.chunk_by(|&a, &b| node(a) == node(b));
    let mut nodes = runs.iter().flat_map(|run| {
        (run.nodes.first..run.nodes.end()).map(|node| (node, u64::from(run.procs)))
    });
    let whole = nodes.all(|(node, procs)| {
        let mut next = 0;
        let entries = dealt.next().unwrap_or_default();
        let follow = entries.iter().all(|&at| {
            let entry = listed[at as usize];
            let behind = listed.get(at as usize + 1);
            let end = behind.map_or(own, |behind| u64::from(behind.rank));
            let follows = entry.node == node && u64::from(entry.local) == next;
            next += end - u64::from(entry.rank);
            follows
        });
        follow && next == procs
    });
    whole && dealt.next().is_none()
}
