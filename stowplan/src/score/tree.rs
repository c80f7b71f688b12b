//! The nodes of a job, in the order of places, below the objects of its network.

use crate::score::network::OnNetwork;
use stowplan_engine::plan::Plan;

/// The nodes of a job with processes, each with the objects that it is in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    /// Processes of each node.
    pub sizes: Vec<u32>,
    /// The object of each node at each level of the network, from the top. Shape `[levels][nodes]`.
    pub levels: Vec<Vec<u32>>,
}

impl Tree {
    /// Nodes without a network, all of one size but perhaps the last.
    #[must_use]
    pub fn even(procs: u32, per_node: u32) -> Self {
        let per_node = per_node.max(1);
        let mut sizes = vec![per_node; (procs / per_node) as usize];
        if !procs.is_multiple_of(per_node) {
            sizes.push(procs % per_node);
        }
        Self {
            sizes,
            levels: Vec::new(),
        }
    }

    /// The nodes of a plan.
    #[must_use]
    pub fn of(plan: &Plan, on: Option<&OnNetwork>) -> Self {
        let sizes = places(plan).windows(2).map(|own| own[1] - own[0]).collect();
        let runs = plan.apps().iter().flat_map(|app| app.runs());
        let nodes: Vec<u32> = runs
            .flat_map(|run| run.nodes.first..run.nodes.end())
            .collect();
        let levels = on.map(|on| {
            let numbers = || nodes.iter().map(|&node| on.numbers()[node as usize]);
            let levels = on.network().levels().iter();
            levels.map(|level| level.objects_of(numbers())).collect()
        });
        Self {
            sizes,
            levels: levels.unwrap_or_default(),
        }
    }

    /// How many children each object has, from the top down to nodes, if all objects of a level have equally many, stand together,
    /// and all nodes have equally many processes.
    #[must_use]
    pub fn counts(&self) -> Option<Vec<u32>> {
        let first = *self.sizes.first()?;
        if self.sizes.iter().any(|&size| size != first) {
            return None;
        }
        let nodes = self.sizes.len();
        let mut counts = Vec::new();
        let mut above = nodes;
        for level in &self.levels {
            let ends = level.windows(2).position(|two| two[0] != two[1]);
            let each = ends.map_or(nodes, |at| at + 1);
            let even = nodes.is_multiple_of(each)
                && level
                    .chunks(each)
                    .all(|own| own.iter().all(|object| *object == own[0]));
            let mut met: Vec<u32> = level.chunks(each).map(|own| own[0]).collect();
            met.sort_unstable();
            met.dedup();
            if !even || met.len() != nodes / each || !above.is_multiple_of(each) {
                return None;
            }
            counts.push(u32::try_from(above / each).ok()?);
            above = each;
        }
        counts.push(u32::try_from(above).ok()?);
        Some(counts)
    }
}

/// How many places are before each node, and how many there are in all.
#[must_use]
pub fn places(plan: &Plan) -> Vec<u32> {
    let runs = plan.apps().iter().flat_map(|app| app.runs());
    let mut before = vec![0];
    let mut sum = 0;
    for run in runs {
        for _ in 0..run.nodes.count {
            sum += run.procs;
            before.push(sum);
        }
    }
    before
}
