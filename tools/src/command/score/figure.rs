//! The ranks of an app and the edges between them, for a picture.

use std::collections::HashMap;
use stowplan::answers::picture::figure::{Edges, FigureEdge, FigureRank};
use stowplan::score::pattern::Part;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;

/// The most ranks that are drawn: rows and columns of a grid; in lines if the pattern has no grid.
const ROWS: u32 = 20;
const COLUMNS: u32 = 24;
const ACROSS: u32 = 16;
const IN_ROWS: u32 = 64;
/// The most neighbours of a rank that are examined.
const NEIGHBOURS: usize = 1 << 10;

/// The ranks of the first pattern: a corner of its grid, or its first ranks, with the edges between them.
///
/// Cost: the ranks drawn, each with its neighbours.
pub(super) fn edges(plan: &Plan, parts: &[Part]) -> Edges {
    let Some(part) = parts.first() else {
        return Edges::default();
    };
    let app = &plan.apps()[part.app as usize];
    let procs = app.procs().0;
    let shown = shown(part, procs);
    let ranks: Vec<FigureRank> = shown
        .iter()
        .filter_map(|&(rank, at)| {
            let node = plan.place(Rank(app.base().0 + rank))?.node;
            Some(FigureRank {
                rank,
                node: u32::try_from(node.row()).ok()?,
                name: plan.world().names.name(node),
                at,
            })
        })
        .collect();
    let row_of: HashMap<u32, usize> = ranks.iter().map(|own| own.rank).zip(0..).collect();
    let mut edges = Vec::new();
    for (from, own) in ranks.iter().enumerate() {
        let others = part.pattern.neighbours(own.rank, procs, NEIGHBOURS);
        for other in others.unwrap_or_default() {
            let to = row_of.get(&other).copied();
            if let Some(to) = to.filter(|&to| from < to) {
                edges.push(FigureEdge { from, to });
            }
        }
    }
    let more = procs as usize - ranks.len();
    let title = match more {
        0 => format!("{}: all {procs} ranks", part.word),
        _ => format!("{}: {} of {procs} ranks", part.word, ranks.len()),
    };
    Edges {
        title,
        ranks,
        edges,
    }
}

/// The ranks that are drawn, each with its row and column.
fn shown(part: &Part, procs: u32) -> Vec<(u32, (u32, u32))> {
    let halo = part.pattern.halo(procs);
    let sizes = halo.map(|halo| halo.grid.sizes).unwrap_or_default();
    if let [.., rows, columns] = sizes[..] {
        let rows = 0..rows.min(ROWS);
        let cells = rows.flat_map(|row| (0..columns.min(COLUMNS)).map(move |column| (row, column)));
        return cells
            .map(|(row, column)| (row * columns + column, (row, column)))
            .collect();
    }
    (0..procs.min(IN_ROWS))
        .map(|rank| (rank, (rank / ACROSS, rank % ACROSS)))
        .collect()
}
