//! Rows of nodes behind each other that have the same turns: one node's rows again and again.

use super::super::places::{KindBits, Packed, visit};
use super::super::profile::Turns;
use super::super::stretches::Nodes;
use super::super::{Plan, row};
use super::{Columns, stride};
use crate::table::patterns::PatternId;

/// Rows that are copied at once: they stay in the nearest cache.
const BLOCK: usize = 1 << 11;
/// Rows that are written one at a time: so few that it costs less than a loop for each column.
const SHORT: usize = 32;

/// Nodes behind each other, and what each has.
#[derive(Clone, Copy)]
pub(super) struct Group<'p> {
    /// The first of them, and what each held before.
    pub(super) nodes: Nodes,
    pub(super) kind: KindBits,
    /// Turns of a node, and which processes have them.
    pub(super) count: u32,
    pub(super) turns: Turns<'p>,
    pub(super) got: Got<'p>,
}

/// What the turns of a node get.
#[derive(Clone, Copy)]
pub(super) enum Got<'p> {
    /// Turn by turn, and whatever stands behind that.
    Written(&'p [Packed]),
    /// What a pattern says of their processes.
    Asked(PatternId),
}

/// Writes groups.
pub(super) struct Writer<'p> {
    pub(super) plan: &'p Plan,
    /// Scratch: turns that stand nowhere.
    pub(super) locals: &'p mut Vec<u32>,
}

impl Writer<'_> {
    /// From a row of the group on, `rows` rows, from row `at` of the table on.
    #[inline]
    pub(super) fn write(
        &mut self,
        group: &Group<'_>,
        first: u32,
        (out, at, rows): (&mut Columns<'_>, usize, usize),
    ) {
        let (node, turn) = (first / group.count, first % group.count);
        let count = group.count as usize;
        if rows <= SHORT
            && count.min(rows) <= SHORT / 4
            && few(group, (node, turn), out.some(at..at + rows))
        {
            return;
        }
        // The rows of one node: the last stride may write into what comes next.
        if turn as usize + rows <= count && stride::write(out, (at, rows), group, (node, turn)) {
            return;
        }
        self.nodes(group, (node, turn), out.some(at..at + rows));
    }

    /// From a turn of a node on, column by column.
    fn nodes(&mut self, group: &Group<'_>, (mut node, turn): (u32, u32), mut out: Columns<'_>) {
        let count = group.count as usize;
        if turn > 0 || out.len() < 2 * count {
            let rows = out.len().min(count - turn as usize);
            self.node(group, (node, turn), out.take(rows));
            node += 1;
        }
        if out.len() == 0 {
            return;
        }
        let first = count.min(out.len());
        self.node(group, (node, 0), out.some(0..first));
        each_again(out.node, group.nodes.first + node, count);
        for column in [out.local_rank, out.node_rank, out.object, out.cpus] {
            again(column, first);
        }
    }

    /// Neighbouring turns of one node.
    fn node(&mut self, group: &Group<'_>, (node, turn): (u32, u32), out: Columns<'_>) {
        out.node.fill(group.nodes.first + node);
        let rows = turn..turn + row(out.node.len());
        let turns = group.turns.some(rows.clone(), self.locals);
        let (own, used) = (group.nodes.own_before, group.nodes.used_before);
        match turns {
            Turns::From(local, _) => {
                count_up(out.local_rank, own + local);
                count_up(out.node_rank, used + local);
            }
            Turns::Listed(locals) => {
                let ranks = out.local_rank.iter_mut().zip(out.node_rank);
                for ((local_rank, node_rank), &local) in ranks.zip(locals) {
                    (*local_rank, *node_rank) = (own + local, used + local);
                }
            }
            Turns::Asked { .. } => unreachable!("some turns are always told"),
        }
        let kind = group.kind;
        let columns = out.object.iter_mut().zip(&mut *out.cpus);
        match (group.got, turns) {
            (Got::Written(places), _) => {
                let places = &places[rows.start as usize..];
                for ((object, cpus), &place) in columns.zip(places) {
                    (*object, *cpus) = (kind.object(place), place.cpus);
                }
            }
            (Got::Asked(pattern), Turns::From(local, count)) => {
                let mut done = 0;
                visit(
                    self.plan.patterns.get(pattern),
                    local,
                    count,
                    |count, place| {
                        let end = done + count as usize;
                        out.object[done..end].fill(kind.object(place));
                        out.cpus[done..end].fill(place.cpus);
                        done = end;
                    },
                );
            }
            (Got::Asked(pattern), Turns::Listed(locals)) => {
                for ((object, cpus), &local) in columns.zip(locals) {
                    let place = self.plan.places.packed(pattern, local, &self.plan.patterns);
                    (*object, *cpus) = (kind.object(place), place.cpus);
                }
            }
            (Got::Asked(_), Turns::Asked { .. }) => unreachable!("some turns are always told"),
        }
    }
}

/// Few rows. False, and nothing is written: they do not stand written out.
fn few(group: &Group<'_>, (mut node, mut turn): (u32, u32), out: Columns<'_>) -> bool {
    let (Turns::From(first, _), Got::Written(places)) = (group.turns, group.got) else {
        return false;
    };
    let places = &places[..group.count as usize];
    let ranks = out.local_rank.iter_mut().zip(out.node_rank);
    let got = out.object.iter_mut().zip(out.cpus);
    for ((out, ranks), got) in out.node.iter_mut().zip(ranks).zip(got) {
        let (local, place) = (first + turn, places[turn as usize]);
        *out = group.nodes.first + node;
        *ranks.0 = group.nodes.own_before + local;
        *ranks.1 = group.nodes.used_before + local;
        (*got.0, *got.1) = (group.kind.object(place), place.cpus);
        turn += 1;
        if turn == group.count {
            (turn, node) = (0, node + 1);
        }
    }
    true
}

fn count_up(column: &mut [u32], from: u32) {
    for (value, number) in column.iter_mut().zip(from..) {
        *value = number;
    }
}

/// Repeats the first `count` values to the column's end.
fn again(column: &mut [u32], count: usize) {
    let mut done = count;
    while done < column.len() {
        // Whole rounds: what is copied ends where it began.
        let block = if done >= BLOCK {
            done.min(BLOCK.div_ceil(count) * count)
        } else {
            done
        };
        let rows = block.min(column.len() - done);
        column.copy_within(..rows, done);
        done += rows;
    }
}

/// `count` times each number from `first` on.
fn each_again(column: &mut [u32], first: u32, count: usize) {
    if count == 1 {
        count_up(column, first);
        return;
    }
    if count >= 64 {
        for (rows, node) in column.chunks_mut(count).zip(first..) {
            rows.fill(node);
        }
        return;
    }
    // Few rows a node: the first nodes, then these again with greater numbers.
    let nodes = 256_usize.div_ceil(count);
    let block = (nodes * count).min(column.len());
    let (done, rest) = column.split_at_mut(block);
    for (rows, node) in done.chunks_mut(count).zip(first..) {
        rows.fill(node);
    }
    for (rows, more) in rest.chunks_mut(block).zip((row(nodes)..).step_by(nodes)) {
        for (value, &node) in rows.iter_mut().zip(&*done) {
            *value = node + more;
        }
    }
}
