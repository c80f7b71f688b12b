//! Which GPUs each process is given: kinds of nodes, and for each kind the sets of GPUs by local rank.

use serde::Serialize;
use stowplan::answers::gpus::list;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::names::{NodeId, NodeRange};

/// Given GPUs.
#[derive(Serialize)]
pub(super) struct GivenView {
    /// The GPUs of each kind of node.
    kinds: Vec<Vec<TurnsView>>,
    /// The first node, the number of nodes, and the row of their kind.
    nodes: Vec<(u32, u32, u32)>,
}

/// Neighbouring local ranks that take sets of GPUs in turn.
#[derive(Serialize)]
struct TurnsView {
    count: u32,
    /// Visible numbers in list form; `-`: no GPUs.
    gpus: Vec<String>,
}

/// `None`: no process is given any GPU.
pub(super) fn view(plan: &Plan) -> Option<GivenView> {
    let given = plan.tells_gpus().then(|| plan.given_gpus());
    let given = given.filter(stowplan_engine::plan::gpus::GivenGpus::any)?;
    let mut kinds: Vec<Vec<TurnsView>> = Vec::new();
    let mut nodes = Vec::new();
    // Rows are numbered in the order of first use.
    let mut rows = std::collections::HashMap::new();
    for (NodeRange { first, count }, kind) in given.nodes() {
        let row = *rows.entry(kind).or_insert_with(|| {
            let node = NodeId::from_row(first as usize);
            let mut at = plan
                .on_node(node)
                .map(|on| on.run.own_before)
                .min()
                .unwrap_or(0);
            let mut own = Vec::new();
            while let Some(turns) = given.turns(node, at) {
                let sets = u32::try_from(turns.len())
                    .unwrap_or(u32::MAX)
                    .min(turns.count);
                own.push(TurnsView {
                    count: turns.count,
                    gpus: (0..sets).map(|ahead| list(turns.set(ahead))).collect(),
                });
                at += turns.count;
            }
            kinds.push(own);
            u32::try_from(kinds.len() - 1).unwrap_or(u32::MAX)
        });
        nodes.push((first, count, row));
    }
    Some(GivenView { kinds, nodes })
}
