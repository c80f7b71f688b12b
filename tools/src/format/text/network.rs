//! The objects of a job's network, with the nodes and ranks in each: folded where equal.

use crate::format::Told;
use stowplan::job::error::one_line;
use stowplan::score::network::{OnNetwork, host_list};
use stowplan_engine::table::names::Names;

/// The most lines of objects.
const LINES_MAX: usize = 8;
/// Objects of the level below that are named on one line.
const INNER_MAX: usize = 4;

/// An object of the top level: its name, its nodes, and the objects below it.
struct Object {
    name: String,
    /// Numbers of the network.
    nodes: Vec<u32>,
    /// Name and nodes of each object of the lowest level.
    inner: Vec<(String, Vec<u32>)>,
}

impl Object {
    /// What makes two objects look the same.
    fn shape(&self) -> (usize, Vec<usize>) {
        let inner = self.inner.iter().map(|own| own.1.len());
        (self.nodes.len(), inner.collect())
    }
}

/// A line for the network, if one is known.
#[must_use]
pub(super) fn source(told: &Told<'_>) -> Option<String> {
    let network = told.sources.network.as_ref()?.network();
    let source = one_line(network.source());
    Some(format!("network  {} · {source}", network.kind().word()))
}

/// A line for each object of the network's top level that has nodes of the job.
#[must_use]
pub(super) fn objects(told: &Told<'_>) -> Vec<String> {
    let Some(on) = &told.sources.network else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    let objects = used(on);
    let mut alike: Vec<&[Object]> = objects.chunk_by(|a, b| a.shape() == b.shape()).collect();
    if objects.len() <= LINES_MAX {
        alike = objects.chunks(1).collect();
    }
    for group in alike.iter().take(LINES_MAX) {
        lines.push(line(on, group));
    }
    if alike.len() > LINES_MAX {
        let more: usize = alike[LINES_MAX..].iter().map(|group| group.len()).sum();
        lines.push(format!("         … and {more} more"));
    }
    lines
}

/// The objects of the top level that the job uses.
fn used(on: &OnNetwork) -> Vec<Object> {
    let levels = on.network().levels();
    let (Some(top), Some(lowest)) = (levels.first(), levels.last()) else {
        return Vec::new();
    };
    let mut numbers = on.numbers().to_vec();
    numbers.sort_unstable();
    let mut found: Vec<(u32, Object)> = Vec::new();
    for node in numbers {
        let number = top.object(node);
        let at = found
            .iter()
            .position(|own| own.0 == number)
            .unwrap_or_else(|| {
                let name = one_line(&top.objects[number as usize]);
                found.push((
                    number,
                    Object {
                        name,
                        nodes: Vec::new(),
                        inner: Vec::new(),
                    },
                ));
                found.len() - 1
            });
        let own = &mut found[at].1;
        own.nodes.push(node);
        if levels.len() > 1 {
            let name = &lowest.objects[lowest.object(node) as usize];
            match own.inner.last_mut().filter(|last| last.0 == *name) {
                Some(last) => last.1.push(node),
                None => own.inner.push((one_line(name), vec![node])),
            }
        }
    }
    found.into_iter().map(|own| own.1).collect()
}

/// Objects that look the same.
fn line(on: &OnNetwork, group: &[Object]) -> String {
    let (first, last) = (&group[0], &group[group.len() - 1]);
    let count = first.nodes.len();
    let plural = if count == 1 { "" } else { "s" };
    if group.len() > 1 {
        let inner = match first.inner.len() {
            0 | 1 => String::new(),
            inner => format!(" in {inner}"),
        };
        return format!(
            "         {} … {}  {} with {count} node{plural}{inner} each",
            first.name,
            last.name,
            group.len()
        );
    }
    let names = on.network().names();
    let inner = if first.inner.len() > INNER_MAX {
        let (one, end) = (&first.inner[0].0, &first.inner[first.inner.len() - 1].0);
        format!("  {one} … {end}")
    } else {
        let each = first
            .inner
            .iter()
            .map(|(name, nodes)| format!("{name} {}", listed(names, nodes)));
        let each: Vec<String> = each.collect();
        if each.is_empty() {
            format!("  {}", listed(names, &first.nodes))
        } else {
            format!("  {}", each.join(" · "))
        }
    };
    format!("         {}  {count} node{plural}{inner}", first.name)
}

/// The names of some nodes.
fn listed(names: &Names, nodes: &[u32]) -> String {
    const WIDE: usize = 60;
    let stretches = nodes.iter().map(|&node| (node, node + 1));
    let text = host_list::write(names, joined(stretches).into_iter());
    match text.char_indices().nth(WIDE) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// Neighbouring stretches as one.
fn joined(stretches: impl Iterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    for (first, end) in stretches {
        match found.last_mut().filter(|last| last.1 == first) {
            Some(last) => last.1 = end,
            None => found.push((first, end)),
        }
    }
    found
}
