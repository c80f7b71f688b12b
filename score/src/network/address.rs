//! Addresses of nodes, as `SLURM_TOPOLOGY_ADDR` has them: switches from the top with dots between, the node last.

use super::refused::Line;
use super::tree::Switch;
use super::{BadNetwork, Network, SWITCHES_MAX, host_list, tree};
use std::collections::{HashMap, HashSet};
use stowplan_engine::table::names::NameRange;

/// Switches of one component.
const COMPONENT_MAX: usize = 1 << 12;

/// Reads addresses, one a line, each perhaps with its pattern behind it.
///
/// # Errors
/// The first wrong line.
pub(super) fn read(text: &str, source: &str) -> Result<Network, BadNetwork> {
    let mut built: Vec<Switch> = Vec::new();
    let mut number_of: HashMap<String, u32> = HashMap::new();
    let mut links: HashSet<(u32, u32)> = HashSet::new();
    let mut nodes: HashSet<&str> = HashSet::new();
    let (mut length, mut word) = (None, "switch");
    for (number, text) in (1_u32..).zip(text.lines()) {
        let line = Line { source, number };
        let mut fields = text
            .split('#')
            .next()
            .unwrap_or_default()
            .split_whitespace();
        let Some(address) = fields.next() else {
            continue;
        };
        let parts = components(address);
        if let Some(pattern) = fields.next() {
            let kinds: Vec<&str> = pattern.split('.').collect();
            if kinds.len() != parts.len() || kinds.last() != Some(&"node") {
                return Err(line.bad(format!("{address} has {} components, and its pattern {pattern} says {}: names with dots cannot be told apart", parts.len(), kinds.len())));
            }
            if kinds.contains(&"block") {
                word = "block";
            }
        }
        if *length.get_or_insert(parts.len()) != parts.len() {
            return Err(line.bad(format!(
                "{address} has {} components, the first line {}",
                parts.len(),
                length.unwrap_or(0)
            )));
        }
        let Some((&node, switches)) = parts
            .split_last()
            .filter(|parts| !parts.0.is_empty() && parts.1.iter().any(|part| !part.is_empty()))
        else {
            return Err(line.bad(format!("{address} names a node alone, and no switch")));
        };
        if !nodes.insert(node) {
            return Err(line.bad(format!("node {node} stands there twice")));
        }
        let mut above: Vec<u32> = Vec::new();
        for part in switches.iter().filter(|part| !part.is_empty()) {
            let mut own = Vec::new();
            for name in host_list::read_each(part, COMPONENT_MAX).map_err(|why| line.bad(why))? {
                let next = u32::try_from(built.len()).unwrap_or(u32::MAX);
                let at = *number_of.entry(name.clone()).or_insert(next);
                if at == next {
                    built.push(Switch {
                        name,
                        line: number,
                        ..Switch::default()
                    });
                }
                own.push(at);
            }
            for &upper in &above {
                for &lower in &own {
                    if links.insert((upper, lower)) {
                        built[upper as usize].children.push(lower);
                    }
                }
            }
            above = own;
        }
        if built.len() > SWITCHES_MAX || links.len() > SWITCHES_MAX {
            return Err(line.bad(format!("there are more than {SWITCHES_MAX} switches")));
        }
        for leaf in above {
            let one = NameRange {
                prefix: node.to_owned(),
                first: 0,
                count: 1,
                width: 0,
                suffix: String::new(),
            };
            built[leaf as usize].nodes.push(one);
        }
    }
    let mut network = tree::network(&built, word, source)?;
    network.listed = None;
    Ok(network)
}

/// The components of an address: dots in brackets do not separate.
fn components(address: &str) -> Vec<&str> {
    let (mut found, mut start, mut inside) = (Vec::new(), 0, false);
    for (at, sign) in address.bytes().enumerate() {
        match sign {
            b'[' => inside = true,
            b']' => inside = false,
            b'.' if !inside => {
                found.push(&address[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&address[start..]);
    found
}
