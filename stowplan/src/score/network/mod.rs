//! Networks above the node: switches, groups, tori. A text that describes one is read into levels of objects.
//!
//! An object of a level is a class of nodes that are connected through switches of that level or below.

// Why a network is refused.
mod refused;
// Lists of hosts.
pub mod host_list;
// The words of levels.
mod level_words;
// Switches and their nodes, as levels.
mod tree;
// Nodes in places: tori, meshes, rings.
mod grid;
// Rows of objects, from the top: levels.
mod rows;
// `dragonfly group:4 switch:4 node:4 n[0-63]`.
mod synthetic;
// `x{group}c{chassis}s*`.
mod template;
// KEY=VALUE lines: topology.conf, and what scontrol shows.
mod topology_conf;
// Blocks and the sizes of their joins.
mod blocks;
// Addresses of nodes.
mod address;
// A part of YAML.
mod yaml_text;
// topology.yaml.
mod yaml;
// Named machines.
pub mod machines;
// Which form a text has.
mod form;
// A network as topology.conf.
mod write;
// Which objects a job uses.
pub mod allocation;
// A job's nodes on their network.
mod job_nodes;

pub use form::{Asked, read};
pub use grid::Spot;
pub use job_nodes::OnNetwork;
pub use refused::BadNetwork;
pub use write::topology_conf;

use crate::score::network::grid::Grid;
use stowplan_engine::table::names::Names;

/// Nodes of a network.
pub const NODES_MAX: u32 = 1 << 21;
/// Switches of a network.
pub const SWITCHES_MAX: usize = 1 << 20;
/// Links from switches to those below them, and nodes of several leaves.
pub const LINKS_MAX: usize = 1 << 22;
/// Levels of a network.
pub const LEVELS_MAX: usize = 32;
/// Bytes of a text.
pub const BYTES_MAX: usize = 64 << 20;
/// Bytes of a line.
pub const LINE_MAX: usize = 1 << 20;

/// The kind of a network: how many links are between two nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Up to the switch where the ends meet, and down.
    Tree,
    /// Groups whose switches are all linked, each with each.
    Dragonfly,
    /// Groups of leaves and spines.
    DragonflyPlus,
    /// A grid that goes round.
    Torus,
    /// A grid.
    Mesh,
    /// Rings of nodes.
    Ring,
}

impl Kind {
    /// The word of answers.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Dragonfly => "dragonfly",
            Self::DragonflyPlus => "dragonfly+",
            Self::Torus => "torus",
            Self::Mesh => "mesh",
            Self::Ring => "ring",
        }
    }
}

/// A level of a network.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Level {
    /// Its word.
    pub word: String,
    /// The names of its objects, in the network's order.
    pub objects: Vec<String>,
    /// The first node of each stretch of nodes in one object, and that object. Ascending.
    pub(crate) runs: Vec<(u32, u32)>,
}

impl Level {
    /// Appends an object for nodes from `first` on, unless they are in the object of the stretch before.
    fn push(&mut self, first: u32, object: u32) {
        if self.runs.last().is_none_or(|last| last.1 != object) {
            self.runs.push((first, object));
        }
    }

    /// The object of a node. Cost: a search.
    #[must_use]
    pub fn object(&self, node: u32) -> u32 {
        let behind = self.runs.partition_point(|run| run.0 <= node);
        self.runs[behind - 1].1
    }

    /// The objects of some nodes. Cost: a search, where a node is not in the stretch of the one before.
    #[must_use]
    pub fn objects_of(&self, nodes: impl Iterator<Item = u32>) -> Vec<u32> {
        let (mut first, mut end, mut object) = (0, 0, 0);
        let each = nodes.map(|node| {
            if node < first || node >= end {
                let behind = self.runs.partition_point(|run| run.0 <= node);
                (first, object) = self.runs[behind - 1];
                end = self.runs.get(behind).map_or(u32::MAX, |next| next.0);
            }
            object
        });
        each.collect()
    }

    /// The stretches of nodes of each object, from the first node to the one before the end. `nodes`: all nodes.
    #[must_use]
    pub fn stretches(&self, nodes: u32) -> Vec<Vec<(u32, u32)>> {
        let mut found = vec![Vec::new(); self.objects.len()];
        for (at, &(first, object)) in self.runs.iter().enumerate() {
            let end = self.runs.get(at + 1).map_or(nodes, |next| next.0);
            found[object as usize].push((first, end));
        }
        found
    }
}

/// Whether all trees of a network are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Joined {
    /// They are, by switches above or by links of groups.
    Whole,
    /// No switch joins the objects of the top level.
    Apart,
}

/// A network. Nodes are numbered in its order.
#[derive(Clone, Debug)]
pub struct Network {
    pub(crate) kind: Kind,
    pub(crate) names: Names,
    /// From the top down.
    pub(crate) levels: Vec<Level>,
    pub(crate) joined: Joined,
    /// Places of nodes, in kinds that have them.
    pub(crate) grid: Option<Grid>,
    /// Where the file lists the leaf of each object of the lowest level, if the file is Slurm's.
    pub(crate) listed: Option<Vec<u32>>,
    pub(crate) source: String,
    /// Whether the order of hosts was taken as the order of the machine.
    pub(crate) assumed: Option<String>,
}

impl Network {
    /// A tree.
    fn tree(names: Names, levels: Vec<Level>, joined: Joined, source: &str) -> Self {
        Self {
            kind: Kind::Tree,
            names,
            levels,
            joined,
            grid: None,
            listed: None,
            source: source.to_owned(),
            assumed: None,
        }
    }

    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }
    /// The names of its nodes, in its order.
    #[must_use]
    pub const fn names(&self) -> &Names {
        &self.names
    }
    /// Its levels, from the top down. There is at least one.
    #[must_use]
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }
    /// Where it came from, in words.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }
    /// The place of a node, in kinds that have places.
    #[must_use]
    pub fn spot(&self, node: u32) -> Option<Spot<'_>> {
        self.grid.as_ref().map(|grid| grid.spot(node))
    }
    /// The level that Slurm's `--switches` counts, if the network is from Slurm's file.
    #[must_use]
    pub fn counted_by_slurm(&self) -> Option<&str> {
        let listed = self.listed.as_ref()?;
        let lowest = self.levels.last()?;
        (!listed.is_empty()).then_some(lowest.word.as_str())
    }
    /// A machine whose order of hosts was assumed to be that of the list.
    #[must_use]
    pub fn assumed(&self) -> Option<&str> {
        self.assumed.as_deref()
    }

    /// The network's number of each of a job's nodes.
    ///
    /// # Errors
    /// The first node that the network lacks, and how many it lacks.
    pub fn numbers_of(&self, job: &Names) -> Result<Vec<u32>, BadNetwork> {
        let mut numbers = Vec::with_capacity(job.len() as usize);
        let (mut lacks, mut first) = (0, None);
        for (nodes, range) in job.ranges() {
            let (found, missing) = self.names.find_hosts(&range);
            let here: u32 = found.iter().map(|nodes| nodes.count).sum();
            lacks += nodes.count - here;
            first = first.or(missing);
            numbers.extend(found.iter().flat_map(|nodes| nodes.first..nodes.end()));
        }
        match first {
            None => Ok(numbers),
            Some(first) => {
                let others = match lacks {
                    0 | 1 => String::new(),
                    lacks => format!(" and {} more of the job's nodes", lacks - 1),
                };
                let source = &self.source;
                Err(BadNetwork::told(format!(
                    "{first}: the network lacks this node{others} ({source})"
                )))
            }
        }
    }

    /// Whether Slurm's own order of these nodes, leaf by leaf as the file lists leaves, is another than the network's.
    #[must_use]
    pub fn slurm_differs(&self, numbers: &[u32]) -> bool {
        let (Some(listed), Some(lowest)) = (&self.listed, self.levels.last()) else {
            return false;
        };
        let mut objects: Vec<u32> = numbers.iter().map(|&node| lowest.object(node)).collect();
        objects.sort_unstable();
        objects.dedup();
        !objects.is_sorted_by_key(|&object| listed[object as usize])
    }

    /// Gives levels other words, from the lowest up.
    ///
    /// # Errors
    /// Too many words, a word twice, a word that levels cannot have.
    pub fn called(mut self, words: &str) -> Result<Self, BadNetwork> {
        level_words::call(&mut self.levels, words)?;
        Ok(self)
    }
}
