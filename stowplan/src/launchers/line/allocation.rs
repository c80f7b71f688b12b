//! The nodes that a line may use, in order, with the hardware of each.

use super::asked::Hardware;
use super::refused::LineRefused;
use stowplan_engine::table::names::{NameRange, Names, NodeRange};
use stowplan_engine::table::topologies::TopologyId;

/// The nodes of an allocation. Equal neighbours are one run.
#[derive(Clone, Debug, Default)]
pub struct Allocation {
    /// Their names.
    pub names: Names,
    /// Their topologies, as runs that cover all nodes.
    pub nodes: Vec<(NodeRange, TopologyId)>,
}

impl Allocation {
    /// The nodes of these names, each once, in the order of first mention.
    ///
    /// # Errors
    /// `job-too-large` for more nodes than ids count, `bad-topology` for a node of unknown hardware.
    pub fn of<'n>(
        ranges: impl IntoIterator<Item = &'n NameRange>,
        hardware: &dyn Hardware,
    ) -> Result<Self, LineRefused> {
        let mut names = Names::default();
        for range in ranges {
            names.add(range).map_err(|many| {
                let sentence = format!("{} nodes are more than there can be", many.asked);
                LineRefused::new("job-too-large", sentence)
            })?;
        }
        let mut nodes: Vec<(NodeRange, TopologyId)> = Vec::new();
        for (range, of) in names.ranges() {
            let mut first = range.first;
            for (count, topology) in hardware.of_names(&of) {
                push(&mut nodes, NodeRange::until(first, first + count), topology);
                first += count;
            }
            if first < range.end() {
                let sentence = format!("the hardware of {} is not known: --topo", of.prefix);
                return Err(LineRefused::new("bad-topology", sentence));
            }
        }
        Ok(Self { names, nodes })
    }

    /// `n[0-3]`: the names of nodes that nobody named.
    #[must_use]
    pub fn invented(count: u32) -> NameRange {
        NameRange {
            prefix: "n".to_owned(),
            first: 0,
            count,
            width: 1,
            suffix: String::new(),
        }
    }
}

fn push(nodes: &mut Vec<(NodeRange, TopologyId)>, more: NodeRange, topology: TopologyId) {
    match nodes.last_mut() {
        Some((last, own)) if *own == topology && last.end() == more.first => {
            last.count += more.count;
        }
        Some(_) | None => nodes.push((more, topology)),
    }
}
