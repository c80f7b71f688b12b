//! Columns: the object of every rank at a level.

use crate::numbers::{Numbers, Piece};
use crate::places::Places;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{ListedRun, RankOrder};

/// Which rank of an app each of its places has.
pub(crate) enum Order<'o> {
    /// Place k has rank k.
    Places,
    /// Round by round over nodes.
    Rounds,
    /// Runs of ranks on nodes.
    Listed(&'o [ListedRun]),
    /// The place of each rank.
    PlaceOf(Vec<u32>),
    /// The rank of each place.
    RankOf(&'o [u32]),
}

/// The number of an object: the narrower, the more are compared at once.
pub(crate) trait Number: Copy + Eq {
    /// From a number that fits.
    fn of(number: u32) -> Self;
    /// Its row.
    fn row(self) -> usize;
}

impl Number for u16 {
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a column of these has at most 2^16 objects"
    )]
    fn of(number: u32) -> Self {
        number as Self
    }
    #[inline]
    fn row(self) -> usize {
        usize::from(self)
    }
}

impl Number for u32 {
    #[inline]
    fn of(number: u32) -> Self {
        number
    }
    #[inline]
    fn row(self) -> usize {
        self as usize
    }
}

/// Objects up to which numbers of 16 bits do.
pub(crate) const NARROW: u32 = 1 << 16;

/// The object of each rank of a level.
pub(crate) struct Column<T> {
    pub(crate) of_rank: Vec<T>,
    /// Numbers are below this.
    pub(crate) count: u32,
}

/// The orders of a plan's apps, as they are. Shape `[apps]`.
///
/// Cost: nothing for ranks by slot and node, nor for listed ones; for others a step for each rank.
pub(crate) fn orders<'p>(places: &Places<'p>) -> Vec<Order<'p>> {
    let plan = places.plan;
    let ascend = |app: &stowplan_engine::plan::AppPlan| {
        let mut runs = app.runs().iter();
        runs.all(|run| plan.patterns().get(run.pattern).ascends())
    };
    let mut walked = false;
    let mut orders: Vec<Order<'p>> = plan
        .apps()
        .iter()
        .map(|app| match app.order() {
            RankOrder::Slot => Order::Places,
            RankOrder::Fill if ascend(app) => Order::Places,
            RankOrder::Node => Order::Rounds,
            RankOrder::Listed(listed) => Order::Listed(listed),
            RankOrder::Fill | RankOrder::Span => {
                walked = true;
                Order::PlaceOf(Vec::with_capacity(app.procs().0 as usize))
            }
        })
        .collect();
    if walked {
        let before: Vec<Vec<u32>> = plan.apps().iter().map(before_runs).collect();
        for (_, at) in plan.rows() {
            let (app, run) = (at.app.row(), at.run as usize);
            if let Order::PlaceOf(place_of) = &mut orders[app] {
                let procs = plan.apps()[app].runs()[run].procs;
                place_of.push(before[app][run] + at.node * procs + at.local);
            }
        }
    }
    orders
}

/// Places before each run.
fn before_runs(app: &stowplan_engine::plan::AppPlan) -> Vec<u32> {
    let sums = app.runs().iter().scan(0, |sum, run| {
        let before = *sum;
        *sum += run.procs * run.nodes.count;
        Some(before)
    });
    sums.collect()
}

/// The column of a level.
///
/// Cost: a write for each rank, for orders that were walked or found two.
pub(crate) fn column<T: Number>(numbers: &Numbers, orders: &[Order<'_>]) -> Column<T> {
    let ranks = |pieces: &Vec<Piece>| -> usize {
        let each = pieces.iter();
        each.map(|piece| piece.nodes as usize * piece.procs as usize)
            .sum()
    };
    let total = numbers.apps.iter().map(ranks).sum();
    let mut of_rank: Vec<T> = Vec::with_capacity(total);
    for (pieces, order) in numbers.apps.iter().zip(orders) {
        match order {
            Order::Places => by_place(numbers, pieces, |objects| {
                of_rank.extend(objects.map(T::of));
            }),
            Order::Rounds => by_rounds(numbers, pieces, &mut of_rank),
            Order::Listed(listed) => {
                by_list(numbers, pieces, listed, ranks(pieces), &mut of_rank);
            }
            Order::PlaceOf(place_of) => {
                let mut of_place = Vec::with_capacity(place_of.len());
                by_place(numbers, pieces, |objects| {
                    of_place.extend(objects.map(T::of))
                });
                of_rank.extend(place_of.iter().map(|&place| of_place[place as usize]));
            }
            Order::RankOf(rank_of) => {
                let first = of_rank.len();
                of_rank.resize(first + rank_of.len(), T::of(0));
                let own = &mut of_rank[first..];
                let mut left = *rank_of;
                by_place(numbers, pieces, |objects| {
                    let (ranks, behind) = left.split_at(objects.len());
                    left = behind;
                    for (&rank, object) in ranks.iter().zip(objects) {
                        own[rank as usize] = T::of(object);
                    }
                });
            }
        }
    }
    Column {
        of_rank,
        count: numbers.count,
    }
}

/// Shows the objects of the places of each node.
fn by_place(numbers: &Numbers, pieces: &[Piece], mut visit: impl FnMut(OfNode<'_>)) {
    for piece in pieces {
        let inside = numbers.on_node(piece);
        for node in 0..piece.nodes {
            let base = piece.base + node * piece.width;
            visit(OfNode {
                base,
                inside: inside.iter(),
            });
        }
    }
}

/// The objects of the processes of a node, place by place.
struct OfNode<'n> {
    base: u32,
    inside: std::slice::Iter<'n, u32>,
}

impl Iterator for OfNode<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        self.inside.next().map(|inside| self.base + inside)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.inside.size_hint()
    }
}

impl ExactSizeIterator for OfNode<'_> {}

fn by_rounds<T: Number>(numbers: &Numbers, pieces: &[Piece], of_rank: &mut Vec<T>) {
    let mut live: Vec<&Piece> = pieces.iter().collect();
    let rounds = pieces.iter().map(|piece| piece.procs).max().unwrap_or(0);
    for round in 0..rounds {
        live.retain(|piece| piece.procs > round);
        for piece in &live {
            let first = numbers.object(piece, 0, round);
            of_rank.extend((0..piece.nodes).map(|node| T::of(first + node * piece.width)));
        }
    }
}

fn by_list<T: Number>(
    numbers: &Numbers,
    pieces: &[Piece],
    listed: &[ListedRun],
    ranks: usize,
    of_rank: &mut Vec<T>,
) {
    let mut by_node: Vec<&Piece> = pieces.iter().collect();
    by_node.sort_by_key(|piece| piece.first);
    let mut ends = listed.iter().skip(1).map(|run| run.rank as usize);
    let mut last: Option<&Piece> = None;
    for run in listed {
        let holds = |piece: &&Piece| {
            let node = run.node.checked_sub(piece.first);
            node.is_some_and(|node| node < piece.nodes)
        };
        let piece = last.filter(holds).unwrap_or_else(|| {
            let behind = by_node.partition_point(|piece| piece.first <= run.node);
            by_node[behind - 1]
        });
        last = Some(piece);
        let count = ends.next().unwrap_or(ranks) - run.rank as usize;
        let base = piece.base + (run.node - piece.first) * piece.width;
        let inside = &numbers.on_node(piece)[run.local as usize..][..count];
        of_rank.extend(inside.iter().map(|inside| T::of(base + inside)));
    }
}
