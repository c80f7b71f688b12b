//! The default pins, and domains of one kind of object or of one size. Source: `lines/intel/spec.md` 5.
//!
//! Each function gives the sets of the local ranks; if there are fewer sets than ranks, the ranks take them in turn.

use super::node::{Node, cut, evenly, inside, union};
use super::pins::{Cell, Order};
use crate::launchers::hydra::objects::Pus;
use stowplan_engine::policy::ObjKind;

/// A kind of object of which a package or NUMA node has none: the rule for that is not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NoneThere;

/// The default: what each of so many ranks is pinned to.
///
/// # Errors
/// [`NoneThere`] when units do not lie inside packages.
pub(crate) fn auto(node: &Node<'_>, ranks: usize, order: Order) -> Result<Vec<Pus>, NoneThere> {
    if ranks > node.pus.len() || ranks == node.cores.len() {
        return Ok(node.cores.clone());
    }
    let units = node.units(ranks);
    if ranks == node.pus.len() {
        return Ok(node.pus.clone());
    }
    if ranks == units.len() {
        return Ok(units.to_vec());
    }
    if order == Order::Compact {
        return Ok(cut(&units.iter().collect::<Vec<_>>(), ranks));
    }
    if ranks <= node.packages.len() {
        return Ok(cut(&node.packages.iter().collect::<Vec<_>>(), ranks));
    }
    let mut found = Vec::with_capacity(ranks);
    if node.splits_by_numa(ranks) {
        for numa in &node.numa {
            found.extend(cut_inside(units, numa, ranks / node.numa.len())?);
        }
        return Ok(found);
    }
    let few = ranks <= units.len() / node.packages.len();
    for (package, own) in node.packages.iter().zip(evenly(ranks, node.packages.len())) {
        let numa = node.numa_inside(package);
        if few || numa.len() < 2 || own <= numa.len() {
            found.extend(cut_inside(units, package, own)?);
        } else {
            let parts = evenly(own, numa.len());
            for (numa, own) in numa.into_iter().zip(parts) {
                found.extend(cut_inside(units, numa, own)?);
            }
        }
    }
    Ok(found)
}

/// The units inside a set, cut into parts.
fn cut_inside(units: &[Pus], set: &Pus, parts: usize) -> Result<Vec<Pus>, NoneThere> {
    let own = inside(units, set);
    match own.is_empty() {
        true => Err(NoneThere),
        false => Ok(cut(&own, parts)),
    }
}

/// Domains that are objects of a kind.
///
/// # Errors
/// [`NoneThere`]
pub(crate) fn shape(
    node: &Node<'_>,
    ranks: usize,
    kind: ObjKind,
    order: Order,
) -> Result<Vec<Pus>, NoneThere> {
    let objects = node.objects(kind);
    if objects.is_empty() && is_cache(kind) {
        // A cache that the node has none of: its cores are cut evenly.
        let cores: Vec<&Pus> = node.cores.iter().collect();
        return Ok(cut(&cores, ranks.min(cores.len())));
    }
    if objects.is_empty() {
        return Err(NoneThere);
    }
    let in_turn = ranks >= objects.len() || node.packages.len() >= objects.len();
    if in_turn || order == Order::Compact || kind == ObjKind::L1 {
        return Ok(objects);
    }
    let mut found = Vec::with_capacity(ranks);
    for (own_box, own) in node.shares(ranks, objects.len()) {
        let objects = inside(&objects, own_box);
        if objects.is_empty() {
            return Err(NoneThere);
        }
        let turns = objects.into_iter().cycle().take(own);
        found.extend(turns.cloned());
    }
    Ok(found)
}

/// Whether objects of the kind are caches.
pub(crate) const fn is_cache(kind: ObjKind) -> bool {
    matches!(kind, ObjKind::L1 | ObjKind::L2 | ObjKind::L3)
}

/// Domains of a size: blocks of so many PUs, or of cores if a cell is a core.
///
/// # Errors
/// [`NoneThere`] when a package has no core.
pub(crate) fn size(
    node: &Node<'_>,
    ranks: usize,
    size: usize,
    cell: Cell,
    order: Order,
) -> Result<Vec<Pus>, NoneThere> {
    let cells = match cell {
        Cell::Unit => &node.pus,
        Cell::Core | Cell::WholeCore => &node.cores,
    };
    if size >= cells.len() {
        return Ok(vec![union(cells.iter())]);
    }
    let domains = cells.len() / size;
    let mut found = Vec::with_capacity(ranks.min(cells.len()));
    if ranks > domains || order == Order::Compact {
        let all: Vec<&Pus> = cells.iter().collect();
        // Blocks begin again at the first cell after as many blocks as there are cells at most.
        found.extend((0..ranks.min(cells.len())).map(|rank| block(&all, rank, size)));
        return Ok(found);
    }
    for (own_box, own) in node.shares(ranks, cells.len()) {
        let cells = inside(cells, own_box);
        if cells.is_empty() {
            return Err(NoneThere);
        }
        found.extend((0..own).map(|rank| block(&cells, rank, size)));
    }
    Ok(found)
}

/// Block `at` of `size` cells, wrapping.
fn block(cells: &[&Pus], at: usize, size: usize) -> Pus {
    let first = at % cells.len() * size % cells.len();
    let own = cells.iter().cycle().skip(first).take(size);
    union(own.copied())
}
