//! Listed ranks in bytes: each process of each node once.

use super::frame::BadPlan;
use super::wire::{Reader, Writer};
use crate::plan::placed::{ListedRun, PlacedRun, listed_by_node};

pub(super) fn write(writer: &mut Writer, listed: &[ListedRun]) {
    writer.size(listed.len());
    writer.column(listed.iter().map(|run| run.rank));
    writer.column(listed.iter().map(|run| run.node));
    writer.column(listed.iter().map(|run| run.local));
}

/// Reads listed ranks and checks that they ascend and have each process of each node once. `own`: number of processes of the
/// runs.
///
/// Cost: the entries; memory in proportion to them.
pub(super) fn read(
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
fn is_whole(listed: &[ListedRun], runs: &[PlacedRun], own: u64) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id as _;
    use crate::table::names::NodeRange;
    use crate::table::patterns::PatternId;
    use proptest::prelude::*;

    fn run(first: u32, count: u32, procs: u32) -> PlacedRun {
        PlacedRun {
            nodes: NodeRange { first, count },
            procs,
            pattern: PatternId::from_row(0),
            kind: None,
            own_before: 0,
            used_before: 0,
        }
    }

    proptest! {
        /// Two nodes of three, one of two: entries of one or two processes, now and then in a wrong place.
        #[test]
        fn a_list_is_whole_as_long_as_nothing_is_in_a_wrong_place(
            order in Just(vec![(4, 0, 2), (4, 2, 1), (5, 0, 3), (1, 0, 1), (1, 1, 1)]).prop_shuffle(),
            wrong in prop::option::of((0_usize..5, 0_u32..7, 0_u32..4)),
        ) {
            let runs = [run(4, 2, 3), run(1, 1, 2)];
            let mut rank = 0;
            let mut listed: Vec<ListedRun> = Vec::new();
            for &(node, local, count) in &order {
                listed.push(ListedRun { rank, node, local });
                rank += count;
            }
            let sound = listed.clone();
            if let Some((at, node, local)) = wrong {
                (listed[at].node, listed[at].local) = (node, local);
            }
            prop_assert_eq!(is_whole(&listed, &runs, 8), listed == sound);
        }
    }
}
