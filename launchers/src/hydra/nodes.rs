//! Hydra's node list: names with slots, in order. Source: `lines/hydra/spec.md` 3.

use super::allotted::allotted;
use super::node_list::{HydraNode, add};
use super::refusal::{fails, refuses};
use super::said::{Global, Named, leading_number};
use super::version::Version;
use crate::line::{LineAsked, LineRefused, OurHosts, names_of};
use stowplan_engine::table::names::Names;
use stowplan_engine::text::hostlist::plain;

/// The nodes, and where they come from.
///
/// # Errors
/// `launcher-refuses`, `launch-fails`.
pub(super) fn nodes(
    asked: &LineAsked<'_>,
    global: &Global,
    version: Version,
) -> Result<(Vec<HydraNode>, String), LineRefused> {
    let (mut nodes, origin) = named(asked, global, version)?;
    if let Some(text) = &global.per_node {
        let each = leading_number(text);
        let each = u32::try_from(each).ok().filter(|&each| each > 0);
        let each = each.ok_or_else(|| fails(&format!("-ppn {text} gives no slot")))?;
        for node in &mut nodes {
            node.slots = each;
        }
    }
    match global.order.as_deref() {
        None => {}
        Some("UP" | "ASCENDING" | "up" | "ascending") => nodes.sort_by_key(|node| node.slots),
        Some("DOWN" | "DESCENDING" | "down" | "descending") => {
            nodes.sort_by_key(|node| std::cmp::Reverse(node.slots));
        }
        Some(other) => return Err(refuses(&format!("-order-nodes {other} is UP or DOWN"))),
    }
    if global.skips_launch_node {
        let head = asked.head.unwrap_or("localhost");
        nodes.retain(|node| node.name != head);
        if nodes.is_empty() {
            return Err(refuses("-skip-launch-node leaves no node"));
        }
    }
    Ok((nodes, origin))
}

fn named(
    asked: &LineAsked<'_>,
    global: &Global,
    version: Version,
) -> Result<(Vec<HydraNode>, String), LineRefused> {
    match &global.hosts {
        Some(Named::List(list)) => return Ok((from_list(list)?, "the list".to_owned())),
        Some(Named::File(path)) => {
            return Ok((from_file(asked, path, version)?, format!("the file {path}")));
        }
        None => {}
    }
    if let Some(path) = asked.variable("HYDRA_HOST_FILE") {
        let nodes = from_file(asked, path, version)?;
        return Ok((nodes, "HYDRA_HOST_FILE".to_owned()));
    }
    if let Some(own) = allotted(asked)? {
        let mut nodes = Vec::new();
        for (name, slots) in own.hosts {
            add(&mut nodes, name, slots, None)?;
        }
        return Ok((nodes, "--alloc".to_owned()));
    }
    if let OurHosts::Said(hosts) = asked.hosts {
        let mut nodes = Vec::new();
        for host in hosts {
            for name in names_of(&host.names) {
                add(&mut nodes, name, host.slots.unwrap_or(1), None)?;
            }
        }
        return Ok((nodes, "-H".to_owned()));
    }
    if let Some(found) = super::batch::nodes(asked)? {
        return Ok(found);
    }
    let name = asked.head.unwrap_or("localhost").to_owned();
    let node = HydraNode {
        name,
        slots: 1,
        binding: None,
    };
    Ok((vec![node], "the launch node".to_owned()))
}

fn from_list(list: &str) -> Result<Vec<HydraNode>, LineRefused> {
    let mut nodes = Vec::new();
    for entry in list.split(',').filter(|entry| !entry.is_empty()) {
        let (name, slots) = entry_of(entry);
        add(&mut nodes, name, slots, None)?;
    }
    if nodes.is_empty() {
        return Err(refuses("the list names no host"));
    }
    Ok(nodes)
}

/// `name[:slots]`
fn entry_of(entry: &str) -> (String, u32) {
    match entry.split_once(':') {
        Some((name, slots)) => {
            let slots = u32::try_from(leading_number(slots).max(0)).unwrap_or(u32::MAX);
            (name.to_owned(), slots)
        }
        None => (entry.to_owned(), 1),
    }
}

fn from_file(
    asked: &LineAsked<'_>,
    path: &str,
    version: Version,
) -> Result<Vec<HydraNode>, LineRefused> {
    let bytes = asked
        .files
        .read(path)
        .map_err(|error| refuses(&format!("host file {path}: cannot be read: {error}")))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut nodes = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = match line.find('#') {
            Some(at) if version.passes_comments() || line[..at].trim().is_empty() => &line[..at],
            _ => line,
        };
        let mut words = line.split_whitespace();
        let Some(host) = words.next() else {
            continue;
        };
        let mut binding = None;
        for word in words {
            match word.split_once('=') {
                Some(("binding", own)) if binding.is_none() => binding = Some(own.to_owned()),
                Some(("binding", _)) => {
                    return Err(refuses(&format!(
                        "{path}:{number}: two bindings for one node"
                    )));
                }
                Some(("user", _)) => {}
                Some(_) | None => return Err(stray(path, number, host, word)),
            }
        }
        let (name, slots) = entry_of(host);
        add(&mut nodes, name, slots, binding)?;
    }
    if nodes.is_empty() {
        return Err(refuses(&format!("host file {path} names no host")));
    }
    Ok(nodes)
}

/// A word behind a host that Hydra does not take.
fn stray(path: &str, number: u32, host: &str, word: &str) -> LineRefused {
    let mut refused = refuses(&format!(
        "{path}:{number}: {word:?} behind {host} is no word of a host file"
    ));
    if let Some(slots) = word.strip_prefix("slots=") {
        refused.help.push(format!("write {host}:{slots}"));
    } else if word.starts_with('#') {
        refused
            .help
            .push("a comment has a line of its own".to_owned());
    }
    refused
}

/// The names of our own hosts as a pool, if they are these names in this order: ranges are added at once.
///
/// Cost: the names, compared one by one.
pub(crate) fn names_of_ours<'n>(
    asked: &LineAsked<'_>,
    names: impl ExactSizeIterator<Item = &'n str>,
) -> Option<Names> {
    let OurHosts::Said(hosts) = asked.hosts else {
        return None;
    };
    let mut pool = Names::default();
    for host in hosts {
        pool.add(&host.names).ok()?;
    }
    let count = pool.len() as usize == names.len();
    let mut own = hosts.iter().flat_map(|host| names_of(&host.names));
    let mut both = names.zip(own.by_ref());
    (count && both.all(|(name, own)| *name == own)).then_some(pool)
}

/// The names of the nodes as a pool, and the first that stands twice: apart, it is two nodes.
pub(crate) fn names(nodes: &[HydraNode]) -> Result<(Names, Option<&str>), LineRefused> {
    let mut names = Names::default();
    let mut twice = None;
    for node in nodes {
        let range = plain(&node.name);
        let known = names.find_name(&node.name).is_some();
        let added = if known {
            twice = twice.or(Some(node.name.as_str()));
            names.add_again(&range)
        } else {
            names.add(&range)
        };
        added.map_err(|_| LineRefused::new("job-too-large", "more nodes than there can be"))?;
    }
    Ok((names, twice))
}
