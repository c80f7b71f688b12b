//! Runs of nodes of few distinct kinds.

use stowplan_engine::table::names::NodeRange;

/// Adds nodes of a kind behind the runs: `runs` has the nodes with a row of `kinds`, and equal neighbours are one run.
///
/// Cost: the kinds. There are few, and equal neighbours are mostly of the last.
pub(crate) fn push<K: PartialEq>(
    kinds: &mut Vec<K>,
    runs: &mut Vec<(NodeRange, usize)>,
    nodes: NodeRange,
    kind: K,
) {
    let found = kinds.iter().rposition(|own| *own == kind);
    let row = found.unwrap_or_else(|| {
        kinds.push(kind);
        kinds.len() - 1
    });
    match runs.last_mut() {
        Some((last, own)) if *own == row && last.end() == nodes.first => {
            last.count += nodes.count;
        }
        Some(_) | None => runs.push((nodes, row)),
    }
}
