//! KEY=VALUE lines: Slurm's topology.conf, and what `scontrol show topology` prints.

use super::blocks::{Block, Blocks};
use super::grid::{Part, count, dims, filling};
use super::refused::{Line, in_line};
use super::tree::Named;
use super::{BadNetwork, Kind, Network, blocks, grid, host_list, tree};
use std::collections::HashMap;
use stowplan_engine::table::names::NameRange;
use stowplan_engine::text::digits::number;

/// Nodes of a ring.
pub(super) const RING_MAX: u64 = 16;

/// The kinds of lines: their first key, and the keys that they may have.
#[rustfmt::skip]
const FORMS: &[(&str, &[&str])] = &[
    ("switchname", &["switchname", "nodes", "switches", "linkspeed", "level"]),
    ("blockname", &["blockname", "blockindex", "nodes", "blocksize"]),
    ("aggregatedblock", &["aggregatedblock", "blockindex", "nodes", "blocksize"]),
    ("blocksizes", &["blocksizes"]),
    ("ringname", &["ringname", "nodes"]),
    ("torusname", &["torusname", "dims", "nodes", "placementdims", "anchors"]),
];

/// Which network a line belongs to.
fn family(first: &str) -> &'static str {
    match first {
        "switchname" => "switches",
        "ringname" => "rings",
        "torusname" => "a torus",
        _ => "blocks",
    }
}

/// Whether a word begins a line of this form.
pub(super) fn begins(word: &str) -> bool {
    let key = word
        .split('=')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    word.contains('=') && FORMS.iter().any(|form| form.0 == key)
}

/// A line with its keys in small letters.
struct Entry<'t> {
    line: Line<'t>,
    form: &'static str,
    values: HashMap<&'static str, &'t str>,
}

impl<'t> Entry<'t> {
    /// A value; `(null)` is none.
    fn value(&self, key: &str) -> Option<&'t str> {
        self.values
            .get(key)
            .copied()
            .filter(|value| !value.is_empty() && *value != "(null)")
    }

    fn nodes(&self) -> Result<Vec<NameRange>, BadNetwork> {
        let list = self.value("nodes").map(host_list::read);
        list.transpose()
            .map_err(|why| self.line.bad(why))
            .map(Option::unwrap_or_default)
    }

    fn name(&self) -> Result<&'t str, BadNetwork> {
        let name = self.value(self.form);
        let name = name.ok_or_else(|| self.line.bad(format!("{} has no value", self.form)))?;
        host_list::one_name(name).map_err(|why| self.line.bad(why))?;
        Ok(name)
    }
}

/// Reads such lines.
///
/// # Errors
/// The first wrong line, or what is wrong with all of them.
pub(super) fn read(text: &str, source: &str) -> Result<Network, BadNetwork> {
    let joined = continued(text);
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for (number, line) in &joined {
        let line_of = in_line(source, *number);
        if let Some(entry) = entry(line, line_of)? {
            if let Some(first) = entries
                .first()
                .filter(|first| family(first.form) != family(entry.form))
            {
                let word = line.split_whitespace().next().unwrap_or_default();
                let word = word.split('=').next().unwrap_or_default();
                return Err(line_of.bad(format!(
                    "{word} belongs to {}, and the lines before to {}",
                    family(entry.form),
                    family(first.form)
                )));
            }
            entries.push(entry);
        }
    }
    match entries.first().map(|first| family(first.form)) {
        Some("switches") => switches(&entries, source),
        Some("rings") => rings(&entries, source),
        Some("a torus") => torus(&entries, source),
        Some(_) => read_blocks(&entries, source),
        None => Err(in_line(source, 0).bad("there is nothing in it")),
    }
}

/// Lines without comments; one that ends in `\` goes on with the next. Each with the number of its first line.
fn continued(text: &str) -> Vec<(u32, String)> {
    let mut found: Vec<(u32, String)> = Vec::new();
    let mut open = false;
    for (number, line) in (1_u32..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim_end();
        let (line, goes_on) = match line.strip_suffix('\\') {
            Some(line) => (line, true),
            None => (line, false),
        };
        match found.last_mut().filter(|_| open) {
            Some(last) => {
                last.1.push(' ');
                last.1.push_str(line);
            }
            None => found.push((number, line.to_owned())),
        }
        open = goes_on;
    }
    found
}

fn entry<'t>(text: &'t str, line: Line<'t>) -> Result<Option<Entry<'t>>, BadNetwork> {
    let mut words = text.split_whitespace();
    let Some(first) = words.clone().next() else {
        return Ok(None);
    };
    let key = |word: &str| {
        word.split('=')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase()
    };
    let first_key = key(first);
    let Some(&(form, keys)) = FORMS.iter().find(|form| form.0 == first_key) else {
        return Err(line.bad(format!("{first:?} begins no line of a network: SwitchName= BlockName= BlockSizes= RingName= TorusName=")));
    };
    let mut values = HashMap::new();
    for word in words.by_ref() {
        let Some((name, value)) = word.split_once('=') else {
            return Err(line.bad(format!("{word:?} is no KEY=VALUE")));
        };
        let Some(known) = keys.iter().find(|known| **known == key(word)) else {
            return Err(line.bad(format!(
                "the key {name} is unknown beside {}",
                first.split('=').next().unwrap_or(first)
            )));
        };
        if values.insert(*known, value).is_some() {
            return Err(line.bad(format!("{name} is given twice")));
        }
    }
    Ok(Some(Entry { line, form, values }))
}

fn switches(entries: &[Entry<'_>], source: &str) -> Result<Network, BadNetwork> {
    let named = entries.iter().map(|entry| {
        let name = entry.name()?.to_owned();
        let below = entry.value("switches");
        if below.is_some() && entry.value("nodes").is_some() && entry.value("level").is_none() {
            let why = format!("switch {name} has nodes and switches at once");
            return Err(entry.line.bad(why));
        }
        // What scontrol shows repeats the nodes of those below.
        let nodes = entry.nodes()?;
        Ok(Named {
            line: entry.line,
            name,
            nodes: if below.is_some() { Vec::new() } else { nodes },
            below,
        })
    });
    tree::of_names(named.collect::<Result<_, _>>()?, source)
}

fn rings(entries: &[Entry<'_>], source: &str) -> Result<Network, BadNetwork> {
    let mut parts = Vec::new();
    for entry in entries {
        let (name, nodes) = (entry.name()?, entry.nodes()?);
        parts.push(ring(name, nodes, entry.line)?);
    }
    grid::network(Kind::Ring, &parts, "ring", source)
}

/// A ring of nodes.
pub(super) fn ring(name: &str, nodes: Vec<NameRange>, line: Line<'_>) -> Result<Part, BadNetwork> {
    let size = count(&nodes);
    if size > RING_MAX {
        return Err(line.bad(format!(
            "ring {name} has {size} nodes, at most {RING_MAX} are possible"
        )));
    }
    let dims = vec![u32::try_from(size).unwrap_or(1).max(1)];
    Ok(Part {
        name: name.to_owned(),
        dims,
        nodes: filling(nodes),
        line: line.number,
    })
}

fn torus(entries: &[Entry<'_>], source: &str) -> Result<Network, BadNetwork> {
    let mut parts = Vec::new();
    for entry in entries {
        let name = entry.name()?;
        if entry.value("placementdims").is_some() && entry.value("dims").is_none() {
            continue;
        }
        let Some(text) = entry.value("dims") else {
            return Err(entry.line.bad(format!("torus {name} has no Dims=")));
        };
        let Some(dims) = dims(text) else {
            return Err(entry.line.bad(format!(
                "Dims={text} of torus {name} are no sizes such as 4x4x2"
            )));
        };
        let nodes = entry.nodes()?;
        let cells: u64 = dims.iter().map(|&size| u64::from(size)).product();
        if cells != count(&nodes) {
            return Err(entry.line.bad(format!(
                "torus {name} of {text} has {cells} places and {} nodes",
                count(&nodes)
            )));
        }
        parts.push(Part {
            name: name.to_owned(),
            dims,
            nodes: filling(nodes),
            line: entry.line.number,
        });
    }
    grid::network(Kind::Torus, &parts, "torus", source)
}

fn read_blocks(entries: &[Entry<'_>], source: &str) -> Result<Network, BadNetwork> {
    let mut found = Blocks::default();
    for entry in entries {
        match entry.form {
            "blocksizes" => {
                let list = entry.value("blocksizes").unwrap_or_default();
                let sizes = list.split(',').map(|size| {
                    let size_of = number(size).filter(|&size| size > 0);
                    size_of.ok_or_else(|| {
                        entry
                            .line
                            .bad(format!("BlockSizes={list}: {size:?} is no size"))
                    })
                });
                found.sizes.extend(sizes.collect::<Result<Vec<u32>, _>>()?);
                found.sizes_line = entry.line.number;
            }
            form => {
                let size = entry.value("blocksize").map(|size| {
                    number(size)
                        .filter(|&size| size > 0)
                        .ok_or_else(|| entry.line.bad(format!("BlockSize={size} is no size")))
                });
                let size = size.transpose()?;
                if form == "blockname" {
                    found.base = found.base.or(size);
                    let name = entry.name()?.to_owned();
                    found.blocks.push(Block {
                        name,
                        nodes: entry.nodes()?,
                        line: entry.line.number,
                    });
                } else if let Some(size) = size {
                    found.joins.push((size, entry.line.number));
                }
            }
        }
    }
    blocks::network(&found, source)
}
