//! Links between the switches of two nodes on a shortest way.

use super::figures::{Hops, LevelFigures};
use crate::score::network::{Joined, Kind, Network};
use crate::score::weight::Weight;

/// From what leaves the levels of a tree or a dragonfly. `node`: what leaves nodes.
pub(crate) fn of_levels(network: &Network, levels: &[LevelFigures], node: Weight) -> Hops {
    let top = levels.first().map(|level| level.leave).unwrap_or_default();
    let apart = match network.joined {
        Joined::Whole => Weight::default(),
        Joined::Apart => top,
    };
    let (inner, outer) = match network.kind {
        Kind::Dragonfly => (1, 3),
        Kind::DragonflyPlus => (2, 3),
        Kind::Tree | Kind::Torus | Kind::Mesh | Kind::Ring => {
            let mut found = Hops {
                apart,
                ..Hops::default()
            };
            for (height, level) in (1..).zip(levels.iter().rev()) {
                let joined = level.leave.minus(apart);
                found.hops += joined.times(2);
                if joined > Weight::default() {
                    found.far = 2 * height;
                }
            }
            return found;
        }
    };
    let switch = levels
        .iter()
        .find(|level| ["switch", "leaf"].contains(&level.level.as_str()));
    let out = switch.map_or(node, |level| level.leave);
    let inside = out.minus(top);
    let mut hops = inside.times(inner);
    hops += top.times(outer);
    let far = if top > Weight::default() {
        outer
    } else if inside > Weight::default() {
        inner
    } else {
        0
    };
    Hops { hops, far, apart }
}

impl Hops {
    /// Adds an edge of so many steps; none if nothing joins its ends.
    pub(crate) fn add(&mut self, steps: Option<u64>, weight: Weight) {
        let Some(steps) = steps else {
            self.apart += weight;
            return;
        };
        self.hops += weight.times(steps);
        if weight > Weight::default() {
            self.far = self.far.max(steps);
        }
    }
}
