//! Tori, meshes and rings.

use super::{Drawn, Level, Ways, shuffle, some_nodes};
use crate::choices::Choices;
use std::fmt::Write as _;

/// A torus or ring: its name, its sizes, and the cells of its nodes.
struct Part {
    name: String,
    sizes: Vec<u32>,
    /// Names and coordinates, in the order of cells.
    nodes: Vec<(String, Vec<u32>)>,
    /// The text that says so.
    text: String,
}

/// The coordinates of a cell, first size fastest.
fn at(sizes: &[u32], mut cell: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for size in sizes {
        found.push(cell % size);
        cell /= size;
    }
    found
}

fn some_sizes(choices: &mut Choices<'_>, dimensions: u32) -> Vec<u32> {
    (0..dimensions).map(|_| choices.within(1, 4)).collect()
}

fn names(choices: &mut Choices<'_>, prefix: &str, count: u32) -> Vec<String> {
    let mut names: Vec<String> = (0..count).map(|node| format!("{prefix}{node}")).collect();
    if choices.once_in(2) {
        shuffle(choices, &mut names);
    }
    names
}

/// One of the forms with places.
pub(super) fn drawn(choices: &mut Choices<'_>) -> Drawn {
    match choices.below(4) {
        0 => synthetic(choices),
        1 => rings(choices),
        2 => {
            let sizes = some_sizes(choices, 3);
            let part = whole(choices, "pod", sizes);
            let word = |sizes: &[u32]| {
                let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
                sizes.join("x")
            };
            let list: Vec<&str> = part.nodes.iter().map(|own| own.0.as_str()).collect();
            let file = format!(
                "TorusName=pod Dims={} Nodes={}\n",
                word(&part.sizes),
                list.join(",")
            );
            network(choices, ("net", &file), ("torus", "torus"), &[part])
        }
        _ => tori(choices),
    }
}

/// A torus whose cells all have nodes.
fn whole(choices: &mut Choices<'_>, name: &str, sizes: Vec<u32>) -> Part {
    let count = sizes.iter().product();
    let names = names(choices, &format!("{name}-"), count);
    let cells = (0..count).map(|cell| at(&sizes, cell));
    let list = names.join(",");
    Part {
        name: name.to_owned(),
        nodes: names.into_iter().zip(cells).collect(),
        text: format!("        nodes: {list}\n"),
        sizes,
    }
}

/// A torus of two regions, perhaps without the second one.
fn regions(choices: &mut Choices<'_>, name: &str, sizes: Vec<u32>) -> Part {
    let axis = choices.below(3) as usize;
    let cut = choices.within(1, sizes[axis]);
    let mut spans = vec![(0, cut)];
    if cut < sizes[axis] && choices.once_in(2) {
        spans.push((cut, sizes[axis] - cut));
    }
    let mut text = "        regions:\n".to_owned();
    let mut nodes: Vec<(u32, String, Vec<u32>)> = Vec::new();
    for (number, &(first, count)) in spans.iter().enumerate() {
        let (mut anchor, mut own) = (vec![0; 3], sizes.clone());
        (anchor[axis], own[axis]) = (first, count);
        let names = names(choices, &format!("{name}-{number}-"), own.iter().product());
        let three = |of: &[u32]| format!("{{x: {}, y: {}, z: {}}}", of[0], of[1], of[2]);
        let _ = writeln!(
            text,
            "          - anchor: {}\n            dims: {}\n            nodes: {}",
            three(&anchor),
            three(&own),
            names.join(",")
        );
        for (cell, node) in (0..).zip(names) {
            let inside = at(&own, cell).into_iter().zip(&anchor);
            let at: Vec<u32> = inside.map(|(inside, first)| inside + first).collect();
            let cell = at[0] + sizes[0] * (at[1] + sizes[1] * at[2]);
            nodes.push((cell, node, at));
        }
    }
    nodes.sort_unstable();
    Part {
        name: name.to_owned(),
        sizes,
        nodes: nodes.into_iter().map(|own| (own.1, own.2)).collect(),
        text,
    }
}

/// One or two tori of topology.yaml.
fn tori(choices: &mut Choices<'_>) -> Drawn {
    let mut file = "---\n- topology: own\n  torus3d:\n    toruses:\n".to_owned();
    let mut parts = Vec::new();
    for name in &["a", "b"][..choices.within(1, 2) as usize] {
        let sizes = some_sizes(choices, 3);
        let part = if choices.once_in(2) {
            whole(choices, name, sizes)
        } else {
            regions(choices, name, sizes)
        };
        let [x, y, z] = [part.sizes[0], part.sizes[1], part.sizes[2]];
        let _ = write!(
            file,
            "      - name: {name}\n        dims: {{x: {x}, y: {y}, z: {z}}}\n{}",
            part.text
        );
        parts.push(part);
    }
    network(choices, ("net", &file), ("torus", "torus"), &parts)
}

/// `torus 4x4x2 HOSTS`, `mesh …`.
fn synthetic(choices: &mut Choices<'_>) -> Drawn {
    let kind = *choices.pick(&["torus", "mesh"]);
    let dimensions = choices.within(1, 4);
    let sizes = some_sizes(choices, dimensions);
    let word: Vec<String> = sizes.iter().map(u32::to_string).collect();
    let part = whole(choices, kind, sizes);
    let list: Vec<&str> = part.nodes.iter().map(|own| own.0.as_str()).collect();
    let word = format!("{kind} {} {}", word.join("x"), list.join(","));
    network(choices, (&word, ""), (kind, "torus"), &[part])
}

/// Rings, as topology.conf or topology.yaml.
fn rings(choices: &mut Choices<'_>) -> Drawn {
    let yaml = choices.once_in(2);
    let mut file = if yaml {
        "- topology: own\n  ring:\n    rings:\n".to_owned()
    } else {
        String::new()
    };
    let mut parts = Vec::new();
    for number in 0..choices.within(1, 3) {
        let size = choices.within(1, 9);
        let part = whole(choices, &format!("r{number}"), vec![size]);
        let list: Vec<&str> = part.nodes.iter().map(|own| own.0.as_str()).collect();
        let list = list.join(",");
        let _ = if yaml {
            writeln!(file, "      - ring: r{number}\n        nodes: {list}")
        } else {
            writeln!(file, "RingName=r{number} Nodes={list}")
        };
        parts.push(part);
    }
    network(choices, ("net", &file), ("ring", "ring"), &parts)
}

fn network(
    choices: &mut Choices<'_>,
    (word, file): (&str, &str),
    (kind, level): (&'static str, &str),
    parts: &[Part],
) -> Drawn {
    let each = || parts.iter().enumerate();
    let nodes: Vec<String> = parts
        .iter()
        .flat_map(|part| part.nodes.iter().map(|own| own.0.clone()))
        .collect();
    let of = each().flat_map(|(part, own)| own.nodes.iter().map(move |_| part));
    let at =
        each().flat_map(|(part, own)| own.nodes.iter().map(move |node| (part, node.1.clone())));
    Drawn {
        word: word.to_owned(),
        file: file.to_owned(),
        level_words: None,
        hosts: some_nodes(choices, nodes.len()),
        levels: vec![Level {
            word: level.to_owned(),
            objects: parts.iter().map(|part| part.name.clone()).collect(),
            of: of.collect(),
        }],
        nodes,
        kind,
        ways: Ways::Steps {
            at: at.collect(),
            sizes: parts.iter().map(|part| part.sizes.clone()).collect(),
            round: kind != "mesh",
        },
    }
}
