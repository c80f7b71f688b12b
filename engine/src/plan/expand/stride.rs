//! Neighbouring turns of one node, written in strides of equal width: a loop without a remainder, over all columns at once.
//!
//! The last stride writes beyond the node's rows, what comes next writes there again. So a run of a few ranks costs some dozen
//! instructions and one branch that a processor may guess wrongly.

use super::super::places::{KindBits, Packed};
use super::super::profile::Turns;
use super::super::row;
use super::Columns;
use super::group::{Got, Group};

/// Rows of a stride: half a cache line of a column. Twice as many write a tenth more than is wanted where nodes have some thirty.
const WIDE: usize = 8;

/// Whose rows: row of the pool, local and node rank of the app's first process there, the kind of what its processes get.
#[derive(Clone, Copy)]
struct Owner {
    node: u32,
    own: u32,
    used: u32,
    kind: KindBits,
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
    let owner = Owner {
        node: group.nodes.first + node,
        own: group.nodes.own_before,
        used: group.nodes.used_before,
        kind: group.kind,
    };
    match group.turns {
        Turns::From(first, _) => neighbours(out, owner, first + turn, places),
        Turns::Listed(locals) => listed(out, owner, &locals[from..from + rows], places),
        Turns::Asked { .. } => return false,
    }
    true
}

/// Processes that follow each other.
fn neighbours(out: Columns<'_>, owner: Owner, first: u32, places: &[Packed]) {
    let mut locals = std::array::from_fn(|lane| first.wrapping_add(row(lane)));
    for (stride, places) in strides(out).zip(places.as_chunks().0) {
        stride.fill(owner, &locals, places);
        for local in &mut locals {
            *local = local.wrapping_add(row(WIDE));
        }
    }
}

/// Processes in an order of their own.
fn listed(out: Columns<'_>, owner: Owner, locals: &[u32], places: &[Packed]) {
    let (whole, rest) = locals.as_chunks();
    let mut last = [0; WIDE];
    last[..rest.len()].copy_from_slice(rest);
    let locals = whole.iter().chain(std::iter::once(&last));
    for ((stride, locals), places) in strides(out).zip(locals).zip(places.as_chunks().0) {
        stride.fill(owner, locals, places);
    }
}

/// Some rows of every column.
struct Stride<'c> {
    node: &'c mut [u32; WIDE],
    local_rank: &'c mut [u32; WIDE],
    node_rank: &'c mut [u32; WIDE],
    object: &'c mut [u32; WIDE],
    cpus: &'c mut [u32; WIDE],
}

/// The whole strides of some rows.
fn strides(out: Columns<'_>) -> impl Iterator<Item = Stride<'_>> {
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
    /// Writes the processes `locals` of a node, and what these get. Without branches, four rows at a time.
    #[inline]
    fn fill(self, owner: Owner, locals: &[u32; WIDE], places: &[Packed; WIDE]) {
        *self.node = [owner.node; WIDE];
        sums(self.local_rank, owner.own, locals);
        sums(self.node_rank, owner.used, locals);
        objects(self.object, owner.kind, places);
        cpus(self.cpus, places);
    }
}

// One column at a time, each in a function that knows it to be no other's: else the compiler writes one row at a time.

#[inline]
fn sums(out: &mut [u32; WIDE], first: u32, locals: &[u32; WIDE]) {
    for (out, local) in out.iter_mut().zip(locals) {
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
