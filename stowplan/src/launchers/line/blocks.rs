//! Ranks in blocks: so many on the first node, then on the next.

use stowplan_engine::table::names::NodeRange;

/// Neighbouring nodes that get the same local ranks of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// The nodes.
    pub nodes: NodeRange,
    /// The kind of node.
    pub kind: usize,
    /// The first local rank.
    pub first: u32,
    /// One behind the last.
    pub end: u32,
}

/// Where a program's ranks are when each node takes `each`: `begin` ranks of the job come before them.
///
/// Cost: runs of nodes.
#[must_use]
pub fn blocks(runs: &[(NodeRange, usize)], each: u32, begin: u32, ranks: u32) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let each = each.max(1);
    let (mut rank, end) = (u64::from(begin), u64::from(begin) + u64::from(ranks));
    let wide = u64::from(each);
    while rank < end {
        let node = rank / wide;
        let first = rank % wide;
        // Whole nodes go together; a node that is begun or not filled stands alone.
        let whole = if first == 0 { (end - rank) / wide } else { 0 };
        let (count, last) = match whole {
            0 => (1, wide.min(first + (end - rank))),
            whole => (whole, wide),
        };
        let narrow = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let wanted = NodeRange::until(narrow(node), narrow(node + count));
        for &(nodes, kind) in runs {
            if let Some(nodes) = nodes.overlap(wanted) {
                blocks.push(Block {
                    nodes,
                    kind,
                    first: narrow(first),
                    end: narrow(last),
                });
            }
        }
        rank += count * wide - first - (wide - last);
    }
    blocks
}
