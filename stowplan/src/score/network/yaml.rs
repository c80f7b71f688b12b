//! Slurm's topology.yaml: several topologies in one file, each a tree, blocks, rings or tori.

use super::blocks::{Block, Blocks};
use super::grid::{Part, count, filling};
use super::refused::in_line;
use super::topology_conf::ring;
use super::tree::Named;
use super::yaml_text::{Value, What};
use super::{BadNetwork, Kind, NODES_MAX, Network, blocks, grid, host_list, tree, yaml_text};
use stowplan_engine::table::names::NameRange;
use stowplan_engine::text::digits::number;

/// What a topology may be.
const KINDS: &[&str] = &["tree", "block", "ring", "torus3d"];

/// Reads the topology of this name, else the default one, else the first.
///
/// # Errors
/// What is wrong with it; errors in other topologies of the file only where its text is no YAML.
pub(super) fn read(text: &str, which: Option<&str>, source: &str) -> Result<Network, BadNetwork> {
    let file = yaml_text::read(text, source)?;
    let What::List(all) = &file.what else {
        let why = "it is no list of topologies: - topology: NAME";
        return Err(file.line.bad(why));
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
        return Err(in_line(source, 0).bad(format!(
            "there is no topology {}, there are: {}",
            which.unwrap_or("in it"),
            names.join(" ")
        )));
    };
    let line = own.line;
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
fn parts<'v, 't>(
    own: &'v Value<'t>,
    kind: &str,
    list: &str,
) -> Result<&'v [Value<'t>], BadNetwork> {
    let inner = own.get(kind).map(|inner| inner.list(list));
    let inner = inner.filter(|inner| !inner.is_empty());
    inner.ok_or_else(|| own.line.bad(format!("{kind} has no list {list}:")))
}

fn name(part: &Value<'_>, key: &str) -> Result<String, BadNetwork> {
    let named = part.word(key).filter(|name| !name.is_empty());
    let name = named.ok_or_else(|| part.line.bad(format!("{key}: NAME is missing")))?;
    host_list::one_name(name).map_err(|why| part.line.bad(why))?;
    Ok(name.to_owned())
}

fn nodes(part: &Value<'_>) -> Result<Vec<NameRange>, BadNetwork> {
    match part.word("nodes").filter(|list| !list.is_empty()) {
        None => Ok(Vec::new()),
        Some(list) => host_list::read(list).map_err(|why| part.line.bad(why)),
    }
}

fn switches(own: &Value<'_>, source: &str) -> Result<Network, BadNetwork> {
    let named = parts(own, "tree", "switches")?.iter().map(|part| {
        let nodes = nodes(part)?;
        // A switch with nodes ignores its children.
        let below = part.word("children");
        let below = below.filter(|list| nodes.is_empty() && !list.is_empty());
        Ok(Named {
            line: part.line,
            name: name(part, "switch")?,
            nodes,
            below,
        })
    });
    tree::of_names(named.collect::<Result<_, _>>()?, source)
}

fn of_blocks(own: &Value<'_>, source: &str) -> Result<Network, BadNetwork> {
    let mut found = Blocks::default();
    for part in parts(own, "block", "blocks")? {
        found.blocks.push(Block {
            name: name(part, "block")?,
            nodes: nodes(part)?,
            line: part.line.number,
        });
    }
    let sizes = own.get("block").map(|inner| inner.list("block_sizes"));
    for size in sizes.unwrap_or_default() {
        let What::Word(word) = &size.what else {
            return Err(size.line.bad("a block size is no number"));
        };
        let number = number(word).filter(|&number| number > 0);
        let wrong = || size.line.bad(format!("{word:?} is no number, from 1"));
        found.sizes.push(number.ok_or_else(wrong)?);
        found.sizes_line = size.line.number;
    }
    blocks::network(&found, source)
}

fn rings(own: &Value<'_>, source: &str) -> Result<Network, BadNetwork> {
    let parts = parts(own, "ring", "rings")?.iter();
    let each = parts.map(|part| ring(&name(part, "ring")?, nodes(part)?, part.line));
    let built = each.collect::<Result<Vec<Part>, _>>()?;
    grid::network(Kind::Ring, &built, "ring", source)
}

fn tori(own: &Value<'_>, source: &str) -> Result<Network, BadNetwork> {
    let mut built = Vec::new();
    for part in parts(own, "torus3d", "toruses")? {
        let line = part.line;
        let name = name(part, "name")?;
        let Some(sizes) = part.get("dims") else {
            return Err(line.bad(format!("torus {name} has no dims:")));
        };
        let dims = triple(sizes, 1)?;
        let cells: u64 = dims.iter().map(|&size| u64::from(size)).product();
        if cells > u64::from(NODES_MAX) {
            return Err(line.bad(format!(
                "torus {name} has {cells} places, at most {NODES_MAX} are possible"
            )));
        }
        let regions = part.list("regions");
        let mut placed = Vec::new();
        for region in regions {
            placed.extend(of_region(region, &dims, &name)?);
        }
        if regions.is_empty() {
            let nodes = nodes(part)?;
            let many = count(&nodes);
            if many != cells {
                return Err(line.bad(format!("torus {name} has {cells} places and {many} nodes")));
            }
            placed = filling(nodes);
        }
        built.push(Part {
            name,
            dims,
            nodes: placed,
            line: line.number,
        });
    }
    grid::network(Kind::Torus, &built, "torus", source)
}

/// The x, y and z of a map.
fn triple(map: &Value<'_>, least: u32) -> Result<Vec<u32>, BadNetwork> {
    let axis = |axis: &&str| {
        let word = map.word(axis).unwrap_or_default();
        let number = number(word).filter(|&number| number >= least);
        let wrong = || format!("{axis}: {word:?} is no number, from {least}");
        number.ok_or_else(|| map.line.bad(wrong()))
    };
    ["x", "y", "z"].iter().map(axis).collect()
}

/// The nodes of a region, each range with its cells.
fn of_region(
    region: &Value<'_>,
    dims: &[u32],
    torus: &str,
) -> Result<Vec<(NameRange, Vec<u32>)>, BadNetwork> {
    let line = region.line;
    let part = |key: &str| {
        let wrong = || line.bad(format!("a region of torus {torus} has no {key}:"));
        region.get(key).ok_or_else(wrong)
    };
    let (anchor, sizes) = (triple(part("anchor")?, 0)?, triple(part("dims")?, 1)?);
    let inside = anchor
        .iter()
        .zip(&sizes)
        .zip(dims)
        .all(|((&first, &size), &all)| u64::from(first) + u64::from(size) <= u64::from(all));
    if !inside {
        return Err(line.bad(format!("a region reaches out of torus {torus}")));
    }
    let nodes = nodes(region)?;
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
