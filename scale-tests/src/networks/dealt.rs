//! Groups and switches in words: nodes of a list are dealt to their places.

use super::{Drawn, Level, Ways, some_nodes};
use crate::choices::Choices;
use std::fmt::Write as _;
use stowplan::score::network::machines::machines;

/// Words with counts, over a list of hosts.
pub(super) fn synthetic(choices: &mut Choices<'_>) -> Drawn {
    let trees: [&[&str]; 4] = [
        &["switch"],
        &["pod", "switch"],
        &["pod", "island", "leaf"],
        &["group", "switch"],
    ];
    let groups: [&[&str]; 4] = [
        &["group"],
        &["group", "switch"],
        &["group", "cabinet", "switch"],
        &["group", "leaf"],
    ];
    let kind = *choices.pick(&["", "tree ", "dragonfly ", "dragonfly+ "]);
    let words = if kind.starts_with('d') {
        choices.pick(&groups)
    } else {
        choices.pick(&trees)
    };
    let mut parts = Vec::new();
    for _ in 0..choices.within(1, 2) {
        let mut part = String::new();
        for word in *words {
            let _ = write!(part, "{word}:{} ", choices.within(1, 4));
        }
        parts.push(format!("{part}node:{}", choices.within(1, 5)));
    }
    let shape = format!("{kind}{}", parts.join(" + "));
    let places = dealt(&shape, usize::MAX)[0].of.len();
    let most = u32::try_from(places).unwrap_or(1);
    let given = if choices.once_in(2) {
        places
    } else {
        choices.within(1, most) as usize
    };
    let prefix = *choices.pick(&["n", "w", "node-"]);
    let hosts = format!("{prefix}[00-{:02}]", given - 1);
    let nodes = (0..given).map(|node| format!("{prefix}{node:02}"));
    of_shape(choices, &shape, format!("{shape} {hosts}"), nodes.collect())
}

/// The shape of a machine over a list of hosts.
pub(super) fn machine(choices: &mut Choices<'_>) -> Drawn {
    let known: Vec<(&str, &str)> = machines()
        .filter_map(|own| Some((own.name, own.shape?)))
        .filter(|own| own.1.contains("node:"))
        .collect();
    let (name, shape) = *choices.pick(&known);
    let places = dealt(shape, 600)[0].of.len();
    let nodes = (0..places).map(|node| format!("n{node}"));
    let word = format!("builtin:{name} n[0-{}]", places - 1);
    of_shape(choices, shape, word, nodes.collect())
}

fn of_shape(choices: &mut Choices<'_>, shape: &str, word: String, nodes: Vec<String>) -> Drawn {
    let (kind, ways) = match shape.split(' ').next() {
        Some("dragonfly") => ("dragonfly", Ways::Groups { near: 1 }),
        Some("dragonfly+") => ("dragonfly+", Ways::Groups { near: 2 }),
        _ => ("tree", Ways::Tree { joined: true }),
    };
    Drawn {
        word,
        file: String::new(),
        level_words: None,
        hosts: some_nodes(choices, nodes.len()),
        levels: dealt(shape, nodes.len()),
        nodes,
        kind,
        ways,
    }
}

/// Deals nodes in order to the places of a shape.
fn dealt(shape: &str, nodes: usize) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::new();
    for part in shape.split('+').map(|part| part.trim_end_matches('+')) {
        let counts = part
            .split_whitespace()
            .filter_map(|own| own.split_once(':'));
        let counts: Vec<(&str, usize)> = counts
            .map(|(word, count)| (word, count.parse().unwrap_or(1)))
            .collect();
        let Some(((_, each), above)) = counts.split_last() else {
            continue;
        };
        if levels.is_empty() {
            levels.extend(above.iter().map(|own| Level {
                word: own.0.to_owned(),
                objects: Vec::new(),
                of: Vec::new(),
            }));
        }
        let places: usize = counts.iter().map(|own| own.1).product();
        let before: Vec<usize> = levels.iter().map(|own| own.objects.len()).collect();
        for place in 0..places {
            let mut number = place / each;
            for ((level, &(word, count)), &before) in
                levels.iter_mut().zip(above).zip(&before).rev()
            {
                let object = before + number;
                number /= count;
                if object == level.objects.len() && level.of.len() < nodes {
                    level.objects.push(format!("{word}{object}"));
                }
                if level.of.len() < nodes {
                    level.of.push(object);
                }
            }
        }
    }
    levels
}
