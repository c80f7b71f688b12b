//! Edges between different objects, summed over pairs of objects where that costs nothing.
//!
//! Where ranks go node by node, an object is a range of ranks, and the edges of a halo are counted by arithmetic. Otherwise a pass
//! over the ranks looks at each edge; groups in which all talk to each other are counted by their members.

use crate::column::{Column, Order, column};
use crate::members::Members;
use crate::numbers::Numbers;
use crate::pattern::{Edge, Halo, Part};
use crate::talks::{self, AppRanks, Talk};
use std::collections::HashMap;

/// Shows what goes from one object to another.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(u32, u32, u64);

/// Neighbouring ranks in one object: the first rank of each, and the object.
type Ranges = Vec<(u64, u32)>;

/// Shows the edges of named patterns between different objects, both directions. A pair may be shown many times.
///
/// Cost: for a halo in the order of places the objects, times the offsets; else a pass over the ranks for each offset.
pub(crate) fn each(
    parts: &[Part],
    apps: &[AppRanks],
    numbers: &Numbers,
    orders: &[Order<'_>],
    visit: Visit<'_>,
) {
    let rest = by_arithmetic(parts, apps, numbers, orders, visit);
    if rest.is_empty() {
        return;
    }
    let ranks: u64 = apps.iter().map(|app| app.len() as u64).sum();
    let mut of_rank = Vec::new();
    let column = column(numbers, orders, &mut of_rank);
    let side = numbers.count as usize;
    if (side * side) as u64 <= SQUARE_MAX.min(4 * ranks + 4096) {
        let mut square = vec![0; side * side];
        for part in rest {
            by_pass(part, apps, column, &mut |a, b, weight| {
                if a != b {
                    square[a as usize * side + b as usize] += weight;
                }
            });
        }
        return show_square(&square, side, visit);
    }
    let mut last = Last {
        pair: (0, 0),
        sum: 0,
    };
    for part in rest {
        by_pass(part, apps, column, &mut |a, b, weight| {
            last.add(a, b, weight, &mut *visit);
        });
    }
    last.end(visit);
}

/// As [`each`], for the halos whose ranks are in few ranges. Gives the other patterns.
pub(crate) fn by_arithmetic<'p>(
    parts: &'p [Part],
    apps: &[AppRanks],
    numbers: &Numbers,
    orders: &[Order<'_>],
    visit: Visit<'_>,
) -> Vec<&'p Part> {
    let ranks: u64 = apps.iter().map(|app| app.len() as u64).sum();
    let mut rest: Vec<&Part> = Vec::new();
    for part in parts {
        let app = part.app as usize;
        let own = apps[app].len();
        let halo = part
            .pattern
            .halo(u32::try_from(own).unwrap_or(0))
            .filter(|_| own > 0);
        let ranges = halo
            .as_ref()
            .filter(|_| matches!(orders[app], Order::Places))
            .map(|halo| (halo, ranges(numbers, app)));
        match ranges.filter(|(halo, ranges)| {
            (ranges.len() * halo.offsets.len()) as u64 * 16
                <= ranks * halo.offsets.len() as u64 + 4096
        }) {
            Some((halo, ranges)) => by_ranges(halo, &ranges, own as u64, visit),
            None => rest.push(part),
        }
    }
    rest
}

/// Up to so many pairs of objects, a pass keeps a sum for each pair.
const SQUARE_MAX: u64 = 1 << 20;

fn show_square(square: &[u64], side: usize, visit: Visit<'_>) {
    for (a, row) in (0..).zip(square.chunks(side)) {
        for (b, &weight) in (0..).zip(row) {
            if a != b && weight > 0 {
                visit(a, b, weight);
                visit(b, a, weight);
            }
        }
    }
}

/// The pair that was met last: neighbouring ranks mostly meet the same.
struct Last {
    pair: (u32, u32),
    sum: u64,
}

impl Last {
    fn add(&mut self, a: u32, b: u32, weight: u64, visit: Visit<'_>) {
        if a == b {
            return;
        }
        if self.pair != (a, b) {
            self.end(visit);
            self.pair = (a, b);
        }
        self.sum += weight;
    }

    fn end(&mut self, visit: Visit<'_>) {
        if self.sum > 0 {
            let (a, b) = self.pair;
            visit(a, b, self.sum);
            visit(b, a, self.sum);
        }
        self.sum = 0;
    }
}

/// The ranges of ranks of one app whose place k has rank k.
fn ranges(numbers: &Numbers, app: usize) -> Ranges {
    let mut found: Ranges = Vec::new();
    let mut first = 0;
    let mut push = |object: u32, count: u64| {
        if found.last().is_none_or(|last| last.1 != object) {
            found.push((first, object));
        }
        first += count;
    };
    for piece in &numbers.apps[app] {
        if piece.width == 0 {
            push(piece.base, u64::from(piece.nodes) * u64::from(piece.procs));
            continue;
        }
        for node in 0..piece.nodes {
            push(piece.base + node * piece.width, u64::from(piece.procs));
        }
    }
    found
}

/// The cells of a box, and by how much their neighbours are ahead in rank.
struct Shifted {
    /// First cell and count in each dimension.
    cells: Vec<(u64, u64)>,
    shift: i64,
}

/// Edges by arithmetic: how many cells of a box have ranks in a range, is a sum over dimensions. One direction of each edge is counted.
fn by_ranges(halo: &Halo, ranges: &Ranges, ranks: u64, visit: Visit<'_>) {
    let end = |at: usize| ranges.get(at + 1).map_or(ranks, |next| next.0);
    for own in shifted(halo) {
        // Neighbouring ranges end where the next begin: each number is worked out once.
        let mut known = (0, 0);
        let mut before = |rank: u64| {
            if known.0 != rank {
                known = (rank, cells_before(&halo.grid.sizes, &own.cells, rank));
            }
            known.1
        };
        let mut next = 0;
        for (at, &(first, object)) in ranges.iter().enumerate() {
            let last = end(at);
            let to = |rank: u64| rank.checked_add_signed(own.shift);
            // The neighbours of this range, within the ranks that there are.
            let low = to(first).unwrap_or(0);
            let Some(high) = to(last)
                .map(|high| high.min(ranks))
                .filter(|&high| high > low)
            else {
                continue;
            };
            while end(next) <= low {
                next += 1;
            }
            let mut other = next;
            while other < ranges.len() && ranges[other].0 < high {
                let to = ranges[other].1;
                if to != object {
                    let from = ranges[other].0.max(low);
                    let until = end(other).min(high);
                    let back = |rank: u64| rank.saturating_add_signed(-own.shift);
                    let start = before(back(from));
                    let weight = before(back(until)) - start;
                    if weight > 0 {
                        visit(object, to, weight);
                        visit(to, object, weight);
                    }
                }
                other += 1;
            }
        }
    }
}

/// How many cells of a box have a rank below this one.
fn cells_before(sizes: &[u32], cells: &[(u64, u64)], rank: u64) -> u64 {
    let mut stride: u64 = sizes.iter().map(|&size| u64::from(size)).product();
    let mut inner: u64 = cells.iter().map(|own| own.1).product();
    if rank >= stride {
        return inner;
    }
    let (mut left, mut sum) = (rank, 0);
    for (&size, &(first, count)) in sizes.iter().zip(cells) {
        if count == 0 {
            return 0;
        }
        stride /= u64::from(size);
        inner /= count;
        let at = left / stride;
        left %= stride;
        sum += at.saturating_sub(first).min(count) * inner;
        if at < first || at >= first + count {
            return sum;
        }
    }
    sum
}

/// The boxes of each offset, of one of two opposite ones, whose cells have a neighbour at a fixed distance in rank.
fn shifted(halo: &Halo) -> Vec<Shifted> {
    let sizes: Vec<i64> = halo
        .grid
        .sizes
        .iter()
        .map(|&size| i64::from(size))
        .collect();
    let mut found = Vec::new();
    let ahead = |offset: &&Vec<i64>| offset.iter().find(|&&step| step != 0) > Some(&0);
    for offset in halo.offsets.iter().filter(ahead) {
        let mut open = vec![Shifted {
            cells: Vec::new(),
            shift: 0,
        }];
        for (&size, &step) in sizes.iter().zip(offset) {
            let parts = match halo.edge {
                Edge::Open => vec![(0.max(-step), (size - step.abs()).max(0), step)],
                Edge::Periodic => {
                    let step = step.rem_euclid(size);
                    vec![(0, size - step, step), (size - step, step, step - size)]
                }
            };
            let mut next = Vec::new();
            for own in &open {
                for &(first, count, step) in parts.iter().filter(|part| part.1 > 0) {
                    let mut cells = own.cells.clone();
                    cells.push((first.unsigned_abs(), count.unsigned_abs()));
                    next.push(Shifted {
                        cells,
                        shift: own.shift * size + step,
                    });
                }
            }
            open = next;
        }
        found.extend(open.into_iter().filter(|own| own.shift != 0));
    }
    found
}

/// Edges of ranks, each looked at in one of its directions, also those inside an object; groups by their members.
fn by_pass(
    part: &Part,
    apps: &[AppRanks],
    objects: Column<'_>,
    add: &mut impl FnMut(u32, u32, u64),
) {
    let of_rank = objects.of_rank;
    let mut members = Members::default();
    let mut groups = Groups::default();
    talks::each(part, apps, &mut |talk| match talk {
        Talk::Rows(rows) => {
            for (from, to, count) in rows.each() {
                let ends = of_rank[from..][..count].iter().zip(&of_rank[to..][..count]);
                ends.for_each(|(&a, &b)| add(a, b, 1));
            }
        }
        Talk::Edge(a, b) => add(of_rank[a], of_rank[b], 1),
        Talk::Group(group) => groups.add(members.of(objects.count, group.of(of_rank))),
        Talk::Sides(a, b) => {
            let of_a = members.of(objects.count, a.of(of_rank)).to_vec();
            let of_b = members.of(objects.count, b.of(of_rank));
            for &(one, many) in &of_a {
                for &(other, more) in of_b.iter().filter(|own| own.0 != one) {
                    add(one, other, many * more);
                }
            }
        }
    });
    groups.show(add);
}

/// Groups in which all talk to each other. Groups with equal members are counted once.
#[derive(Default)]
struct Groups {
    known: HashMap<Vec<(u32, u64)>, u64>,
}

impl Groups {
    fn add(&mut self, members: &[(u32, u64)]) {
        if members.len() < 2 {
            return;
        }
        match self.known.get_mut(members) {
            Some(times) => *times += 1,
            None => {
                self.known.insert(members.to_vec(), 1);
            }
        }
    }

    fn show(self, add: &mut impl FnMut(u32, u32, u64)) {
        let mut all: Vec<(Vec<(u32, u64)>, u64)> = self.known.into_iter().collect();
        all.sort_unstable();
        for (own, times) in all {
            for &(one, many) in &own {
                for &(other, more) in own.iter().filter(|other| other.0 > one) {
                    add(one, other, many * more * times);
                }
            }
        }
    }
}

/// The object of each rank, for what is read entry by entry.
pub(crate) fn of_rank(numbers: &Numbers, orders: &[Order<'_>]) -> Vec<u32> {
    let mut of_rank = Vec::new();
    column(numbers, orders, &mut of_rank);
    of_rank
}
