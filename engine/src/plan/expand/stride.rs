//! Neighbouring turns of one node, written in strides of equal width: a loop without a remainder, over all columns at once.
//!
//! The last stride writes beyond the node's rows, what comes next writes there again. So a run of a few ranks costs some dozen
//! instructions and one branch that a processor may guess wrongly.

use super::super::places::{KindBits, Packed};
use super::super::profile::Turns;
use super::super::row;
use super::Columns;
use super::group::{Got, Group};

/// Rows of a stride: a cache line of a column.
pub(super) const WIDE: usize = 16;

/// Who stands in each row of a stride: row of the pool, local and node rank of the app's first process there.
#[derive(Default)]
pub(super) struct Lanes {
    pub(super) node: [u32; WIDE],
    pub(super) own: [u32; WIDE],
    pub(super) used: [u32; WIDE],
}

/// Writes `rows` turns of a node, from one of its turns on, from row `at` on. False, and nothing is written: there is no room for
/// whole strides, or what the turns get does not stand written out that far.
pub(super) fn write(
    out: &mut Columns<'_>,
    (at, rows): (usize, usize),
    group: &Group<'_>,
    (node, turn): (u32, u32),
) -> bool {
    let strided = at..at + rows.next_multiple_of(WIDE);
    let Got::Written(places) = group.got else {
        return false;
    };
    let from = turn as usize;
    let Some(places) = places.get(from..from + strided.len()) else {
        return false;
    };
    if strided.end > out.len() {
        return false;
    }
    let out = out.some(strided);
    let lanes = Lanes {
        node: [group.nodes.first + node; WIDE],
        own: [group.nodes.own_before; WIDE],
        used: [group.nodes.used_before; WIDE],
    };
    match group.turns {
        Turns::From(first, _) => neighbours(out, (&lanes, group.kind), first + turn, places),
        Turns::Listed(locals) => listed(
            out,
            (&lanes, group.kind),
            &locals[from..from + rows],
            places,
        ),
        Turns::Asked { .. } => return false,
    }
    true
}

/// Processes that follow each other.
fn neighbours(out: Columns<'_>, (lanes, kind): (&Lanes, KindBits), first: u32, places: &[Packed]) {
    let mut locals = std::array::from_fn(|lane| first.wrapping_add(row(lane)));
    for (stride, places) in strides(out).zip(places.as_chunks().0) {
        stride.fill(lanes, kind, &locals, places);
        for local in &mut locals {
            *local = local.wrapping_add(row(WIDE));
        }
    }
}

/// Processes in an order of their own.
fn listed(out: Columns<'_>, (lanes, kind): (&Lanes, KindBits), locals: &[u32], places: &[Packed]) {
    let (whole, rest) = locals.as_chunks();
    let mut last = [0; WIDE];
    last[..rest.len()].copy_from_slice(rest);
    let locals = whole.iter().chain(std::iter::once(&last));
    for ((stride, locals), places) in strides(out).zip(locals).zip(places.as_chunks().0) {
        stride.fill(lanes, kind, locals, places);
    }
}

/// Some rows of every column.
pub(super) struct Stride<'c> {
    node: &'c mut [u32; WIDE],
    local_rank: &'c mut [u32; WIDE],
    node_rank: &'c mut [u32; WIDE],
    object: &'c mut [u32; WIDE],
    cpus: &'c mut [u32; WIDE],
}

/// The whole strides of some rows.
pub(super) fn strides(out: Columns<'_>) -> impl Iterator<Item = Stride<'_>> {
    let ranks = { out.local_rank.as_chunks_mut().0 }
        .iter_mut()
        .zip(out.node_rank.as_chunks_mut().0);
    let places = { out.object.as_chunks_mut().0 }
        .iter_mut()
        .zip(out.cpus.as_chunks_mut().0);
    let rows = out.node.as_chunks_mut().0.iter_mut().zip(ranks).zip(places);
    rows.map(|((node, (local_rank, node_rank)), (object, cpus))| Stride {
        node,
        local_rank,
        node_rank,
        object,
        cpus,
    })
}

impl Stride<'_> {
    /// Writes the processes `locals` of the lanes' nodes, and what these get. Without branches, four rows at a time.
    #[inline]
    pub(super) fn fill(
        self,
        lanes: &Lanes,
        kind: KindBits,
        locals: &[u32; WIDE],
        places: &[Packed; WIDE],
    ) {
        *self.node = lanes.node;
        sums(self.local_rank, &lanes.own, locals);
        sums(self.node_rank, &lanes.used, locals);
        objects(self.object, kind, places);
        cpus(self.cpus, places);
    }
}

// One column at a time, each in a function that knows it to be no other's: else the compiler writes one row at a time.

#[inline]
fn sums(out: &mut [u32; WIDE], first: &[u32; WIDE], locals: &[u32; WIDE]) {
    for ((out, first), local) in out.iter_mut().zip(first).zip(locals) {
        *out = first.wrapping_add(*local);
    }
}

#[inline]
fn objects(out: &mut [u32; WIDE], kind: KindBits, places: &[Packed; WIDE]) {
    for (out, &packed) in out.iter_mut().zip(places) {
        *out = kind.object(packed);
    }
}

#[inline]
fn cpus(out: &mut [u32; WIDE], places: &[Packed; WIDE]) {
    for (out, packed) in out.iter_mut().zip(places) {
        *out = packed.cpus;
    }
}
