//! Switches and nodes, and the texts that say so.

use super::{Drawn, Level, Ways, shuffle, some_nodes};
use crate::choices::Choices;
use std::collections::HashMap;
use std::fmt::Write as _;

/// A switch with switches or nodes below it.
struct Switch {
    name: String,
    level: usize,
    below: Vec<Switch>,
    /// The nodes of a leaf.
    nodes: Vec<String>,
}

/// The depths of the leaves of a tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaves {
    Level,
    AnyDepth,
}

/// Numbers that are given once.
struct Numbers {
    switches: usize,
    nodes: Vec<usize>,
}

impl Numbers {
    fn shuffled(choices: &mut Choices<'_>) -> Self {
        let mut nodes: Vec<usize> = (0..200).collect();
        if choices.once_in(2) {
            shuffle(choices, &mut nodes);
        }
        Self { switches: 0, nodes }
    }
}

fn grown(choices: &mut Choices<'_>, level: usize, leaves: Leaves, numbers: &mut Numbers) -> Switch {
    numbers.switches += 1;
    let mut switch = Switch {
        name: format!("s{}", numbers.switches),
        level,
        below: Vec::new(),
        nodes: Vec::new(),
    };
    if level == 0 {
        for _ in 0..choices.within(1, 4) {
            let number = numbers.nodes.pop().unwrap_or(0);
            switch.nodes.push(format!("w{number}"));
        }
    }
    for child in 0..if level == 0 { 0 } else { choices.within(1, 3) } {
        let below = if leaves == Leaves::AnyDepth && child > 0 {
            choices.below(u32::try_from(level).unwrap_or(1)) as usize
        } else {
            level - 1
        };
        switch.below.push(grown(choices, below, leaves, numbers));
    }
    switch
}

/// The switches above each leaf from the top, the leaf last, with its nodes.
fn leaves<'s>(switch: &'s Switch, above: &[&'s Switch], out: &mut Vec<Vec<&'s Switch>>) {
    let mut path = above.to_vec();
    path.push(switch);
    if switch.level == 0 {
        out.push(path);
        return;
    }
    for child in &switch.below {
        leaves(child, &path, out);
    }
}

/// Levels of trees: at each, the highest switch above a node of that level or below.
fn levels(roots: &[Switch]) -> (Vec<String>, Vec<Level>) {
    let mut paths = Vec::new();
    for root in roots {
        leaves(root, &[], &mut paths);
    }
    let nodes = |path: &Vec<&Switch>| path.last().map_or(0, |leaf| leaf.nodes.len());
    let top = roots.iter().map(|root| root.level).max().unwrap_or(0);
    let mut found = Vec::new();
    for number in (0..=top).rev() {
        let mut level = Level {
            word: if number == 0 {
                "switch".to_owned()
            } else {
                format!("switch{number}")
            },
            objects: Vec::new(),
            of: Vec::new(),
        };
        for path in &paths {
            let highest = path.iter().find(|switch| switch.level <= number);
            let name = highest.map_or("", |switch| &switch.name);
            if level.objects.last().is_none_or(|last| last != name) {
                level.objects.push(name.to_owned());
            }
            let object = level.objects.len() - 1;
            level.of.extend(std::iter::repeat_n(object, nodes(path)));
        }
        found.push(level);
    }
    let names = paths.iter().filter_map(|path| path.last());
    let names = names.flat_map(|leaf| leaf.nodes.iter().cloned()).collect();
    (names, found)
}

/// Levels at the top that have one object are left out; one level stays.
fn without_tops(levels: &mut Vec<Level>) {
    let many = levels.iter().position(|level| level.objects.len() > 1);
    levels.drain(..many.unwrap_or(levels.len() - 1));
}

fn all<'s>(switch: &'s Switch, out: &mut Vec<&'s Switch>) {
    out.push(switch);
    for child in &switch.below {
        all(child, out);
    }
}

/// Switches as topology.conf, as scontrol shows them, as topology.yaml.
pub(super) fn switches(choices: &mut Choices<'_>) -> Drawn {
    let mut numbers = Numbers::shuffled(choices);
    let leaves_at = *choices.pick(&[Leaves::Level, Leaves::AnyDepth]);
    let roots: Vec<Switch> = (0..*choices.pick(&[1, 1, 1, 2, 3]))
        .map(|_| {
            let height = choices.below(4) as usize;
            grown(choices, height, leaves_at, &mut numbers)
        })
        .collect();
    let (nodes, mut levels) = levels(&roots);
    without_tops(&mut levels);
    let mut listed = Vec::new();
    // Roots in the order of the file; what is below them is listed in each.
    roots.iter().for_each(|root| listed.push(root));
    let mut below = Vec::new();
    for root in &roots {
        root.below.iter().for_each(|child| all(child, &mut below));
    }
    shuffle(choices, &mut below);
    listed.extend(below);
    let form = *choices.pick(&["conf", "scontrol", "yaml"]);
    let mut file = String::new();
    if form == "yaml" {
        file.push_str("---\n- topology: own\n  cluster_default: true\n  tree:\n    switches:\n");
    }
    for switch in listed {
        let names: Vec<&str> = switch.below.iter().map(|own| own.name.as_str()).collect();
        let (names, own) = (names.join(","), switch.nodes.join(","));
        let name = &switch.name;
        let _ = match (form, switch.level) {
            ("yaml", 0) => writeln!(file, "      - switch: {name}\n        nodes: {own}"),
            ("yaml", _) => writeln!(file, "      - switch: {name}\n        children: {names}"),
            ("conf", 0) => writeln!(file, "SwitchName={name} Nodes={own}"),
            ("conf", _) => writeln!(file, "SwitchName={name} Switches={names}"),
            (_, 0) => writeln!(file, "SwitchName={name} Level=0 LinkSpeed=1 Nodes={own}"),
            (_, level) => {
                let mut paths = Vec::new();
                leaves(switch, &[], &mut paths);
                let held = paths.iter().filter_map(|path| path.last());
                let held: Vec<String> = held.map(|leaf| leaf.nodes.join(",")).collect();
                let held = held.join(",");
                writeln!(
                    file,
                    "SwitchName={name} Level={level} LinkSpeed=1 Nodes={held} Switches={names}"
                )
            }
        };
    }
    let joined = roots.len() == 1;
    tree(choices, file, nodes, levels, Ways::Tree { joined })
}

/// Nodes with the names of their objects from the top, in the order in which they are mentioned.
fn mentioned(listed: &[(String, Vec<String>)], words: &[String]) -> Vec<Level> {
    let mut first: Vec<HashMap<&str, usize>> = vec![HashMap::new(); words.len()];
    for (at, (_, path)) in listed.iter().enumerate() {
        for (known, object) in first.iter_mut().zip(path) {
            known.entry(object).or_insert(at);
        }
    }
    let key = |path: &[String]| -> Vec<usize> {
        let each = path.iter().zip(&first);
        each.map(|(object, known)| known[object.as_str()]).collect()
    };
    let level = |(at, word): (usize, &String)| {
        let mut keys: Vec<(Vec<usize>, &String)> = listed
            .iter()
            .map(|(_, path)| (key(&path[..=at]), &path[at]))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        let objects: Vec<String> = keys.iter().map(|own| own.1.clone()).collect();
        let of = |(_, path): &(String, Vec<String>)| {
            let found = objects.iter().position(|object| *object == path[at]);
            found.unwrap_or(0)
        };
        Level {
            word: word.clone(),
            of: listed.iter().map(of).collect(),
            objects,
        }
    };
    words.iter().enumerate().map(level).collect()
}

/// The nodes of a tree whose leaves are all at one depth, in any order, each with its switches from the top.
fn scattered(choices: &mut Choices<'_>, height: usize) -> Vec<(String, Vec<String>)> {
    let mut numbers = Numbers::shuffled(choices);
    let root = grown(choices, height, Leaves::Level, &mut numbers);
    let mut paths = Vec::new();
    leaves(&root, &[], &mut paths);
    let mut listed = Vec::new();
    for path in &paths {
        let names: Vec<String> = path.iter().map(|own| own.name.clone()).collect();
        let leaf = path.last().into_iter();
        listed.extend(leaf.flat_map(|leaf| {
            leaf.nodes
                .iter()
                .map(|node| (node.clone(), names.clone()))
                .collect::<Vec<_>>()
        }));
    }
    shuffle(choices, &mut listed);
    listed
}

/// Rows: `#node LEVEL …`.
pub(super) fn rows(choices: &mut Choices<'_>) -> Drawn {
    let height = choices.below(3) as usize;
    let listed = scattered(choices, height);
    let words: Vec<String> = ["rack", "row", "hall"][..=height]
        .iter()
        .rev()
        .map(|word| (*word).to_owned())
        .collect();
    let mut file = "#node".to_owned();
    words.iter().rev().for_each(|word| {
        let _ = write!(file, " {word}");
    });
    file.push('\n');
    for (node, path) in &listed {
        let objects: Vec<&str> = path.iter().rev().map(String::as_str).collect();
        let _ = writeln!(file, "{node} {}", objects.join(" "));
    }
    let mut levels = mentioned(&listed, &words);
    without_tops(&mut levels);
    tree(
        choices,
        file,
        names(listed),
        levels,
        Ways::Tree { joined: true },
    )
}

/// `SLURM_TOPOLOGY_ADDR`, a line a node.
pub(super) fn addresses(choices: &mut Choices<'_>) -> Drawn {
    let height = choices.within(1, 3) as usize;
    let mut listed = scattered(choices, height);
    let root_is_named = choices.once_in(2);
    if !root_is_named {
        listed.iter_mut().for_each(|own| drop(own.1.remove(0)));
    }
    let many = listed[0].1.len();
    let pattern = choices.once_in(2);
    let mut file = String::new();
    for (node, path) in &listed {
        let _ = write!(file, "{}.{node}", path.join("."));
        if pattern {
            let _ = write!(file, " {}node", "switch.".repeat(many));
        }
        file.push('\n');
    }
    let word = |level: usize| match level {
        0 => "switch".to_owned(),
        level => format!("switch{level}"),
    };
    let words: Vec<String> = (0..many).rev().map(word).collect();
    let mut levels = mentioned(&listed, &words);
    let joined = levels[0].objects.len() == 1;
    without_tops(&mut levels);
    tree(choices, file, names(listed), levels, Ways::Tree { joined })
}

/// A tree that a file names. The nodes of the job are drawn last.
fn tree(
    choices: &mut Choices<'_>,
    file: String,
    nodes: Vec<String>,
    levels: Vec<Level>,
    ways: Ways,
) -> Drawn {
    Drawn {
        word: "net".to_owned(),
        file,
        level_words: None,
        hosts: some_nodes(choices, nodes.len()),
        nodes,
        levels,
        kind: "tree",
        ways,
    }
}

/// The names of nodes that are listed with their objects.
fn names(listed: Vec<(String, Vec<String>)>) -> Vec<String> {
    listed.into_iter().map(|own| own.0).collect()
}

/// Names that say where nodes are: the network has the nodes of the job, in its order.
pub(super) fn template(choices: &mut Choices<'_>) -> Drawn {
    let mut listed = Vec::new();
    let two = choices.once_in(2);
    for node in 0..choices.within(1, 12) {
        let [group, chassis] = [choices.below(4), choices.below(3)];
        let group = format!("x{}", 4100 + group);
        listed.push(if two {
            let chassis = format!("{group}c{chassis}");
            (format!("{chassis}s{node}b0"), vec![group, chassis])
        } else {
            (format!("{group}n{node}"), vec![group])
        });
    }
    let (word, words) = if two {
        ("names x{group}c{chassis}s*", vec!["group", "chassis"])
    } else {
        ("names x{group}n*", vec!["group"])
    };
    let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    Drawn {
        word: word.to_owned(),
        file: String::new(),
        level_words: None,
        hosts: (0..listed.len()).collect(),
        levels: mentioned(&listed, &words),
        nodes: names(listed),
        kind: "tree",
        ways: Ways::Tree { joined: true },
    }
}

/// Blocks, and joins of them.
pub(super) fn blocks(choices: &mut Choices<'_>) -> Drawn {
    let mut numbers = Numbers::shuffled(choices);
    let (count, most) = (choices.within(1, 11), choices.within(1, 4));
    let mut blocks: Vec<(String, Vec<String>)> = Vec::new();
    for block in 0..count {
        let mut own = || format!("w{}", numbers.nodes.pop().unwrap_or(0));
        let nodes = (0..choices.within(1, most)).map(|_| own()).collect();
        blocks.push((format!("b{block}"), nodes));
    }
    let base = choices.within(1, 4);
    let mut joins = vec![1];
    joins.extend([2, 4, 8, 16].into_iter().filter(|_| choices.once_in(2)));
    let sizes: Vec<String> = joins.iter().map(|join| (join * base).to_string()).collect();
    let yaml = choices.once_in(2);
    if !yaml && choices.once_in(3) {
        joins = vec![1, 2, 4, 8, 16];
    }
    let mut file = String::new();
    if yaml {
        file.push_str("- topology: own\n  block:\n    block_sizes:\n");
        for size in &sizes {
            let _ = writeln!(file, "      - {size}");
        }
        file.push_str("    blocks:\n");
    }
    for (name, nodes) in &blocks {
        let nodes = nodes.join(",");
        let _ = if yaml {
            writeln!(file, "      - block: {name}\n        nodes: {nodes}")
        } else {
            writeln!(file, "BlockName={name} Nodes={nodes}")
        };
    }
    if !yaml && joins.len() == sizes.len() && joins != [1, 2, 4, 8, 16] {
        let _ = writeln!(file, "BlockSizes={}", sizes.join(","));
    }
    let mut levels = joined_blocks(&blocks, &joins);
    without_tops(&mut levels);
    let nodes: Vec<String> = blocks.into_iter().flat_map(|own| own.1).collect();
    tree(choices, file, nodes, levels, Ways::Tree { joined: true })
}

/// A level for each join, up to the first that holds all.
fn joined_blocks(blocks: &[(String, Vec<String>)], joins: &[u32]) -> Vec<Level> {
    let mut levels = Vec::new();
    for &join in joins {
        let join = join as usize;
        let mut level = Level {
            word: match join {
                1 => "block".to_owned(),
                join => format!("block{join}"),
            },
            objects: Vec::new(),
            of: Vec::new(),
        };
        for (object, own) in blocks.chunks(join).enumerate() {
            let (first, last) = (&own[0].0, &own[own.len() - 1].0);
            level.objects.push(if first == last {
                first.clone()
            } else {
                format!("{first}..{last}")
            });
            let nodes = own.iter().map(|block| block.1.len()).sum();
            level.of.extend(std::iter::repeat_n(object, nodes));
        }
        levels.push(level);
        if join >= blocks.len() {
            break;
        }
    }
    levels.reverse();
    levels
}
