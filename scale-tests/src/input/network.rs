//! The fuzz body for networks: any bytes as a file, and as the words of `--network`.

use std::collections::HashSet;
use stowplan::score::network::{
    Asked, BadNetwork, LEVELS_MAX, NODES_MAX, Network, read, topology_conf,
};
use stowplan_engine::id::Id as _;
use stowplan_engine::table::names::{Names, NodeId};

/// Networks of at most this many nodes are written and read again.
const NODES_WRITTEN: u32 = 4096;

/// The reader of networks.
///
/// # Panics
/// When a network that was read is not sound, or a refusal is not a sentence.
pub fn network(bytes: &[u8]) {
    judge(of_file("net", bytes));
    judge(of_file("net#it", bytes));
    if let Ok(text) = std::str::from_utf8(bytes) {
        let words = Asked {
            text: text.to_owned(),
            levels: None,
        };
        judge(read(
            &words,
            None,
            &|_| Err("there are no files".to_owned()),
        ));
    }
}

fn of_file(name: &str, bytes: &[u8]) -> Result<Network, BadNetwork> {
    let asked = Asked {
        text: name.to_owned(),
        levels: None,
    };
    read(&asked, None, &|path| match path {
        "net" => Ok(bytes.to_vec()),
        _ => Err("there is no such file".to_owned()),
    })
}

/// Everything that holds for every network, and for every refusal.
fn judge(network: Result<Network, BadNetwork>) {
    let network = match network {
        Ok(network) => network,
        Err(refused) => {
            let told = refused.to_string();
            assert!(!told.is_empty() && told.len() < 2000, "{told}");
            return;
        }
    };
    let nodes = network.names().len();
    assert!((1..=NODES_MAX).contains(&nodes));
    let levels = network.levels();
    assert!((1..=LEVELS_MAX).contains(&levels.len()));
    let words: HashSet<&str> = levels.iter().map(|level| level.word.as_str()).collect();
    assert_eq!(words.len(), levels.len(), "a word stands for two levels");
    for level in levels {
        let stretches = level.stretches(nodes);
        let held = stretches.iter().flatten().map(|(first, end)| end - first);
        assert_eq!(
            held.sum::<u32>(),
            nodes,
            "{}: each node is in one object",
            level.word
        );
        assert!(
            stretches.iter().all(|stretches| !stretches.is_empty()),
            "{}: an object is empty",
            level.word
        );
    }
    for pair in levels.windows(2) {
        nested(&pair[0].objects_of(0..nodes), &pair[1].objects_of(0..nodes));
    }
    if nodes <= NODES_WRITTEN
        && let Ok(text) = topology_conf(&network)
    {
        let again = of_file("net", text.as_bytes()).unwrap_or_else(|why| panic!("{why}\n{text}"));
        same(&network, &again);
    }
}

/// An object of the lower level is in one object of the upper.
fn nested(upper: &[u32], lower: &[u32]) {
    let mut above: Vec<Option<u32>> =
        vec![None; lower.iter().max().map_or(0, |&last| last as usize + 1)];
    for (&object, &own) in upper.iter().zip(lower) {
        let known = above[own as usize].get_or_insert(object);
        assert_eq!(*known, object, "an object is in two");
    }
}

/// The names of the nodes of each object, in order of their names.
fn objects(network: &Network) -> Vec<Vec<Vec<String>>> {
    let names: &Names = network.names();
    let name = |node: u32| names.name(NodeId::from_row(node as usize));
    let levels = network.levels().iter().map(|level| {
        let stretches = level.stretches(names.len()).into_iter();
        let mut objects: Vec<Vec<String>> = stretches
            .map(|stretches| {
                let nodes = stretches.into_iter().flat_map(|(first, end)| first..end);
                let mut nodes: Vec<String> = nodes.map(name).collect();
                nodes.sort();
                nodes
            })
            .collect();
        objects.sort();
        objects
    });
    levels.collect()
}

/// Written and read again, a network has the same objects. Levels that do not divide it may be gone.
fn same(network: &Network, again: &Network) {
    let (mut before, after) = (objects(network), objects(again));
    while before.len() > after.len() && before[0].len() == 1 {
        before.remove(0);
    }
    assert_eq!(before, after);
}
