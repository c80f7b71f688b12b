//! A line of Intel MPI 2021.18. Source: `lines/intel/spec.md` 3 to 5.

use super::node::{Node, Set};
use super::{Class, LineRow, dealt, locals, programs};
use crate::cpus::Cpus;
use crate::machine::Machine;
use std::collections::BTreeMap;
use stowplan_engine::policy::ObjKind;

/// Domains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domain {
    /// Pins are off.
    Off,
    /// `auto`
    Auto,
    /// Objects of a kind.
    Kind(ObjKind),
    /// Blocks of a size, at least 1.
    Size(usize),
}

/// Whether something is as by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Usual {
    /// Bunch; cells of PUs.
    Yes,
    /// Compact; cells of cores.
    No,
}

/// A line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Intel {
    /// Hosts as listed.
    pub hosts: Vec<String>,
    /// Ranks of each turn; `None`: the cores of the first node.
    pub per_host: Option<usize>,
    /// Ranks of each program.
    pub procs: Vec<usize>,
    /// `I_MPI_PIN_DOMAIN`
    pub domain: Domain,
    /// `I_MPI_PIN_ORDER`
    pub order: Usual,
    /// `I_MPI_PIN_CELL`
    pub cell: Usual,
}

/// Places every rank.
///
/// # Errors
/// The class of the refusal.
pub fn place(line: &Intel, machine: &Machine) -> Result<Vec<LineRow>, Class> {
    let node = Node::new(machine);
    let each = line.per_host.unwrap_or_else(|| cores(&node).len());
    let ranks = line.procs.iter().sum();
    let turns = dealt(&vec![each; line.hosts.len()], ranks);
    // A host that stands twice is one node.
    let first = |turn: usize| line.hosts.iter().position(|host| *host == line.hosts[turn]);
    let of_rank: Vec<usize> = turns.iter().filter_map(|&turn| first(turn)).collect();
    let local = locals(&of_rank);
    let mut most: BTreeMap<usize, usize> = BTreeMap::new();
    for &host in &of_rank {
        *most.entry(host).or_default() += 1;
    }
    let mut of_count: BTreeMap<usize, Vec<Set>> = BTreeMap::new();
    for &count in most.values() {
        of_count.insert(count, pinned(&node, line, count)?);
    }
    let apps = programs(&line.procs);
    let cpus = |rank: usize| -> Option<Cpus> {
        let sets = &of_count[&most[&of_rank[rank]]];
        let set = sets.get(local[rank] % sets.len().max(1))?;
        Some(node.cpus(set))
    };
    let row = |rank: usize| LineRow {
        app: apps[rank],
        node: line.hosts[of_rank[rank]].clone(),
        local: local[rank],
        cpus: cpus(rank),
        gpus: None,
    };
    Ok((0..ranks).map(row).collect())
}

fn cores(node: &Node<'_>) -> Vec<Set> {
    match node.objects(ObjKind::Core) {
        none if none.is_empty() => node.objects(ObjKind::Hwthread),
        cores => cores,
    }
}

/// The sets of the local ranks of a node; none: unbound.
fn pinned(node: &Node<'_>, line: &Intel, n: usize) -> Result<Vec<Set>, Class> {
    let sets = match line.domain {
        Domain::Off => return Ok(Vec::new()),
        Domain::Auto => auto(node, n, line.order)?,
        Domain::Kind(kind) => of_kind(node, n, kind, line.order)?,
        Domain::Size(size) => of_size(node, n, size, line)?,
    };
    // A cache that the node has none of is whole cores.
    let whole = matches!(line.domain, Domain::Kind(kind) if is_cache(kind) && node.objects(kind).is_empty());
    if line.cell == Usual::Yes || whole {
        return Ok(sets);
    }
    let mut thin = Vec::new();
    for set in sets {
        let first = |core: &Set| core.iter().copied().find(|pu| set.contains(pu));
        thin.push(cores(node).iter().filter_map(first).collect());
    }
    Ok(thin)
}

fn is_cache(kind: ObjKind) -> bool {
    [ObjKind::L1, ObjKind::L2, ObjKind::L3].contains(&kind)
}

/// So many things in so many parts: the first parts get one more.
fn even(things: usize, parts: usize) -> Vec<usize> {
    let mut sizes = vec![0; parts];
    for thing in 0..things {
        sizes[thing % parts] += 1;
    }
    sizes
}

/// Units cut evenly.
fn cut(units: &[Set], parts: usize) -> Vec<Set> {
    if parts > units.len() {
        return (0..parts)
            .map(|part| units[part % units.len()].clone())
            .collect();
    }
    let sizes = even(units.len(), parts);
    let mut units = units.iter();
    let group = |size: usize| units.by_ref().take(size).flatten().copied().collect();
    sizes.into_iter().map(group).collect()
}

/// The units inside a set, cut evenly.
fn cut_inside(units: &[Set], set: &Set, parts: usize) -> Result<Vec<Set>, Class> {
    let inside: Vec<Set> = units
        .iter()
        .filter(|unit| unit.is_subset(set))
        .cloned()
        .collect();
    if inside.is_empty() {
        Err("not-modelled")
    } else {
        Ok(cut(&inside, parts))
    }
}

fn packages(node: &Node<'_>) -> Vec<Set> {
    match node.objects(ObjKind::Package) {
        none if none.is_empty() => node.objects(ObjKind::Machine),
        packages => packages,
    }
}

fn auto(node: &Node<'_>, n: usize, order: Usual) -> Result<Vec<Set>, Class> {
    let (cores, pus) = (cores(node), node.objects(ObjKind::Hwthread));
    if n > pus.len() || n == cores.len() {
        return Ok(cores);
    }
    if n == pus.len() {
        return Ok(pus);
    }
    let kinds = [
        ObjKind::Machine,
        ObjKind::Package,
        ObjKind::Numa,
        ObjKind::L3,
        ObjKind::L2,
        ObjKind::Core,
        ObjKind::Hwthread,
    ];
    let mut units = pus;
    for kind in kinds.into_iter().rev() {
        let own = node.objects(kind);
        // Of equal counts the level further up is taken: it comes last here.
        if own.len() >= n && own.len() <= units.len() {
            units = own;
        }
    }
    if n == units.len() {
        return Ok(units);
    }
    if order == Usual::No {
        return Ok(cut(&units, n));
    }
    let packages = packages(node);
    if n <= packages.len() {
        return Ok(cut(&packages, n));
    }
    let numa = node.objects(ObjKind::Numa);
    let mut found = Vec::new();
    if numa.len() > packages.len() && n.is_multiple_of(numa.len()) {
        for own in &numa {
            found.extend(cut_inside(&units, own, n / numa.len())?);
        }
        return Ok(found);
    }
    for (package, c) in packages.iter().zip(even(n, packages.len())) {
        let inside: Vec<&Set> = numa.iter().filter(|own| own.is_subset(package)).collect();
        if n <= units.len() / packages.len() || inside.len() < 2 || c <= inside.len() {
            found.extend(cut_inside(&units, package, c)?);
            continue;
        }
        for (own, c) in inside.iter().zip(even(c, inside.len())) {
            found.extend(cut_inside(&units, own, c)?);
        }
    }
    Ok(found)
}

/// The boxes among which ranks are dealt, with the ranks of each, where a node has so many things to give.
fn shares(node: &Node<'_>, n: usize, things: usize) -> Vec<(Set, usize)> {
    let (numa, packages) = (node.objects(ObjKind::Numa), packages(node));
    if numa.len() > packages.len() && n.is_multiple_of(numa.len()) {
        let each = n / numa.len();
        return numa.into_iter().map(|own| (own, each)).collect();
    }
    let most = things / packages.len();
    let mut found = Vec::new();
    for (package, c) in packages.iter().zip(even(n, packages.len())) {
        let inside: Vec<&Set> = numa.iter().filter(|own| own.is_subset(package)).collect();
        if n <= most || inside.len() < 2 {
            found.push((package.clone(), c));
            continue;
        }
        for (own, c) in inside.iter().zip(even(c, inside.len())) {
            found.push(((*own).clone(), c));
        }
    }
    found
}

fn of_kind(node: &Node<'_>, n: usize, kind: ObjKind, order: Usual) -> Result<Vec<Set>, Class> {
    let objects = node.objects(kind);
    if objects.is_empty() && is_cache(kind) {
        let cores = cores(node);
        return Ok(cut(&cores, n.min(cores.len())));
    }
    if objects.is_empty() {
        return Err("not-modelled");
    }
    let wraps = n >= objects.len() || packages(node).len() >= objects.len();
    if wraps || order == Usual::No || kind == ObjKind::L1 {
        return Ok(objects);
    }
    let mut found = Vec::new();
    for (own, c) in shares(node, n, objects.len()) {
        let inside: Vec<&Set> = objects.iter().filter(|set| set.is_subset(&own)).collect();
        if inside.is_empty() {
            return Err("not-modelled");
        }
        for rank in 0..c {
            found.push(inside[rank % inside.len()].clone());
        }
    }
    Ok(found)
}

fn of_size(node: &Node<'_>, n: usize, size: usize, line: &Intel) -> Result<Vec<Set>, Class> {
    let cells = match line.cell {
        Usual::Yes => node.objects(ObjKind::Hwthread),
        Usual::No => cores(node),
    };
    if size >= cells.len() {
        return Ok(vec![(0..node.os.len()).collect()]);
    }
    let block = |cells: &[&Set], rank: usize| -> Set {
        let own = (0..size).map(|at| cells[(rank * size + at) % cells.len()]);
        own.flatten().copied().collect()
    };
    if n > cells.len() / size || line.order == Usual::No {
        let all: Vec<&Set> = cells.iter().collect();
        return Ok((0..n).map(|rank| block(&all, rank)).collect());
    }
    let mut found = Vec::new();
    for (own, c) in shares(node, n, cells.len()) {
        let inside: Vec<&Set> = cells.iter().filter(|set| set.is_subset(&own)).collect();
        if inside.is_empty() {
            return Err("not-modelled");
        }
        found.extend((0..c).map(|rank| block(&inside, rank)));
    }
    Ok(found)
}
