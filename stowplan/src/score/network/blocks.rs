//! Blocks of nodes, and joins of 2, 4, 8 … of them.

use super::refused::in_line;
use super::rows::{Row, Tops};
use super::{BadNetwork, Network, rows};
use stowplan_engine::table::names::NameRange;

/// Joins have at most so many blocks.
const JOIN_MAX: u32 = 1 << 15;

/// A block.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) name: String,
    pub(super) nodes: Vec<NameRange>,
    pub(super) line: u32,
}

/// What a file says on blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    pub(super) blocks: Vec<Block>,
    /// Nodes of a block and of joins of blocks, as `BlockSizes=` has them.
    pub(super) sizes: Vec<u32>,
    pub(super) sizes_line: u32,
    /// The size of a block, where no `BlockSizes=` says it.
    pub(super) base: Option<u32>,
    /// Sizes of joined blocks, each with its line.
    pub(super) joins: Vec<(u32, u32)>,
}

/// Levels of blocks and of joins, up to the first join that holds all.
///
/// # Errors
/// A block twice, a node twice, a size that is no power of two of the base.
pub(super) fn network(found: &Blocks, source: &str) -> Result<Network, BadNetwork> {
    let mut known = std::collections::HashSet::new();
    for block in &found.blocks {
        let line = in_line(source, block.line);
        if !known.insert(block.name.as_str()) {
            return Err(line.bad(format!("block {} is given twice", block.name)));
        }
    }
    let joins = joins(found, source)?;
    let count = u32::try_from(found.blocks.len()).unwrap_or(u32::MAX);
    let mut words = vec!["block".to_owned()];
    let mut many = vec![1];
    for join in joins {
        if join > 1 && many.last().is_some_and(|&last| last < count) {
            words.push(format!("block{join}"));
            many.push(join);
        }
    }
    words.reverse();
    many.reverse();
    let row = |(at, block): (u32, &Block)| {
        let object = |&join: &u32| {
            let (first, last) = (
                at / join * join,
                (at / join * join).saturating_add(join - 1).min(count - 1),
            );
            let name = |at: u32| &found.blocks[at as usize].name;
            if first == last {
                name(first).clone()
            } else {
                format!("{}..{}", name(first), name(last))
            }
        };
        Row {
            nodes: block.nodes.clone(),
            objects: many.iter().map(object).collect(),
            line: block.line,
        }
    };
    let built: Vec<Row> = (0..).zip(&found.blocks).map(row).collect();
    let mut network = rows::network(&built, &words, Tops::Dropped, source)?;
    let lowest = network
        .levels
        .last()
        .map(|level| level.objects.as_slice())
        .unwrap_or_default();
    network.listed = Some((0..).take(lowest.len()).collect());
    Ok(network)
}

/// How many blocks the joins have, ascending.
fn joins(found: &Blocks, source: &str) -> Result<Vec<u32>, BadNetwork> {
    if found.sizes.is_empty() && found.joins.is_empty() {
        return Ok(vec![1, 2, 4, 8, 16]);
    }
    let of_first = found
        .blocks
        .first()
        .map_or(1, |block| super::grid::count(&block.nodes));
    let of_first = u32::try_from(of_first).unwrap_or(u32::MAX).max(1);
    let base = found
        .sizes
        .first()
        .copied()
        .or(found.base)
        .unwrap_or(of_first);
    let listed = found.sizes.iter().map(|&size| (size, found.sizes_line));
    let mut joins = Vec::new();
    for (size, number) in listed.chain(found.joins.iter().copied()) {
        let join = size / base;
        if !size.is_multiple_of(base) || !join.is_power_of_two() || join > JOIN_MAX {
            let line = in_line(source, number);
            return Err(line.bad(format!(
                "block size {size} is no power of two of {base}, up to {JOIN_MAX} of it"
            )));
        }
        joins.push(join);
    }
    joins.sort_unstable();
    joins.dedup();
    Ok(joins)
}
