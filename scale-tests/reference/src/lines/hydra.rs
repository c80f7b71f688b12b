//! A line of MPICH's Hydra 5.0.2. Source: `lines/hydra/spec.md` 3 to 6.

use super::node::{Node, Set};
use super::{Class, LineRow, dealt, locals, programs};
use crate::cpus::Cpus;
use crate::machine::Machine;
use std::collections::BTreeMap;
use stowplan_engine::policy::ObjKind;

/// What ranks are bound to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Binding {
    /// Nothing.
    Free,
    /// `user:` entries of OS numbers.
    User(Vec<Vec<u32>>),
    /// `rr`
    InTurn,
    /// So many objects of a kind, mapped by so many objects of another.
    Objects {
        /// `-bind-to`
        bind: (ObjKind, usize),
        /// `-map-by`, or the same.
        map: (ObjKind, usize),
    },
}

/// A line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hydra {
    /// Hosts as listed, with their slots.
    pub hosts: Vec<(String, usize)>,
    /// `-ppn`
    pub per_node: Option<usize>,
    /// `-rankmap`: places in the node list.
    pub rank_map: Option<Vec<usize>>,
    /// Ranks of each program.
    pub procs: Vec<usize>,
    /// Binding of every node.
    pub binding: Binding,
}

/// Places every rank.
///
/// # Errors
/// The class of the refusal.
pub fn place(line: &Hydra, machine: &Machine) -> Result<Vec<LineRow>, Class> {
    let mut nodes: Vec<(String, usize)> = Vec::new();
    for (name, slots) in &line.hosts {
        match nodes.last_mut() {
            Some(last) if last.0 == *name => last.1 += slots,
            _ => nodes.push((name.clone(), *slots)),
        }
    }
    if let Some(each) = line.per_node {
        nodes.iter_mut().for_each(|node| node.1 = each);
    }
    let ranks = line.procs.iter().sum();
    let slots: Vec<usize> = nodes.iter().map(|node| node.1).collect();
    let of_rank = match &line.rank_map {
        None => dealt(&slots, ranks),
        Some(map) => mapped(map, ranks, nodes.len())?,
    };
    let local = locals(&of_rank);
    let mut most: BTreeMap<usize, usize> = BTreeMap::new();
    for &node in &of_rank {
        *most.entry(node).or_default() += 1;
    }
    let node = Node::new(machine);
    let mut of_count: BTreeMap<usize, Vec<Option<Cpus>>> = BTreeMap::new();
    for &count in most.values() {
        of_count.insert(count, bound(&node, &line.binding, count)?);
    }
    let apps = programs(&line.procs);
    let row = |rank: usize| LineRow {
        app: apps[rank],
        node: nodes[of_rank[rank]].0.clone(),
        local: local[rank],
        cpus: of_count[&most[&of_rank[rank]]][local[rank]].clone(),
        gpus: None,
    };
    Ok((0..ranks).map(row).collect())
}

/// A map that goes on from its first node 0.
fn mapped(map: &[usize], ranks: usize, nodes: usize) -> Result<Vec<usize>, Class> {
    if map.iter().take(ranks).any(|&node| node >= nodes) {
        return Err("launch-fails");
    }
    let again = map.iter().position(|&node| node == 0);
    let mut of_rank = map.to_vec();
    while of_rank.len() < ranks {
        let again = again.ok_or("launch-fails")?;
        of_rank.extend_from_slice(&map[again..]);
    }
    of_rank.truncate(ranks);
    Ok(of_rank)
}

/// What each local rank of a node gets.
fn bound(node: &Node<'_>, binding: &Binding, ranks: usize) -> Result<Vec<Option<Cpus>>, Class> {
    let pus = node.os.len();
    let mut found = Vec::new();
    match binding {
        Binding::Free => found.resize(ranks, None),
        Binding::User(entries) => {
            for rank in 0..ranks {
                let Some(entry) = entries.get(rank) else {
                    found.push(None);
                    continue;
                };
                if entry.iter().any(|cpu| !node.os.contains(cpu)) {
                    return Err("launch-fails");
                }
                let mut cpus = Cpus::none();
                entry.iter().for_each(|&cpu| cpus.add(cpu));
                found.push(Some(cpus));
            }
        }
        Binding::InTurn => {
            for rank in 0..ranks {
                let cpu = u32::try_from(rank % pus).unwrap_or(0);
                if !node.os.contains(&cpu) {
                    return Err("launch-fails");
                }
                let mut cpus = Cpus::none();
                cpus.add(cpu);
                found.push(Some(cpus));
            }
        }
        Binding::Objects { bind, map } => {
            let sets = sets(node, *bind, *map)?;
            for rank in 0..ranks {
                found.push(Some(node.cpus(&sets[rank % sets.len()])));
            }
        }
    }
    Ok(found)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The rule of section 6, step by step.
fn sets(
    node: &Node<'_>,
    (kind, b): (ObjKind, usize),
    (by, m): (ObjKind, usize),
) -> Result<Vec<Set>, Class> {
    let (targets, mapping) = (node.objects(kind), node.objects(by));
    if targets.is_empty() || mapping.is_empty() {
        return Err("launch-fails");
    }
    let pus = node.os.len();
    let (pm, pb) = (pus / mapping.len() * m, pus / targets.len() * b);
    if pm > pus || pb == 0 {
        return Err("launch-fails");
    }
    let domains = mapping.len() / gcd(mapping.len(), m);
    let wanted = if pb < pm {
        let least = (1..).find(|i| (i * pm).is_multiple_of(pb)).unwrap_or(1);
        least * pm * domains / pb
    } else {
        domains
    };
    let member = |domain: usize, at: usize| &mapping[(domain * m + at) % mapping.len()];
    let whole =
        |domain: usize| -> Set { (0..m).flat_map(|at| member(domain, at)).copied().collect() };
    let mut cursor: Vec<usize> = (0..domains)
        .map(|domain| member(domain, 0).iter().copied().min().unwrap_or(0))
        .collect();
    let (mut found, mut last) = (Vec::new(), 0);
    while found.len() < wanted {
        #[expect(
            clippy::needless_range_loop,
            reason = "a domain is a number of other tables too"
        )]
        for domain in 0..domains {
            if found.len() == wanted {
                break;
            }
            let first = targets.iter().position(|set| set.contains(&cursor[domain]));
            let first = first.unwrap_or(last);
            last = first;
            let own = whole(domain);
            let near = smallest_around(node, &own);
            let mut set = targets[first].clone();
            let mut at = first;
            for _ in 1..b {
                let others = (1..=targets.len()).map(|step| (at + step) % targets.len());
                let next = others
                    .into_iter()
                    .find(|&other| pb >= pm || targets[other].is_subset(&near));
                at = next.unwrap_or(at);
                set.extend(targets[at].iter().copied());
            }
            found.push(set);
            if pb < pm {
                let own: Vec<usize> = own.into_iter().collect();
                let place = own.iter().position(|&pu| pu == cursor[domain]).unwrap_or(0);
                cursor[domain] = own[(place + pb) % own.len()];
            }
        }
    }
    Ok(found)
}

/// The smallest object that holds a set.
fn smallest_around(node: &Node<'_>, set: &Set) -> Set {
    let all = ObjKind::ALL.into_iter().flat_map(|kind| node.objects(kind));
    let around = all.filter(|own| set.is_subset(own)).min_by_key(Set::len);
    around.unwrap_or_else(|| (0..node.os.len()).collect())
}
