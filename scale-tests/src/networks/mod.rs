//! Random networks in all forms that `--network` takes, each with what it means, and jobs on them counted rank by rank.

// What a network means, and its figures.
pub mod plain;
// Switches and nodes, and the texts that say so.
mod nested;
// Words with counts, and named machines.
mod dealt;
// Tori, meshes and rings.
mod places;
// Jobs and patterns.
pub mod jobs;

use crate::choices::Choices;

/// A level of a network.
#[derive(Clone, Debug)]
pub struct Level {
    /// Its word.
    pub word: String,
    /// Its objects, in the network's order.
    pub objects: Vec<String>,
    /// The object of each node. Shape `[nodes]`.
    pub of: Vec<usize>,
}

/// How many links are between two nodes.
#[derive(Clone, Debug)]
pub enum Ways {
    /// Up to where they meet, and down. `joined`: what the trees below the top are joined by.
    Tree {
        /// Whether a switch joins the objects of the top level.
        joined: bool,
    },
    /// Within a group, and between groups.
    Groups {
        /// Links between two switches of a group.
        near: u64,
    },
    /// Steps between places.
    Steps {
        /// The torus of each node, and its coordinates there.
        at: Vec<(usize, Vec<u32>)>,
        /// The sizes of each torus.
        sizes: Vec<Vec<u32>>,
        /// Whether the last place is beside the first.
        round: bool,
    },
}

/// A network as it is written, and what it means.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The word of `--network`. The file that it names is `net`.
    pub word: String,
    /// The text of the file.
    pub file: String,
    /// The word of `--network-levels`.
    pub level_words: Option<String>,
    /// All nodes.
    pub nodes: Vec<String>,
    /// The nodes of the job, in the order of `-H`.
    pub hosts: Vec<usize>,
    /// From the top down.
    pub levels: Vec<Level>,
    /// The kind's word.
    pub kind: &'static str,
    /// How many links are between two nodes.
    pub ways: Ways,
}

/// A random network in one of all forms, and the nodes of a job on it.
pub fn draw(choices: &mut Choices<'_>) -> Drawn {
    match choices.below(15) {
        0..=2 => dealt::synthetic(choices),
        3 => dealt::machine(choices),
        4 => nested::template(choices),
        5 => nested::rows(choices),
        6 => nested::addresses(choices),
        7..=9 => nested::switches(choices),
        10 | 11 => nested::blocks(choices),
        _ => places::drawn(choices),
    }
}

/// Some of the nodes, in any order or in their own: pieces of an allocation.
fn some_nodes(choices: &mut Choices<'_>, nodes: usize) -> Vec<usize> {
    let all = u32::try_from(nodes).unwrap_or(0);
    let mut hosts: Vec<usize> = (0..nodes).collect();
    shuffle(choices, &mut hosts);
    hosts.truncate(choices.within(1, all.min(12)) as usize);
    if !choices.once_in(3) {
        hosts.sort_unstable();
    }
    hosts
}

/// Puts a list into a random order.
fn shuffle<T>(choices: &mut Choices<'_>, list: &mut [T]) {
    for end in (1..list.len()).rev() {
        let bound = u32::try_from(end + 1).unwrap_or(1);
        list.swap(end, choices.below(bound) as usize);
    }
}
