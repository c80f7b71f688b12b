//! Counts the edges that leave each object, over columns of object numbers.
//!
//! Regular halos take a short cut (`regular.rs`), matrices are counted as they are read (`streamed.rs`); `score.rs` chooses.

use crate::column::{Column, NARROW, Number, Order, column};
use crate::memory::Columns;
use crate::numbers::Numbers;
use crate::pattern::{Halo, Meeting, Part, Pattern, Rows};
use std::ops::{AddAssign, Range, SubAssign};

/// Ranks of an app.
pub(crate) type AppRanks = Range<usize>;

/// The edges of named patterns that leave each object. Shape `[objects]`.
pub(crate) fn leaving<'c>(
    parts: &[Part],
    apps: &[AppRanks],
    numbers: &Numbers,
    orders: &[Order<'_>],
    columns: &'c mut Columns,
) -> &'c [u64] {
    let out = &mut columns.out;
    if numbers.count <= NARROW {
        leaving_in(
            parts,
            apps,
            column(numbers, orders, &mut columns.narrow),
            out,
        );
    } else {
        leaving_in(parts, apps, column(numbers, orders, &mut columns.wide), out);
    }
    out
}

fn leaving_in<T: Number>(
    parts: &[Part],
    apps: &[AppRanks],
    objects: Column<'_, T>,
    out: &mut Vec<u64>,
) {
    out.clear();
    out.resize(objects.count as usize, 0);
    for part in parts {
        add(part, apps, objects, out);
    }
}

/// Adds the edges that leave each object to its sum. `out`: shape `[objects]`.
///
/// A matrix adds nothing, because it is streamed. Cost: the ranks; for halos, times half the offsets.
pub(crate) fn add<T: Number>(
    part: &Part,
    apps: &[AppRanks],
    objects: Column<'_, T>,
    out: &mut [u64],
) {
    let ranks = apps[part.app as usize].clone();
    let own = &objects.of_rank[ranks];
    match &part.pattern {
        Pattern::Halo(halo) => add_halo(halo, own, out),
        Pattern::Ring => {
            if !own.is_empty() {
                add_halo(&Halo::ring(u32::try_from(own.len()).unwrap_or(0)), own, out);
            }
        }
        Pattern::Pairs => {
            for pair in own.chunks_exact(2) {
                both(pair[0], pair[1], out);
            }
        }
        Pattern::Alltoall(group) => {
            let size = group.map_or(own.len(), |group| group as usize).max(1);
            let mut members = Members::new(objects.count);
            for group in own.chunks(size) {
                members.add_group(group.iter().copied(), group.len(), out);
            }
        }
        Pattern::Transpose { rows, columns } => {
            let (rows, columns) = (*rows as usize, *columns as usize);
            let mut members = Members::new(objects.count);
            for group in own.chunks(columns) {
                members.add_group(group.iter().copied(), columns, out);
            }
            for column in 0..columns {
                let group = own[column..].iter().copied().step_by(columns);
                members.add_group(group, rows, out);
            }
        }
        Pattern::Tree(children) => {
            for (rank, &object) in own.iter().enumerate().skip(1) {
                both(object, own[(rank - 1) / *children as usize], out);
            }
        }
        Pattern::Between { a, b, meeting } => {
            let side = |app: u32| &objects.of_rank[apps[app as usize].clone()];
            add_between(side(*a), side(*b), *meeting, objects.count, out);
        }
        Pattern::File(_) => {}
    }
}

/// How many edges a pattern has, both directions counted.
pub(crate) fn edges(part: &Part, apps: &[AppRanks]) -> u64 {
    let procs = apps[part.app as usize].len() as u64;
    let group = |size: u64| size * size.saturating_sub(1);
    match &part.pattern {
        Pattern::Halo(halo) => halo.edges(),
        Pattern::Ring if procs == 0 => 0,
        Pattern::Ring => Halo::ring(u32::try_from(procs).unwrap_or(0)).edges(),
        Pattern::Pairs => procs / 2 * 2,
        Pattern::Alltoall(None) => group(procs),
        Pattern::Alltoall(Some(size)) => {
            let size = u64::from(*size);
            procs / size * group(size) + group(procs % size)
        }
        Pattern::Transpose { rows, columns } => {
            let (rows, columns) = (u64::from(*rows), u64::from(*columns));
            rows * group(columns) + columns * group(rows)
        }
        Pattern::Tree(_) => 2 * procs.saturating_sub(1),
        Pattern::Between { a, b, meeting } => {
            let (a, b) = (
                apps[*a as usize].len() as u64,
                apps[*b as usize].len() as u64,
            );
            match meeting {
                Meeting::Block if a.min(b) == 0 => 0,
                Meeting::Block => 2 * a.max(b),
                Meeting::All => 2 * a * b,
            }
        }
        Pattern::File(_) => 0,
    }
}

/// Adds an edge in each direction.
fn both<T: Number>(a: T, b: T, out: &mut [u64]) {
    if a != b {
        out[a.row()] += 1;
        out[b.row()] += 1;
    }
}

/// How many ranks have their edges counted together. These ranks and their neighbours stay in a near cache.
const TOGETHER: usize = 1 << 13;

/// Adds the edges of a halo over these ranks that leave each object.
pub(crate) fn add_halo<T: Number>(halo: &Halo, own: &[T], out: &mut [u64]) {
    // The number of edges that leave a rank fits a byte, except for halos of many hops.
    if halo.offsets.len() < usize::from(u8::MAX) {
        add_planes::<T, u8>(halo, own, out);
    } else {
        add_planes::<T, u32>(halo, own, out);
    }
}

/// Takes some planes of the grid at a time and counts how many edges of each rank leave its object; then sums these over
/// objects. Each edge is looked at once, and counted at both its ends.
fn add_planes<T, D>(halo: &Halo, own: &[T], out: &mut [u64])
where
    T: Number,
    D: Copy + Default + From<bool> + AddAssign + SubAssign + Into<u64>,
{
    let planes = halo.grid.sizes[0];
    let plane = own.len() / planes as usize;
    let step = u32::try_from((TOGETHER / plane.max(1)).max(1)).unwrap_or(1);
    let mut leaving = vec![D::default(); own.len()];
    let mut crossing = [D::default(); STRETCH];
    for first in (0..planes).step_by(step as usize) {
        let end = planes.min(first.saturating_add(step));
        halo.pairs_of(first..end, &mut |rows| {
            add_rows(rows, own, &mut leaving, &mut crossing);
        });
    }
    add_degrees(&leaving, own, out);
}

/// Gaps of up to 1/`GAPS` of a row are counted too and subtracted again, because long stretches are compared faster.
const GAPS: usize = 4;
/// How many ranks of a stretch are compared at once.
const STRETCH: usize = 2048;

/// Counts the edges that leave, at both ends. `crossing`: memory that is reused.
fn add_rows<T, D>(rows: Rows, own: &[T], leaving: &mut [D], crossing: &mut [D; STRETCH])
where
    T: Number,
    D: Copy + From<bool> + AddAssign + SubAssign,
{
    if rows.rows == 0 {
        return;
    }
    let mut add = |from: usize, to: usize, count: usize| {
        for first in (0..count).step_by(STRETCH) {
            let length = STRETCH.min(count - first);
            let (from, to) = (from + first, to + first);
            let crossing = &mut crossing[..length];
            let ends = own[from..][..length].iter().zip(&own[to..][..length]);
            for (crossing, (a, b)) in crossing.iter_mut().zip(ends) {
                *crossing = D::from(a != b);
            }
            for at in [from, to] {
                for (leaving, crossing) in leaving[at..][..length].iter_mut().zip(&*crossing) {
                    *leaving += *crossing;
                }
            }
        }
    };
    if rows.rows == 1 || (rows.pitch - rows.count) * GAPS > rows.count {
        for (from, to, count) in rows.each() {
            add(from, to, count);
        }
        return;
    }
    add(
        rows.from,
        rows.to,
        (rows.rows - 1) * rows.pitch + rows.count,
    );
    for (from, to, count) in rows.each().take(rows.rows - 1) {
        for gap in count..rows.pitch {
            let crossing = D::from(own[from + gap] != own[to + gap]);
            leaving[from + gap] -= crossing;
            leaving[to + gap] -= crossing;
        }
    }
}

/// Neighbours in rank order are often in one object, so this many are looked at together.
const ALIKE: usize = 8;

fn add_degrees<T: Number, D: Copy + Into<u64>>(leaving: &[D], own: &[T], out: &mut [u64]) {
    let (objects, rest) = own.as_chunks::<ALIKE>();
    let (counts, counts_rest) = leaving.as_chunks::<ALIKE>();
    for (objects, counts) in objects.iter().zip(counts) {
        if objects.iter().all(|&object| object == objects[0]) {
            let sum: u64 = counts.iter().map(|&count| count.into()).sum();
            out[objects[0].row()] += sum;
        } else {
            for (&object, &count) in objects.iter().zip(counts) {
                out[object.row()] += count.into();
            }
        }
    }
    for (&object, &count) in rest.iter().zip(counts_rest) {
        out[object.row()] += count.into();
    }
}

/// How many members of a group each object has. Shape of `count`: `[objects]`.
struct Members {
    count: Vec<u32>,
    /// The objects of a group, if the group has fewer members than there are objects.
    met: Vec<usize>,
}

impl Members {
    fn new(objects: u32) -> Self {
        Self {
            count: vec![0; objects as usize],
            met: Vec::new(),
        }
    }

    fn add<T: Number>(&mut self, group: impl Iterator<Item = T>) {
        for object in group {
            self.count[object.row()] += 1;
        }
    }

    fn meet<T: Number>(&mut self, group: impl Iterator<Item = T>) {
        for object in group {
            let object = object.row();
            let count = &mut self.count[object];
            if *count == 0 {
                self.met.push(object);
            }
            *count += 1;
        }
    }

    /// Adds the edges of a group in which all talk to each other.
    fn add_group<T: Number>(
        &mut self,
        group: impl Iterator<Item = T>,
        size: usize,
        out: &mut [u64],
    ) {
        let leaving = |members: u32| u64::from(members) * (size as u64 - u64::from(members));
        if size >= self.count.len() {
            self.add(group);
            for (members, out) in self.count.iter_mut().zip(out) {
                *out += leaving(std::mem::take(members));
            }
            return;
        }
        self.meet(group);
        for object in self.met.drain(..) {
            let members = std::mem::take(&mut self.count[object]);
            out[object] += leaving(members);
        }
    }
}

fn add_between<T: Number>(a: &[T], b: &[T], meeting: Meeting, objects: u32, out: &mut [u64]) {
    match meeting {
        Meeting::Block => {
            let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
            if few.is_empty() {
                return;
            }
            for (at, &object) in many.iter().enumerate() {
                let other = at as u128 * few.len() as u128 / many.len() as u128;
                both(object, few[usize::try_from(other).unwrap_or(0)], out);
            }
        }
        Meeting::All => {
            let (mut of_a, mut of_b) = (Members::new(objects), Members::new(objects));
            of_a.add(a.iter().copied());
            of_b.add(b.iter().copied());
            for ((of_a, of_b), out) in of_a.count.iter().zip(&of_b.count).zip(out) {
                let (of_a, of_b) = (u64::from(*of_a), u64::from(*of_b));
                *out += of_a * (b.len() as u64 - of_b) + of_b * (a.len() as u64 - of_a);
            }
        }
    }
}
