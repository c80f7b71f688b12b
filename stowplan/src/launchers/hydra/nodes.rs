//! Hydra's node list: names with slots, in order. Source: `lines/hydra/spec.md` 3.

use super::allotted::allotted;
use super::node_list::{HydraNodes, add, within_bounds, without};
use super::refusal::{fails, refuses};
use super::said::{Global, Named};
use super::version::Version;
use crate::launchers::line::named::leading_number;
use crate::launchers::line::{LineAsked, LineRefused, OurHosts, names_of};
use stowplan_engine::table::names::{NameRange, Names, TooManyNodes};
use stowplan_engine::text::hostlist::plain;

/// The nodes, and where they come from.
///
/// # Errors
/// `launcher-refuses`, `launch-fails`.
pub(super) fn nodes(
    asked: &LineAsked<'_>,
    global: &Global,
    version: Version,
) -> Result<(Vec<HydraNodes>, String), LineRefused> {
    let (mut nodes, origin) = named(asked, global, version)?;
    within_bounds(nodes.iter().map(|run| &run.names))?;
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
        nodes = without(nodes, head);
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
) -> Result<(Vec<HydraNodes>, String), LineRefused> {
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
            add(&mut nodes, plain(&name), slots, None)?;
        }
        return Ok((nodes, "--alloc".to_owned()));
    }
    if let OurHosts::Said(hosts) = asked.hosts {
        let mut nodes = Vec::new();
        for host in hosts {
            add(
                &mut nodes,
                host.names.clone(),
                host.slots.unwrap_or(1),
                None,
            )?;
        }
        return Ok((nodes, "-H".to_owned()));
    }
    if let Some(found) = super::batch::nodes(asked)? {
        return Ok(found);
    }
    let node = HydraNodes {
        names: plain(asked.head.unwrap_or("localhost")),
        slots: 1,
        binding: None,
    };
    Ok((vec![node], "the launch node".to_owned()))
}

fn from_list(list: &str) -> Result<Vec<HydraNodes>, LineRefused> {
    let mut nodes = Vec::new();
    for entry in list.split(',').filter(|entry| !entry.is_empty()) {
        let (name, slots) = entry_of(entry);
        add(&mut nodes, plain(&name), slots, None)?;
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
) -> Result<Vec<HydraNodes>, LineRefused> {
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
        add(&mut nodes, plain(&name), slots, binding)?;
    }
    if nodes.is_empty() {
        return Err(refuses(&format!("host file {path} names no host")));
    }
    Ok(nodes)
}

/// A word behind a host that Hydra does not take.
fn stray(path: &str, number: u32, host: &str, word: &str) -> LineRefused {
    let refused = refuses(&format!(
        "{path}:{number}: {word:?} after {host} is no word of a host file"
    ));
    if let Some(slots) = word.strip_prefix("slots=") {
        return refused.help([format!("write {host}:{slots}")]);
    }
    let comment = word.starts_with('#');
    refused.help(comment.then_some("a comment has a line of its own"))
}

/// The names of the nodes as a pool, and the first that stands twice: apart, it is two nodes.
///
/// Cost: the runs of nodes; the names of those that stand twice.
pub(super) fn names(nodes: &[HydraNodes]) -> Result<(Names, Option<String>), LineRefused> {
    let mut names = Names::default();
    let mut twice = None;
    for run in nodes {
        name_all(&mut names, &run.names, &mut twice)
            .map_err(|_| LineRefused::new("job-too-large", "more nodes than there can be"))?;
    }
    Ok((names, twice))
}

fn name_all(
    names: &mut Names,
    range: &NameRange,
    twice: &mut Option<String>,
) -> Result<(), TooManyNodes> {
    if names.find(range).0.is_empty() {
        return names.add(range).map(drop);
    }
    for name in names_of(range) {
        let one = plain(&name);
        if names.find_name(&name).is_some() {
            names.add_again(&one)?;
            twice.get_or_insert(name);
        } else {
            names.add(&one)?;
        }
    }
    Ok(())
}
