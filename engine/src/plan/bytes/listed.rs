//! Listed ranks in bytes: each process of each node once.

use super::wire::{BadPlan, Reader, Writer};
use crate::plan::placed::{ListedRun, PlacedRun, listed_by_node};
use bitvec::vec::BitVec;

/// Processes for each listed run up to which all are marked, a bit each: memory goes with the bytes read.
const MARKED: u64 = 64;

pub(super) fn write(writer: &mut Writer, listed: &[ListedRun]) {
    writer.size(listed.len());
    writer.column_of(listed.len(), |at| listed[at].rank);
    writer.column_of(listed.len(), |at| listed[at].node);
    writer.column_of(listed.len(), |at| listed[at].local);
}

/// Listed ranks: ascending, each process of each node once. `own`: the processes of the runs.
///
/// Cost: the entries; memory in proportion to them.
pub(super) fn read(
    reader: &mut Reader<'_>,
    runs: &[PlacedRun],
    own: u64,
) -> Result<Vec<ListedRun>, BadPlan> {
    let rows = reader.rows()?;
    let none = ListedRun {
        rank: 0,
        node: 0,
        local: 0,
    };
    let mut listed = vec![none; rows];
    reader.column_into(&mut listed, |entry| &mut entry.rank)?;
    reader.column_into(&mut listed, |entry| &mut entry.node)?;
    reader.column_into(&mut listed, |entry| &mut entry.local)?;
    let starts = listed.first().is_none_or(|first| first.rank == 0);
    let ascends = listed.is_sorted_by(|a, b| a.rank < b.rank);
    let ends = listed.last().is_none_or(|last| u64::from(last.rank) < own);
    reader.ensure(|| starts && ascends && ends, "listed ranks in order")?;
    let mut of_nodes: Vec<&PlacedRun> = runs.iter().collect();
    of_nodes.sort_unstable_by_key(|run| run.nodes.first);
    let list = List {
        listed: &listed,
        of_nodes,
        own,
    };
    let expected = "each process of each node among the listed ranks once";
    if own <= MARKED * rows as u64 {
        reader.ensure(|| list.is_whole_marked(), expected)?;
    } else {
        reader.ensure(|| list.is_whole_in_order(), expected)?;
    }
    Ok(listed)
}

/// A list in ascending order of ranks, and what it has to name.
struct List<'l> {
    listed: &'l [ListedRun],
    /// Runs by ascending node.
    of_nodes: Vec<&'l PlacedRun>,
    own: u64,
}

impl List<'_> {
    /// The process behind the last of an entry.
    fn end(&self, at: usize) -> u64 {
        let entry = self.listed[at];
        let next = self.listed.get(at + 1);
        let behind = next.map_or(self.own, |next| u64::from(next.rank));
        u64::from(entry.local) + behind - u64::from(entry.rank)
    }

    /// Whether no process is named twice: then none is missing, as there are as many ranks.
    fn is_whole_marked(&self) -> bool {
        let sums = self.of_nodes.iter().scan(0_u64, |sum, run| {
            let before = *sum;
            *sum += u64::from(run.nodes.count) * u64::from(run.procs);
            Some(before)
        });
        let before: Vec<u64> = sums.collect();
        let place = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        let mut named: BitVec<u64> = BitVec::repeat(false, place(self.own));
        let mut row = 0;
        self.listed.iter().enumerate().all(|(at, entry)| {
            let holds = |run: &&PlacedRun| (run.nodes.first..run.nodes.end()).contains(&entry.node);
            if !self.of_nodes.get(row).is_some_and(holds) {
                let behind = self
                    .of_nodes
                    .partition_point(|run| run.nodes.first <= entry.node);
                row = behind.saturating_sub(1);
            }
            let Some(run) = self.of_nodes.get(row).copied().filter(holds) else {
                return false;
            };
            let end = self.end(at);
            if end > u64::from(run.procs) {
                return false;
            }
            let node = u64::from(entry.node - run.nodes.first);
            let start = before[row] + node * u64::from(run.procs);
            let first = place(start + u64::from(entry.local));
            let behind = place(start + end);
            if behind == first + 1 {
                return !named.replace(first, true);
            }
            let fresh = named[first..behind].not_any();
            named[first..behind].fill(true);
            fresh
        })
    }

    /// Whether the entries of each node follow each other from its first process to its last.
    fn is_whole_in_order(&self) -> bool {
        let listed = |at: u32| self.listed[at as usize];
        let by_node = listed_by_node(self.listed);
        let mut dealt = by_node.chunk_by(|&a, &b| listed(a).node == listed(b).node);
        let nodes = self.of_nodes.iter();
        let mut nodes = nodes.flat_map(|run| {
            (run.nodes.first..run.nodes.end()).map(|node| (node, u64::from(run.procs)))
        });
        let whole = nodes.all(|(node, procs)| {
            let mut next = 0;
            let own = dealt.next().unwrap_or_default();
            let follows = own.iter().all(|&at| {
                let follows = listed(at).node == node && u64::from(listed(at).local) == next;
                next = self.end(at as usize);
                follows
            });
            follows && next == procs
        });
        whole && dealt.next().is_none()
    }
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
        fn both_ways_find_the_same(
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
            let list = List { listed: &listed, of_nodes: vec![&runs[1], &runs[0]], own: 8 };
            prop_assert_eq!(list.is_whole_marked(), list.is_whole_in_order());
            prop_assert_eq!(list.is_whole_marked(), listed == sound);
        }
    }
}
