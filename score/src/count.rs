//! Counts the edges that leave each object, over columns of object numbers.
//!
//! Regular halos take a short cut (`regular.rs`), matrices are counted as they are read (`streamed.rs`); `score.rs` chooses.

use crate::column::{Column, Order, column};
use crate::members::Members;
use crate::memory::Columns;
use crate::numbers::Numbers;
use crate::pattern::{Halo, Meeting, Part, Pattern, Rows};
use crate::talks::{self, AppRanks, Talk};

/// The edges of named patterns that leave each object. Shape `[objects]`.
pub(crate) fn leaving<'c, 'p>(
    parts: impl IntoIterator<Item = &'p Part>,
    apps: &[AppRanks],
    numbers: &Numbers,
    orders: &[Order<'_>],
    Columns { of_rank, out }: &'c mut Columns,
) -> &'c [u64] {
    let objects = column(numbers, orders, of_rank);
    out.clear();
    out.resize(objects.count as usize, 0);
    for part in parts {
        add(part, apps, objects, out);
    }
    out
}

/// Adds the edges that leave each object to its sum. `out`: shape `[objects]`.
///
/// A matrix adds nothing, because it is streamed. Cost: the ranks; for halos, times half the offsets.
pub(crate) fn add(part: &Part, apps: &[AppRanks], objects: Column<'_>, out: &mut [u64]) {
    let of_rank = objects.of_rank;
    let mut members = Members::default();
    // The edges of a halo are counted by rank first: both ends of many are compared at once. A rank has fewer than 2^16.
    let mut leaving: Vec<u16> = Vec::new();
    let mut crossing = [0; STRETCH];
    talks::each(part, apps, &mut |talk| match talk {
        Talk::Rows(rows) => {
            leaving.resize(of_rank.len(), 0);
            add_rows(rows, of_rank, &mut leaving, &mut crossing);
        }
        Talk::Edge(a, b) => {
            let (a, b) = (of_rank[a] as usize, of_rank[b] as usize);
            if a != b {
                out[a] += 1;
                out[b] += 1;
            }
        }
        Talk::Group(group) => {
            let all = group.count as u64;
            for &(object, own) in members.of(objects.count, group.of(of_rank)) {
                out[object as usize] += own * (all - own);
            }
        }
        Talk::Sides(a, b) => {
            let of_a = members.of(objects.count, a.of(of_rank)).to_vec();
            let of_b = members.of(objects.count, b.of(of_rank));
            for &(object, own) in &of_a {
                out[object as usize] += own * b.count as u64;
            }
            for &(object, own) in of_b {
                let same = of_a.binary_search_by_key(&object, |other| other.0);
                let same = same.map_or(0, |at| of_a[at].1);
                // Of edges inside an object, both ends are taken back.
                out[object as usize] += own * a.count as u64;
                out[object as usize] -= 2 * own * same;
            }
        }
    });
    add_degrees(&leaving, of_rank, out);
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

/// Gaps of up to 1/`GAPS` of a row are counted too and subtracted again, because long stretches are compared faster.
const GAPS: usize = 4;
/// How many ranks of a stretch are compared at once.
const STRETCH: usize = 2048;

/// Counts the edges that leave, at both ends. `crossing`: memory that is reused.
fn add_rows(rows: Rows, own: &[u32], leaving: &mut [u16], crossing: &mut [u16; STRETCH]) {
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
                *crossing = u16::from(a != b);
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
            let crossing = u16::from(own[from + gap] != own[to + gap]);
            leaving[from + gap] -= crossing;
            leaving[to + gap] -= crossing;
        }
    }
}

/// Neighbours in rank order are often in one object, so this many are looked at together.
const ALIKE: usize = 8;

fn add_degrees(leaving: &[u16], own: &[u32], out: &mut [u64]) {
    let (objects, rest) = own.as_chunks::<ALIKE>();
    let (counts, counts_rest) = leaving.as_chunks::<ALIKE>();
    for (objects, counts) in objects.iter().zip(counts) {
        if objects.iter().all(|&object| object == objects[0]) {
            let sum: u64 = counts.iter().map(|&count| u64::from(count)).sum();
            out[objects[0] as usize] += sum;
        } else {
            for (&object, &count) in objects.iter().zip(counts) {
                out[object as usize] += u64::from(count);
            }
        }
    }
    for (&object, &count) in rest.iter().zip(counts_rest) {
        out[object as usize] += u64::from(count);
    }
}
