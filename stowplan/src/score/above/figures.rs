//! The figures of a job above its nodes.

use crate::score::network::Kind;
use crate::score::weight::Weight;

/// Weight times links, the longest way, and what goes between trees that no switch joins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hops {
    /// Weight times links.
    pub hops: Weight,
    /// The most links of an edge.
    pub far: u64,
    /// Weight between trees that nothing joins: it is in no hops.
    pub apart: Weight,
}

/// What leaves the objects of a level of the network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LevelFigures {
    /// The level's word.
    pub level: String,
    /// Summed over all ranks.
    pub leave: Weight,
    /// The largest sum of one object.
    pub worst: Weight,
    /// The first such object; none if nothing leaves.
    pub worst_of: Option<String>,
    /// Objects that the job uses.
    pub objects: u32,
    /// The most and the fewest nodes of the job in one of them.
    pub nodes: (u32, u32),
    /// The most that goes from one object to another.
    pub pair: Weight,
    /// The first such objects.
    pub pair_of: Option<(String, String)>,
}

/// The figures of a job above its nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Above {
    /// The kind of the network.
    pub kind: Kind,
    /// From the top down.
    pub levels: Vec<LevelFigures>,
    /// The first node among those that most leaves.
    pub worst_node: Option<String>,
    /// Links on shortest ways.
    pub hops: Hops,
    /// What leaves nodes.
    pub node: Weight,
}

impl Above {
    /// All that leaves, over nodes and levels of the network.
    #[must_use]
    pub fn sum(&self) -> Weight {
        let levels = self.levels.iter().map(|level| level.leave);
        levels.chain([self.node]).sum()
    }

    /// J of the mapping literature: weights times the distance at which their ends meet. `distances`: within a node, then by level from the lowest.
    #[must_use]
    pub fn j(&self, distances: &[u32], edges: Weight) -> Weight {
        let mut leaves = vec![edges, self.node];
        leaves.extend(self.levels.iter().rev().map(|level| level.leave));
        leaves.push(Weight::default());
        let each = distances.iter().zip(leaves.windows(2));
        each.map(|(&distance, two)| two[0].minus(two[1]).times(u64::from(distance)))
            .sum()
    }
}
