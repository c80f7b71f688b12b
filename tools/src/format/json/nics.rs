//! Which network cards each process is mapped to: by kinds of nodes, and on each by app and device.

use serde::Serialize;
use stowplan_engine::plan::{NicRow, Plan};
use stowplan_engine::table::names::NodeRange;

/// Network cards of processes.
#[derive(Serialize)]
pub(super) struct NicsView<'p> {
    /// Distinct lists of names.
    sets: &'p [Vec<String>],
    /// For each kind of node: the app, the logical number of the device that a process is mapped to, and the row of its cards.
    kinds: Vec<Vec<(u32, u32, u32)>>,
    /// The first node, the number of nodes, and the row of their kind.
    nodes: Vec<(u32, u32, u32)>,
}

/// `None`: no process is mapped by network card.
pub(super) fn view(plan: &Plan) -> Option<NicsView<'_>> {
    let nics = plan.nics();
    let rows = |rows: &Vec<NicRow>| {
        let cells = rows.iter().map(|row| (row.app, row.device, row.set));
        cells.collect()
    };
    let nodes = nics.nodes().iter();
    nics.any().then(|| NicsView {
        sets: nics.sets(),
        kinds: nics.kinds().iter().map(rows).collect(),
        nodes: nodes
            .map(|&(NodeRange { first, count }, kind)| (first, count, kind))
            .collect(),
    })
}
