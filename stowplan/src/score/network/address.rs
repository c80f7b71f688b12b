//! Addresses of nodes, as `SLURM_TOPOLOGY_ADDR` has them: switches from the top with dots between, the node last.

use super::refused::{Line, in_line};
use super::tree::Switch;
use super::{BadNetwork, LINKS_MAX, Network, SWITCHES_MAX, host_list, tree};
use std::collections::{HashMap, HashSet};
use stowplan_engine::text::hostlist::plain;

/// Switches of one component.
const COMPONENT_MAX: usize = 1 << 12;

/// Reads addresses, one a line, each perhaps with its pattern behind it.
///
/// # Errors
/// The first wrong line.
pub(super) fn read(text: &str, source: &str) -> Result<Network, BadNetwork> {
    let mut known = Known::default();
    let mut nodes: HashSet<&str> = HashSet::new();
    let (mut length, mut word) = (None, "switch");
    for (number, text) in (1_u32..).zip(text.lines()) {
        let line = in_line(source, number);
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
        host_list::one_name(node).map_err(|why| line.bad(why))?;
        if !nodes.insert(node) {
            return Err(line.bad(format!("node {node} is given twice")));
        }
        let leaves = known.add(switches, line)?;
        for leaf in leaves {
            known.built[leaf as usize].nodes.push(plain(node));
        }
    }
    let mut network = tree::network(&known.built, word, source)?;
    network.listed = None;
    Ok(network)
}

/// The switches that were met.
#[derive(Default)]
struct Known {
    built: Vec<Switch>,
    number_of: HashMap<String, u32>,
    /// The switches of each component.
    parts: HashMap<String, Vec<u32>>,
    /// Components that stood one above the other.
    joined: HashSet<(String, String)>,
    /// Upper and lower switch of each link.
    links: HashSet<(u32, u32)>,
    /// Names that were written out, and links that were looked at.
    work: usize,
}

impl Known {
    /// Adds the switches of an address, from the top. Gives those of the last component.
    fn add(&mut self, switches: &[&str], line: Line<'_>) -> Result<Vec<u32>, BadNetwork> {
        let mut above: Option<&str> = None;
        for part in switches.iter().filter(|part| !part.is_empty()) {
            if !self.parts.contains_key(*part) {
                let own = self.numbers(part, line)?;
                self.parts.insert((*part).to_owned(), own);
            }
            if let Some(above) = above
                && self.joined.insert((above.to_owned(), (*part).to_owned()))
            {
                self.work += self.parts[above].len() * self.parts[*part].len();
                self.check(line)?;
                for &upper in &self.parts[above] {
                    for &lower in &self.parts[*part] {
                        if self.links.insert((upper, lower)) {
                            self.built[upper as usize].children.push(lower);
                        }
                    }
                }
            }
            above = Some(part);
        }
        Ok(above
            .map(|above| self.parts[above].clone())
            .unwrap_or_default())
    }

    /// The numbers of the switches of a component.
    fn numbers(&mut self, part: &str, line: Line<'_>) -> Result<Vec<u32>, BadNetwork> {
        let mut own = Vec::new();
        for name in host_list::read_each(part, COMPONENT_MAX).map_err(|why| line.bad(why))? {
            let next = u32::try_from(self.built.len()).unwrap_or(u32::MAX);
            let at = *self.number_of.entry(name.clone()).or_insert(next);
            if at == next {
                self.built.push(Switch {
                    name,
                    line: line.number,
                    ..Switch::default()
                });
            }
            own.push(at);
        }
        self.work += own.len();
        self.check(line)?;
        Ok(own)
    }

    fn check(&self, line: Line<'_>) -> Result<(), BadNetwork> {
        if self.built.len() > SWITCHES_MAX || self.work > LINKS_MAX {
            return Err(line.bad(format!(
                "there are more than {SWITCHES_MAX} switches or {LINKS_MAX} links"
            )));
        }
        Ok(())
    }
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
