//! What a file allows of its machine: PUs and NUMA nodes.

use super::sets::{Set, Sets};
use super::tree::{Row, Tree};
use crate::kind::Kind;

/// What the file allows. `None`: everything.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Allowed {
    /// PUs by OS number.
    pub(super) cpus: Option<Set>,
    /// NUMA nodes by OS number.
    pub(super) nodes: Option<Set>,
}

impl Allowed {
    /// Whether a PU is in the sets of all objects above it and allowed, or a NUMA node is in its own set and allowed. `false` for
    /// other objects.
    ///
    /// Cost: the depth of the tree.
    pub(super) fn has(self, tree: &Tree, sets: &Sets, row: Row) -> bool {
        let node = tree.node(row);
        let Some(os) = node.os else { return false };
        let within = |set: Option<Set>| set.is_none_or(|set| sets.has(set, os));
        if node.kind == Kind::Numa {
            return within(node.nodeset) && within(self.nodes);
        }
        let mut above = std::iter::successors(Some(row), |&row| tree.node(row).parent);
        node.kind == Kind::Pu && above.all(|row| within(tree.node(row).cpuset)) && within(self.cpus)
    }
}
