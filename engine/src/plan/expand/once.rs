//! The same process of one node after the other: rows that differ by their node only, written four at a time.
//!
//! The last four may end beyond the rows that are meant, what comes next writes there again: so a run of a few nodes costs one
//! branch that a processor may guess wrongly.

use super::super::row;
use super::Columns;

/// Rows that are written at once: a register of numbers.
const WIDE: usize = 4;
/// Rows from which on each column is written by itself.
const LONG: usize = 64;

/// What one rank gets.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// Row of the pool.
    pub(super) node: u32,
    pub(super) local_rank: u32,
    pub(super) node_rank: u32,
    /// As the table has it.
    pub(super) object: u32,
    pub(super) cpus: u32,
}

/// Writes `rows` rows from row `at` on: the first of the nodes is that of `who`.
#[inline]
pub(super) fn write(out: &mut Columns<'_>, (at, rows): (usize, usize), who: Row) {
    let strips = at + rows.next_multiple_of(WIDE);
    if rows > LONG || strips > out.len() {
        columns(out.some(at..at + rows), who);
        return;
    }
    let out = out.some(at..strips);
    let mut nodes = [0, 1, 2, 3].map(|at| who.node.wrapping_add(at));
    let ranks = { out.local_rank.as_chunks_mut().0 }
        .iter_mut()
        .zip(out.node_rank.as_chunks_mut().0);
    let got = { out.object.as_chunks_mut().0 }
        .iter_mut()
        .zip(out.cpus.as_chunks_mut().0);
    for ((node, ranks), got) in out.node.as_chunks_mut().0.iter_mut().zip(ranks).zip(got) {
        *node = nodes;
        (*ranks.0, *ranks.1) = ([who.local_rank; WIDE], [who.node_rank; WIDE]);
        (*got.0, *got.1) = ([who.object; WIDE], [who.cpus; WIDE]);
        for node in &mut nodes {
            *node = node.wrapping_add(row(WIDE));
        }
    }
}

/// Column by column.
#[inline(never)]
fn columns(out: Columns<'_>, who: Row) {
    for (node, number) in out.node.iter_mut().zip(who.node..) {
        *node = number;
    }
    out.local_rank.fill(who.local_rank);
    out.node_rank.fill(who.node_rank);
    out.object.fill(who.object);
    out.cpus.fill(who.cpus);
}
