//! Edges between different objects, at any level of a network or of a machine, summed over pairs of objects where that costs nothing.
//!
//! Where ranks go node by node, an object is a range of ranks, and the edges of a halo are counted by arithmetic. Otherwise a pass
//! over the ranks looks at each edge; groups in which all talk to each other are counted by their members.

use crate::score::column::{Column, Order, column};
use crate::score::members::Members;
use crate::score::numbers::Numbers;
use crate::score::pattern::{Halo, Part};
use crate::score::talks::{self, AppRanks, Talk};
use std::collections::BTreeMap;

/// Shows what goes from one object to another.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(u32, u32, u64);

/// Neighbouring ranks in one object: the first rank of each, and the object.
type Ranges = Vec<(u64, u32)>;

/// Shows the edges of named patterns between different objects, both directions. A pair may be shown many times.
///
/// Cost: for a halo in the order of places the objects, times the offsets; else a pass over the ranks for each offset; for groups the
/// pairs of objects that their members are in.
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
    let side = numbers.count as usize;
    let is_small = (side * side) as u64 <= SQUARE_MAX.min(4 * ranks + 4096);
    let mut pairs = Pairs {
        side,
        square: vec![0; if is_small { side * side } else { 0 }],
        last: ((0, 0), 0),
        groups: BTreeMap::new(),
        visit,
    };
    by_pass(&rest, apps, (numbers, orders), &mut pairs);
    pairs.end();
}

/// The edges of named patterns that leave each object. Shape `[objects]`.
///
/// Cost: as [`each`]; for groups the objects.
pub(crate) fn leaving(
    parts: &[Part],
    apps: &[AppRanks],
    numbers: &Numbers,
    orders: &[Order<'_>],
) -> Vec<u64> {
    let mut out = vec![0; numbers.count as usize];
    let rest = by_arithmetic(parts, apps, numbers, orders, &mut |object, _, weight| {
        out[object as usize] += weight;
    });
    if !rest.is_empty() {
        by_pass(&rest, apps, (numbers, orders), &mut Ends { out: &mut out });
    }
    out
}

/// As [`each`], for the halos whose ranks are in few ranges. Gives the other patterns.
fn by_arithmetic<'p>(
    parts: &'p [Part],
    apps: &[AppRanks],
    numbers: &Numbers,
    orders: &[Order<'_>],
    visit: Visit<'_>,
) -> Vec<&'p Part> {
    let ranks: u64 = apps.iter().map(|app| app.len() as u64).sum();
    let mut rest: Vec<&Part> = Vec::new();
    for part in parts.iter().filter(|part| !part.pattern.is_file()) {
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
        let inside = numbers.on_node(piece).chunk_by(|a, b| a == b);
        let inside: Vec<(u32, u64)> = inside.map(|own| (own[0], own.len() as u64)).collect();
        for node in 0..piece.nodes {
            for &(object, count) in &inside {
                push(piece.base + node * piece.width + object, count);
            }
        }
    }
    found
}

/// Edges by arithmetic: how many cells of a box have ranks in a range, is a sum over dimensions. One direction of each edge is counted.
fn by_ranges(halo: &Halo, ranges: &Ranges, ranks: u64, visit: Visit<'_>) {
    let end = |at: usize| ranges.get(at + 1).map_or(ranks, |next| next.0);
    for own in halo.boxes() {
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

/// Looks at edges of ranks, each in one of its directions, also those inside an object; at groups by their members.
fn by_pass(
    parts: &[&Part],
    apps: &[AppRanks],
    (numbers, orders): (&Numbers, &[Order<'_>]),
    count: &mut impl Count,
) {
    let mut of_rank = Vec::new();
    let Column {
        of_rank,
        count: objects,
    } = column(numbers, orders, &mut of_rank);
    let mut members = Members::default();
    for part in parts {
        talks::each(part, apps, &mut |talk| match talk {
            Talk::Row(from, to, length) => {
                let ends = of_rank[from..][..length].iter();
                let ends = ends.zip(&of_rank[to..][..length]);
                ends.for_each(|(&a, &b)| count.edge(a, b, 1));
            }
            Talk::Edge(a, b) => count.edge(of_rank[a], of_rank[b], 1),
            Talk::Group(group) => count.group(members.of(objects, group.of(of_rank))),
            Talk::Sides(a, b) => {
                let of_a = members.of(objects, a.of(of_rank)).to_vec();
                count.sides(&of_a, members.of(objects, b.of(of_rank)));
            }
        });
    }
}

/// What a pass sees. Members of a group are objects, ascending, and how many ranks of the group are in each.
trait Count {
    /// An edge, and its opposite. Both ends may be in one object.
    fn edge(&mut self, a: u32, b: u32, weight: u64);
    /// All of a group talk to each other.
    fn group(&mut self, members: &[(u32, u64)]);
    /// Each of one group talks to each of another.
    fn sides(&mut self, a: &[(u32, u64)], b: &[(u32, u64)]);
}

/// Sums of what leaves each object.
struct Ends<'o> {
    out: &'o mut [u64],
}

impl Count for Ends<'_> {
    fn edge(&mut self, a: u32, b: u32, weight: u64) {
        if a != b {
            self.out[a as usize] += weight;
            self.out[b as usize] += weight;
        }
    }

    fn group(&mut self, members: &[(u32, u64)]) {
        let all: u64 = members.iter().map(|own| own.1).sum();
        for &(object, own) in members {
            self.out[object as usize] += own * (all - own);
        }
    }

    fn sides(&mut self, a: &[(u32, u64)], b: &[(u32, u64)]) {
        for (here, there) in [(a, b), (b, a)] {
            let all: u64 = there.iter().map(|own| own.1).sum();
            for &(object, own) in here {
                let same = there.binary_search_by_key(&object, |other| other.0);
                let same = same.map_or(0, |at| there[at].1);
                self.out[object as usize] += own * (all - same);
            }
        }
    }
}

/// Up to so many pairs of objects, a pass keeps a sum for each pair.
const SQUARE_MAX: u64 = 1 << 20;

/// Sums of what goes from object to object.
struct Pairs<'v> {
    side: usize,
    /// Of all pairs, one direction; empty if there are too many.
    square: Vec<u64>,
    /// The pair that was met last: neighbouring ranks mostly meet the same.
    last: ((u32, u32), u64),
    /// Groups with equal members are shown once.
    groups: BTreeMap<Vec<(u32, u64)>, u64>,
    visit: Visit<'v>,
}

impl Count for Pairs<'_> {
    fn edge(&mut self, a: u32, b: u32, weight: u64) {
        if a == b {
            return;
        }
        if let Some(sum) = self.square.get_mut(a as usize * self.side + b as usize) {
            *sum += weight;
        } else {
            if self.last.0 != (a, b) {
                self.show_last();
                self.last = ((a, b), 0);
            }
            self.last.1 += weight;
        }
    }

    fn group(&mut self, members: &[(u32, u64)]) {
        match self.groups.get_mut(members) {
            Some(times) => *times += 1,
            None => {
                self.groups.insert(members.to_vec(), 1);
            }
        }
    }

    fn sides(&mut self, a: &[(u32, u64)], b: &[(u32, u64)]) {
        for &(one, many) in a {
            b.iter()
                .for_each(|&(other, more)| self.edge(one, other, many * more));
        }
    }
}

impl Pairs<'_> {
    fn show(&mut self, a: u32, b: u32, weight: u64) {
        if weight > 0 {
            (self.visit)(a, b, weight);
            (self.visit)(b, a, weight);
        }
    }

    fn show_last(&mut self) {
        let ((a, b), sum) = self.last;
        self.show(a, b, sum);
    }

    /// Shows what was summed.
    fn end(mut self) {
        for (own, times) in std::mem::take(&mut self.groups) {
            for (at, &(one, many)) in own.iter().enumerate() {
                let others = own[at + 1..].iter();
                others.for_each(|&(other, more)| self.edge(one, other, many * more * times));
            }
        }
        self.show_last();
        let square = std::mem::take(&mut self.square);
        for (a, row) in (0..).zip(square.chunks(self.side.max(1))) {
            for (b, &weight) in (0..).zip(row) {
                self.show(a, b, weight);
            }
        }
    }
}
