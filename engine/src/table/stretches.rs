//! Stretches of neighbouring nodes.

use serde::{Deserialize, Serialize};

/// A stretch of neighbouring nodes. Unit: nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct NodeRange {
    /// The first node's place in the pool.
    pub first: u32,
    /// How many, at least 1.
    pub count: u32,
}

impl NodeRange {
    /// One behind the last.
    #[must_use]
    pub const fn end(self) -> u32 {
        self.first + self.count
    }
}

/// Where a range of nodes is after node `row` moved to the front. The range holds `row` alone or not at all.
pub(crate) fn moved_to_front(nodes: NodeRange, row: u32) -> NodeRange {
    if nodes.first == row {
        NodeRange { first: 0, count: 1 }
    } else if nodes.first < row {
        NodeRange {
            first: nodes.first + 1,
            count: nodes.count,
        }
    } else {
        nodes
    }
}

/// A range of nodes cut so that `row` stands alone.
pub(crate) fn cut_around(nodes: NodeRange, row: u32) -> Vec<NodeRange> {
    if row < nodes.first || row >= nodes.end() || nodes.count == 1 {
        return vec![nodes];
    }
    let parts = [
        NodeRange {
            first: nodes.first,
            count: row - nodes.first,
        },
        NodeRange {
            first: row,
            count: 1,
        },
        NodeRange {
            first: row + 1,
            count: nodes.end() - row - 1,
        },
    ];
    parts.into_iter().filter(|part| part.count > 0).collect()
}

/// Appends a range, joined to the last one where it continues it.
pub fn push_joined(list: &mut Vec<NodeRange>, nodes: NodeRange) {
    match list.last_mut() {
        Some(last) if last.end() == nodes.first => last.count += nodes.count,
        _ => list.push(nodes),
    }
}
