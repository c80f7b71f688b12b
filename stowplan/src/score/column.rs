//! Columns: the object of every rank at a level.

use crate::score::numbers::{Numbers, Piece};
use crate::score::places::Places;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{AppPlan, ListedRun, Plan, ProcTable, RankOrder};
use stowplan_engine::table::names::NodeId;

/// The rank that each place of an app has.
pub(crate) enum Order<'o> {
    /// Place k has rank k.
    Places,
    /// Round by round over nodes.
    Rounds,
    /// Runs of ranks on nodes.
    Listed(&'o [ListedRun]),
    /// As in the plan's table.
    Table(&'o Plan),
    /// The rank of each place.
    RankOf(&'o [u32]),
}

/// The object of each rank at a level.
#[derive(Clone, Copy)]
pub(crate) struct Column<'c> {
    pub(crate) of_rank: &'c [u32],
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
        RankOrder::Fill | RankOrder::Span => Order::Table(plan),
    };
    plan.apps().iter().map(order).collect()
}

/// The column of a level, written into `of_rank`.
///
/// Cost: a write for each rank.
pub(crate) fn column<'c>(
    numbers: &Numbers,
    orders: &[Order<'_>],
    of_rank: &'c mut Vec<u32>,
) -> Column<'c> {
    let ranks = |pieces: &Vec<Piece>| -> usize {
        let each = pieces.iter();
        each.map(|piece| piece.nodes as usize * piece.procs as usize)
            .sum()
    };
    let total = numbers.apps.iter().map(ranks).sum();
    of_rank.clear();
    of_rank.reserve(total);
    for (app, (pieces, order)) in numbers.apps.iter().zip(orders).enumerate() {
        match order {
            Order::Places => by_place(numbers, pieces, |base, inside| {
                of_rank.extend(inside.iter().map(|inside| base + inside));
            }),
            Order::Rounds => by_rounds(numbers, pieces, of_rank),
            Order::Listed(listed) => by_list(numbers, pieces, listed, ranks(pieces), of_rank),
            Order::Table(plan) => by_table(numbers, pieces, plan, app, of_rank),
            Order::RankOf(rank_of) => {
                let first = of_rank.len();
                of_rank.resize(first + rank_of.len(), 0);
                let own = &mut of_rank[first..];
                let mut left = *rank_of;
                by_place(numbers, pieces, |base, inside| {
                    let (ranks, behind) = left.split_at(inside.len());
                    left = behind;
                    for (&rank, inside) in ranks.iter().zip(inside) {
                        own[rank as usize] = base + inside;
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

/// Shows the first object of each node, and which of its objects each place is in.
fn by_place(numbers: &Numbers, pieces: &[Piece], mut visit: impl FnMut(u32, &[u32])) {
    for piece in pieces {
        let inside = numbers.on_node(piece);
        for node in 0..piece.nodes {
            visit(piece.base + node * piece.width, inside);
        }
    }
}

fn by_rounds(numbers: &Numbers, pieces: &[Piece], of_rank: &mut Vec<u32>) {
    let mut live: Vec<&Piece> = pieces.iter().collect();
    let rounds = pieces.iter().map(|piece| piece.procs).max().unwrap_or(0);
    for round in 0..rounds {
        live.retain(|piece| piece.procs > round);
        for piece in &live {
            let first = numbers.object(piece, 0, round);
            of_rank.extend((0..piece.nodes).map(|node| first + node * piece.width));
        }
    }
}

/// Rows of the explicit table that are read at once.
const AT_ONCE: u32 = 1 << 14;

/// The objects of an app's ranks, as the explicit table has them. Neighbouring ranks are often on nodes of one piece.
fn by_table(numbers: &Numbers, pieces: &[Piece], plan: &Plan, app: usize, of_rank: &mut Vec<u32>) {
    let by_node = sorted(pieces);
    let runs = plan.apps()[app].runs();
    let (mut rank, end) = (plan.bases()[app], plan.bases()[app + 1]);
    let mut table = ProcTable::default();
    let mut on: Option<(&Piece, u32)> = None;
    while rank < end {
        let rows = AT_ONCE.min(end - rank);
        plan.expand_rows(rank..rank + rows, &mut table);
        for (&node, &local_rank) in table.nodes().iter().zip(table.local_ranks()) {
            let same = on.filter(|(piece, _)| holds(piece, node));
            let (piece, own_before) = same.unwrap_or_else(|| {
                let piece = piece_of(&by_node, node);
                let run = plan.apps()[app].run_of(NodeId::from_row(node as usize));
                (piece, run.map_or(0, |run| runs[run].own_before))
            });
            on = Some((piece, own_before));
            let local = local_rank - own_before;
            of_rank.push(numbers.object(piece, node - piece.first, local));
        }
        rank += rows;
    }
}

fn holds(piece: &Piece, node: u32) -> bool {
    let inside = node.checked_sub(piece.first);
    inside.is_some_and(|inside| inside < piece.nodes)
}

/// The piece that holds a node. `by_node`: the pieces of an app, sorted.
fn piece_of<'n>(by_node: &[&'n Piece], node: u32) -> &'n Piece {
    let behind = by_node.partition_point(|piece| piece.first <= node);
    by_node[behind - 1]
}

/// The pieces of an app, sorted by their nodes.
fn sorted(pieces: &[Piece]) -> Vec<&Piece> {
    let mut by_node: Vec<&Piece> = pieces.iter().collect();
    by_node.sort_by_key(|piece| piece.first);
    by_node
}

fn by_list(
    numbers: &Numbers,
    pieces: &[Piece],
    listed: &[ListedRun],
    ranks: usize,
    of_rank: &mut Vec<u32>,
) {
    let by_node = sorted(pieces);
    let mut ends = listed.iter().skip(1).map(|run| run.rank as usize);
    let mut last: Option<&Piece> = None;
    for run in listed {
        let count = ends.next().unwrap_or(ranks) - run.rank as usize;
        let same = last.filter(|piece| holds(piece, run.node));
        let piece = same.unwrap_or_else(|| piece_of(&by_node, run.node));
        last = Some(piece);
        let base = piece.base + (run.node - piece.first) * piece.width;
        let inside = &numbers.on_node(piece)[run.local as usize..][..count];
        of_rank.extend(inside.iter().map(|inside| base + inside));
    }
}
