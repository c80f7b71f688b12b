//! Columns: the object of every rank at a level.

use crate::numbers::{Numbers, Piece};
use crate::places::Places;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{AppPlan, BlockLocals, ListedRun, Plan, RankBlock, RankOrder};

/// Which rank of an app each of its places has.
pub(crate) enum Order<'o> {
    /// Place k has rank k.
    Places,
    /// Round by round over nodes.
    Rounds,
    /// Runs of ranks on nodes.
    Listed(&'o [ListedRun]),
    /// As the plan's blocks go.
    Blocks(&'o Plan),
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
#[derive(Clone, Copy)]
pub(crate) struct Column<'c, T> {
    pub(crate) of_rank: &'c [T],
    /// Numbers are below this.
    pub(crate) count: u32,
}

/// The orders of a plan's apps, as they are. Shape `[apps]`. Cost: the runs.
pub(crate) fn orders<'p>(places: &Places<'p>) -> Vec<Order<'p>> {
    let plan = places.plan;
    let ascend = |app: &AppPlan| {
        let mut runs = app.runs().iter();
        runs.all(|run| plan.patterns().get(run.pattern).ascends())
    };
    let order = |app: &'p AppPlan| match app.order() {
        RankOrder::Slot => Order::Places,
        RankOrder::Fill if ascend(app) => Order::Places,
        RankOrder::Node => Order::Rounds,
        RankOrder::Listed(listed) => Order::Listed(listed),
        RankOrder::Fill | RankOrder::Span => Order::Blocks(plan),
    };
    plan.apps().iter().map(order).collect()
}

/// The column of a level. `of_rank`: filled with it.
///
/// Cost: a write for each rank.
pub(crate) fn column<'c, T: Number>(
    numbers: &Numbers,
    orders: &[Order<'_>],
    of_rank: &'c mut Vec<T>,
) -> Column<'c, T> {
    let ranks = |pieces: &Vec<Piece>| -> usize {
        let each = pieces.iter();
        each.map(|piece| piece.nodes as usize * piece.procs as usize)
            .sum()
    };
    let total = numbers.apps.iter().map(ranks).sum();
    of_rank.clear();
    of_rank.reserve(total);
    let mut walked = None;
    for (pieces, order) in numbers.apps.iter().zip(orders) {
        match order {
            Order::Places => by_place(numbers, pieces, |objects| {
                of_rank.extend(objects.map(T::of));
            }),
            Order::Rounds => by_rounds(numbers, pieces, of_rank),
            Order::Listed(listed) => by_list(numbers, pieces, listed, ranks(pieces), of_rank),
            Order::Blocks(plan) => {
                walked = Some(*plan);
                of_rank.resize(of_rank.len() + ranks(pieces), T::of(0));
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
    if let Some(plan) = walked {
        by_blocks(numbers, plan, orders, of_rank);
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

/// Writes the ranks of all apps that go as the plan's blocks do.
fn by_blocks<T: Number>(numbers: &Numbers, plan: &Plan, orders: &[Order<'_>], out: &mut [T]) {
    let by_node: Vec<Vec<&Piece>> = numbers
        .apps
        .iter()
        .zip(orders)
        .map(|(pieces, order)| match order {
            Order::Blocks(_) => sorted(pieces),
            Order::Places | Order::Rounds | Order::Listed(_) | Order::RankOf(_) => Vec::new(),
        })
        .collect();
    let mut left = out;
    let mut inside = Vec::new();
    plan.each_block(|block| {
        let ranks = block.nodes as usize * block.locals.count() as usize;
        let Some(own) = left.split_off_mut(..ranks) else {
            return;
        };
        let app = block.app.row();
        if matches!(orders[app], Order::Blocks(_)) {
            let first = plan.apps()[app].runs()[block.run as usize].nodes.first;
            write_block(numbers, &by_node[app], block, first, own, &mut inside);
        }
    });
}

/// Writes the ranks of a block of a run whose first node is given. `inside`: filled again for each piece.
fn write_block<T: Number>(
    numbers: &Numbers,
    by_node: &[&Piece],
    block: RankBlock<'_>,
    first: u32,
    mut own: &mut [T],
    inside: &mut Vec<u32>,
) {
    let count = block.locals.count() as usize;
    let (mut node, end) = (first + block.first, first + block.first + block.nodes);
    while node < end {
        let behind = by_node.partition_point(|piece| piece.first <= node);
        let piece = by_node[behind - 1];
        let until = end.min(piece.first + piece.nodes);
        let on_node = numbers.on_node(piece);
        inside.clear();
        match block.locals {
            BlockLocals::From { first, count } => {
                inside.extend_from_slice(&on_node[first as usize..][..count as usize]);
            }
            BlockLocals::Listed(locals) => {
                inside.extend(locals.iter().map(|&local| on_node[local as usize]));
            }
        }
        let (nodes, behind) = own.split_at_mut((until - node) as usize * count);
        own = behind;
        for (ranks, node) in nodes.chunks_exact_mut(count.max(1)).zip(node..) {
            let base = piece.base + (node - piece.first) * piece.width;
            for (rank, inside) in ranks.iter_mut().zip(inside.iter()) {
                *rank = T::of(base + inside);
            }
        }
        node = until;
    }
}

/// The pieces of an app by their nodes.
fn sorted(pieces: &[Piece]) -> Vec<&Piece> {
    let mut by_node: Vec<&Piece> = pieces.iter().collect();
    by_node.sort_by_key(|piece| piece.first);
    by_node
}

fn by_list<T: Number>(
    numbers: &Numbers,
    pieces: &[Piece],
    listed: &[ListedRun],
    ranks: usize,
    of_rank: &mut Vec<T>,
) {
    let by_node = sorted(pieces);
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
