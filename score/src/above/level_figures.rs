//! The figures of one level of the network.

use crate::weight::Weight;

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
