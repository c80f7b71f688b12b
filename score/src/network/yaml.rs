//! Slurm's topology.yaml: several topologies in one file, each a tree, blocks, rings or tori.

use super::blocks::{Block, Blocks};
use super::grid::{DIMENSIONS_MAX, Part, count, filling};
use super::key_values::ring;
use super::refused::Line;
use super::tree::Switch;
use super::yaml_text::{Value, What};
use super::{
    BadNetwork, Kind, LINKS_MAX, NODES_MAX, Network, SWITCHES_MAX, blocks, grid, host_list, tree,
    yaml_text,
};
use std::collections::HashMap;
use stowplan_engine::table::names::NameRange;

/// What a topology may be.
const KINDS: &[&str] = &["tree", "block", "ring", "torus3d"];

/// Reads the topology of this name, else the default one, else the first.
///
/// # Errors
/// What is wrong with it; errors in other topologies of the file only where its text is no YAML.
pub(super) fn read(text: &str, which: Option<&str>, source: &str) -> Result<Network, BadNetwork> {
    let file = yaml_text::read(text, source)?;
    let at = |value: &Value| value.line;
    let What::List(all) = &file.what else {
        return Err(Line {
            source,
            number: at(&file),
        }
        .bad("it is no list of topologies: - topology: NAME"));
    };
    let named = |name: &str| all.iter().find(|own| own.word("topology") == Some(name));
    let default = || {
        all.iter()
            .find(|own| own.word("cluster_default") == Some("true"))
    };
    let Some(own) = (match which {
        Some(name) => named(name),
        None => default().or_else(|| all.first()),
    }) else {
        let names: Vec<&str> = all.iter().filter_map(|own| own.word("topology")).collect();
        return Err(Line { source, number: 0 }.bad(format!(
            "there is no topology {}, there are: {}",
            which.unwrap_or("in it"),
            names.join(" ")
        )));
    };
    let line = Line {
        source,
        number: own.line,
    };
    let kinds: Vec<&str> = KINDS
        .iter()
        .copied()
        .filter(|kind| own.get(kind).is_some())
        .collect();
    let name = own.word("topology").unwrap_or("without a name");
    match kinds[..] {
        ["tree"] => switches(own, source),
        ["block"] => of_blocks(own, source),
        ["ring"] => rings(own, source),
        ["torus3d"] => tori(own, source),
        [] if own.get("flat").is_some() => Err(line.bad(format!(
            "topology {name} is flat: it says nothing on where nodes are"
        ))),
        [] => Err(line.bad(format!("topology {name} is none of: {}", KINDS.join(" ")))),
        _ => Err(line.bad(format!(
            "topology {name} is of two kinds: {}",
            kinds.join(" and ")
        ))),
    }
}

/// The list of parts of a topology.
fn parts<'v>(
    own: &'v Value,
    kind: &str,
    list: &str,
    source: &str,
) -> Result<&'v [Value], BadNetwork> {
    let inner = own
        .get(kind)
        .map(|inner| inner.list(list))
        .unwrap_or_default();
    if inner.is_empty() {
        return Err(Line {
            source,
            number: own.line,
        }
        .bad(format!("{kind} has no list {list}:")));
    }
    Ok(inner)
}

fn name<'v>(part: &'v Value, key: &str, source: &str) -> Result<&'v str, BadNetwork> {
    let line = Line {
        source,
        number: part.line,
    };
    let named = part.word(key).filter(|name| !name.is_empty());
    let name = named.ok_or_else(|| line.bad(format!("{key}: NAME is missing")))?;
    host_list::one_name(name).map_err(|why| line.bad(why))?;
    Ok(name)
}

fn nodes(part: &Value, source: &str) -> Result<Vec<NameRange>, BadNetwork> {
    match part.word("nodes").filter(|list| !list.is_empty()) {
        None => Ok(Vec::new()),
        Some(list) => host_list::read(list).map_err(|why| {
            Line {
                source,
                number: part.line,
            }
            .bad(why)
        }),
    }
}

fn switches(own: &Value, source: &str) -> Result<Network, BadNetwork> {
    let parts = parts(own, "tree", "switches", source)?;
    let mut number_of = HashMap::new();
    for (number, part) in (0..).zip(parts) {
        let name = name(part, "switch", source)?;
        if number_of.insert(name.to_owned(), number).is_some() {
            return Err(Line {
                source,
                number: part.line,
            }
            .bad(format!("switch {name} stands there twice")));
        }
    }
    let mut links = 0;
    let mut built = Vec::new();
    for part in parts {
        let line = Line {
            source,
            number: part.line,
        };
        let name = name(part, "switch", source)?.to_owned();
        let nodes = nodes(part, source)?;
        let mut children = Vec::new();
        if let Some(list) = part
            .word("children")
            .filter(|list| nodes.is_empty() && !list.is_empty())
        {
            for child in host_list::read_each(list, SWITCHES_MAX).map_err(|why| line.bad(why))? {
                let Some(&child) = number_of.get(&child) else {
                    return Err(line.bad(format!("switch {child} below {name} is not defined")));
                };
                children.push(child);
                links += 1;
                if links > LINKS_MAX {
                    return Err(line.bad(format!("there are more than {LINKS_MAX} links")));
                }
            }
        }
        built.push(Switch {
            name,
            line: part.line,
            nodes,
            children,
        });
    }
    tree::network(&built, "switch", source)
}

fn of_blocks(own: &Value, source: &str) -> Result<Network, BadNetwork> {
    let mut found = Blocks::default();
    for part in parts(own, "block", "blocks", source)? {
        let name = name(part, "block", source)?.to_owned();
        found.blocks.push(Block {
            name,
            nodes: nodes(part, source)?,
            line: part.line,
        });
    }
    for size in own
        .get("block")
        .map(|inner| inner.list("block_sizes"))
        .unwrap_or_default()
    {
        let What::Word(word) = &size.what else {
            return Err(Line {
                source,
                number: size.line,
            }
            .bad("a block size is no number"));
        };
        found.sizes.push(number(word, size.line, source)?);
        found.sizes_line = size.line;
    }
    blocks::network(&found, source)
}

fn number(word: &str, line: u32, source: &str) -> Result<u32, BadNetwork> {
    let digits = !word.is_empty() && word.bytes().all(|sign| sign.is_ascii_digit());
    let number = word
        .parse::<u32>()
        .ok()
        .filter(|&number| digits && number > 0);
    number.ok_or_else(|| {
        Line {
            source,
            number: line,
        }
        .bad(format!("{word:?} is no number, from 1"))
    })
}

fn rings(own: &Value, source: &str) -> Result<Network, BadNetwork> {
    let mut built = Vec::new();
    for part in parts(own, "ring", "rings", source)? {
        let line = Line {
            source,
            number: part.line,
        };
        built.push(ring(
            name(part, "ring", source)?,
            nodes(part, source)?,
            line,
        )?);
    }
    grid::network(Kind::Ring, &built, "ring", source)
}

fn tori(own: &Value, source: &str) -> Result<Network, BadNetwork> {
    let mut built = Vec::new();
    for part in parts(own, "torus3d", "toruses", source)? {
        let line = Line {
            source,
            number: part.line,
        };
        let name = name(part, "name", source)?.to_owned();
        let Some(sizes) = part.get("dims") else {
            return Err(line.bad(format!("torus {name} has no dims:")));
        };
        let dims = triple(sizes, 1, source)?;
        let cells: u64 = dims.iter().map(|&size| u64::from(size)).product();
        if cells > u64::from(NODES_MAX) {
            return Err(line.bad(format!(
                "torus {name} has {cells} places, at most {NODES_MAX} are possible"
            )));
        }
        let regions = part.list("regions");
        let nodes = if regions.is_empty() {
            let nodes = nodes(part, source)?;
            if count(&nodes) != cells {
                return Err(line.bad(format!(
                    "torus {name} has {cells} places and {} nodes",
                    count(&nodes)
                )));
            }
            filling(nodes)
        } else {
            let mut placed = Vec::new();
            for region in regions {
                placed.extend(of_region(region, &dims, &name, source)?);
            }
            placed
        };
        built.push(Part {
            name,
            dims,
            nodes,
            line: part.line,
        });
    }
    grid::network(Kind::Torus, &built, "torus", source)
}

/// The x, y and z of a map.
fn triple(map: &Value, least: u32, source: &str) -> Result<Vec<u32>, BadNetwork> {
    let line = Line {
        source,
        number: map.line,
    };
    let mut found = Vec::with_capacity(DIMENSIONS_MAX);
    for axis in ["x", "y", "z"] {
        let word = map.word(axis).unwrap_or_default();
        let digits = !word.is_empty() && word.bytes().all(|sign| sign.is_ascii_digit());
        let Some(number) = word
            .parse::<u32>()
            .ok()
            .filter(|&number| digits && number >= least)
        else {
            return Err(line.bad(format!("{axis}: {word:?} is no number, from {least}")));
        };
        found.push(number);
    }
    Ok(found)
}

/// The nodes of a region, each range with its cells.
fn of_region(
    region: &Value,
    dims: &[u32],
    torus: &str,
    source: &str,
) -> Result<Vec<(NameRange, Vec<u32>)>, BadNetwork> {
    let line = Line {
        source,
        number: region.line,
    };
    let part = |key: &str| {
        region
            .get(key)
            .ok_or_else(|| line.bad(format!("a region of torus {torus} has no {key}:")))
    };
    let (anchor, sizes) = (
        triple(part("anchor")?, 0, source)?,
        triple(part("dims")?, 1, source)?,
    );
    let inside = anchor
        .iter()
        .zip(&sizes)
        .zip(dims)
        .all(|((&first, &size), &all)| u64::from(first) + u64::from(size) <= u64::from(all));
    if !inside {
        return Err(line.bad(format!("a region reaches out of torus {torus}")));
    }
    let nodes = nodes(region, source)?;
    let cells: u64 = sizes.iter().map(|&size| u64::from(size)).product();
    if cells != count(&nodes) {
        return Err(line.bad(format!(
            "a region of torus {torus} has {cells} places and {} nodes",
            count(&nodes)
        )));
    }
    let mut next = 0_u32;
    let placed = nodes.into_iter().map(|range| {
        let own = (next..next + range.count).map(|number| {
            let at = grid::coordinates(&sizes, number);
            let mut cell = 0;
            for axis in (0..dims.len()).rev() {
                cell = cell * dims[axis] + anchor[axis] + at[axis];
            }
            cell
        });
        let own = own.collect();
        next += range.count;
        (range, own)
    });
    Ok(placed.collect())
}
