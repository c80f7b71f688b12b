//! Nodes with an object of each level: rows of a file, names by a template, parts of a synthetic network.

use super::refused::in_line;
use super::{BadNetwork, Joined, LEVELS_MAX, Level, NODES_MAX, Network};
use std::collections::HashMap;
use stowplan_engine::table::names::{NameRange, Names};

/// Nodes that have the same object at each level.
pub(super) struct Row {
    pub(super) nodes: Vec<NameRange>,
    /// From the top down.
    pub(super) objects: Vec<String>,
    pub(super) line: u32,
}

/// Whether levels of one object at the top are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tops {
    Kept,
    Dropped,
}

/// A tree with one root above. `words`: from the top down. Objects are in the order in which they are first mentioned, level by level.
///
/// # Errors
/// An object in two of the next level, a node twice, too many nodes.
pub(super) fn network(
    rows: &[Row],
    words: &[String],
    tops: Tops,
    source: &str,
) -> Result<Network, BadNetwork> {
    let whole = in_line(source, 0);
    if words.len() > LEVELS_MAX {
        return Err(whole.bad(format!(
            "it has {} levels, at most {LEVELS_MAX} are possible",
            words.len()
        )));
    }
    let order = in_order(rows, words, source)?;
    let mut names = Names::default();
    let mut levels: Vec<Level> = words
        .iter()
        .map(|word| Level {
            word: word.clone(),
            ..Level::default()
        })
        .collect();
    let mut numbers: Vec<HashMap<&str, u32>> = vec![HashMap::new(); words.len()];
    nodes_once(rows, source)?;
    for at in order {
        let row = &rows[at];
        let first = names.len();
        for range in &row.nodes {
            names
                .add(range)
                .map_err(|_| whole.bad("it has too many nodes"))?;
        }
        if names.len() == first {
            continue;
        }
        for ((level, numbers), object) in levels.iter_mut().zip(&mut numbers).zip(&row.objects) {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            let number = *numbers.entry(object).or_insert(next);
            if number == next {
                level.objects.push(object.clone());
            }
            level.push(first, number);
        }
    }
    if names.is_empty() {
        return Err(whole.bad("it has no node"));
    }
    if tops == Tops::Dropped {
        let many = levels.iter().position(|level| level.objects.len() > 1);
        levels.drain(..many.unwrap_or(levels.len().saturating_sub(1)));
    }
    Ok(Network::tree(names, levels, Joined::Whole, source))
}

/// Refuses a node that is given twice, where it stands for the second time.
fn nodes_once(rows: &[Row], source: &str) -> Result<(), BadNetwork> {
    let whole = in_line(source, 0);
    let mut said = Names::default();
    for row in rows {
        let line = in_line(source, row.line);
        for range in &row.nodes {
            let before = said.len();
            if let Some(twice) = twice(&said, range) {
                return Err(line.bad(format!("node {twice} is given twice")));
            }
            said.add(range)
                .map_err(|_| whole.bad("it has too many nodes"))?;
            if said.len() - before != range.count {
                return Err(line.bad(format!("a node of {} is given twice", range.prefix)));
            }
            if said.len() > NODES_MAX {
                return Err(whole.bad(format!("it has more than {NODES_MAX} nodes")));
            }
        }
    }
    Ok(())
}

/// A node of a range that is known already.
fn twice(known: &Names, range: &NameRange) -> Option<String> {
    let (nodes, _) = known.find(range);
    let first = nodes.first()?.first;
    Some(known.name(stowplan_engine::id::Id::from_row(first as usize)))
}

/// The rows depth first: by objects from the top, each at its first mention.
fn in_order(rows: &[Row], words: &[String], source: &str) -> Result<Vec<usize>, BadNetwork> {
    // The object above each object, by level.
    let mut above: Vec<HashMap<&str, &str>> = vec![HashMap::new(); words.len()];
    let mut mention: Vec<HashMap<&str, usize>> = vec![HashMap::new(); words.len()];
    for row in rows {
        let mut upper = "";
        for (at, object) in row.objects.iter().enumerate() {
            let known = *above[at].entry(object).or_insert(upper);
            if known != upper {
                let line = in_line(source, row.line);
                return Err(line.bad(format!(
                    "{} {object} is in {} {upper} here, and in {known} before",
                    words[at],
                    words[at - 1]
                )));
            }
            let next = mention[at].len();
            mention[at].entry(object).or_insert(next);
            upper = object;
        }
    }
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_cached_key(|&row| -> Vec<usize> {
        let objects = rows[row].objects.iter().enumerate();
        objects
            .map(|(at, object)| mention[at].get(object.as_str()).copied().unwrap_or(0))
            .collect()
    });
    Ok(order)
}

/// Reads a file of rows: `#node LEVEL …`, levels from the lowest up.
///
/// # Errors
/// A row of another length, and as [`network`].
pub(super) fn read(text: &str, source: &str) -> Result<Network, BadNetwork> {
    let mut words: Option<Vec<String>> = None;
    let mut rows = Vec::new();
    for (number, line) in (1_u32..).zip(text.lines()) {
        let here = in_line(source, number);
        let Some(known) = &words else {
            let Some(head) = line.trim().strip_prefix("#node") else {
                continue;
            };
            let mut found: Vec<String> = head.split_whitespace().map(str::to_owned).collect();
            if found.is_empty() {
                return Err(here.bad("the head names no level: #node LEVEL …, from the lowest up"));
            }
            for (at, word) in found.iter().enumerate() {
                super::level_words::check(word).map_err(|why| here.bad(why))?;
                if found[..at].contains(word) {
                    return Err(here.bad(format!("level {word} is given twice")));
                }
            }
            found.reverse();
            words = Some(found);
            continue;
        };
        let line = line.split('#').next().unwrap_or_default();
        let mut fields = line.split_whitespace();
        let Some(nodes) = fields.next() else {
            continue;
        };
        let mut objects: Vec<String> = fields.map(str::to_owned).collect();
        if objects.len() != known.len() {
            return Err(here.bad(format!(
                "the row of {nodes} has {} objects, the head names {} levels",
                objects.len(),
                known.len()
            )));
        }
        for object in &objects {
            super::host_list::one_name(object).map_err(|why| here.bad(why))?;
        }
        objects.reverse();
        let nodes = super::host_list::read(nodes).map_err(|why| here.bad(why))?;
        rows.push(Row {
            nodes,
            objects,
            line: number,
        });
    }
    network(&rows, &words.unwrap_or_default(), Tops::Dropped, source)
}
