//! Switches and their nodes, as levels. Several parents, overlapping leaves and trees that nothing joins are all legal.

use super::level_words::numbered;
use super::refused::{Line, in_line};
use super::{
    BadNetwork, Joined, LEVELS_MAX, LINKS_MAX, Level, NODES_MAX, Network, SWITCHES_MAX, host_list,
};
use std::collections::HashMap;
use stowplan_engine::table::names::{NameRange, Names};

/// A switch as a file has it.
#[derive(Clone, Debug, Default)]
pub(super) struct Switch {
    pub(super) name: String,
    pub(super) line: u32,
    pub(super) nodes: Vec<NameRange>,
    pub(super) children: Vec<u32>,
}

/// A switch that names those below it.
pub(super) struct Named<'t> {
    pub(super) line: Line<'t>,
    pub(super) name: String,
    pub(super) nodes: Vec<NameRange>,
    pub(super) below: Option<&'t str>,
}

/// The network of such switches.
///
/// # Errors
/// A name twice or not defined, too many of something, and as [`network`].
pub(super) fn of_names(named: Vec<Named<'_>>, source: &str) -> Result<Network, BadNetwork> {
    let mut number_of: HashMap<String, u32> = HashMap::with_capacity(named.len());
    for (number, own) in (0..).zip(&named) {
        if number_of.insert(own.name.clone(), number).is_some() {
            let why = format!("switch {} is given twice", own.name);
            return Err(own.line.bad(why));
        }
    }
    if named.len() > SWITCHES_MAX {
        return Err(in_line(source, 0).bad(format!(
            "it has {} switches, at most {SWITCHES_MAX} are possible",
            named.len()
        )));
    }
    let (mut built, mut links) = (Vec::with_capacity(named.len()), 0);
    for Named {
        line,
        name,
        nodes,
        below,
    } in named
    {
        let below = below.map(|list| host_list::read_each(list, SWITCHES_MAX));
        let below = below.transpose().map_err(|why| line.bad(why))?;
        let child = |child: &String| {
            let wrong = || line.bad(format!("switch {child} below {name} is not defined"));
            number_of.get(child).copied().ok_or_else(wrong)
        };
        let children = below.iter().flatten().map(child);
        let children = children.collect::<Result<Vec<u32>, _>>()?;
        links += children.len();
        if links > LINKS_MAX {
            return Err(line.bad(format!("there are more than {LINKS_MAX} links")));
        }
        built.push(Switch {
            name,
            line: line.number,
            nodes,
            children,
        });
    }
    network(&built, "switch", source)
}

/// The levels of some switches. `word`: of the lowest level.
///
/// # Errors
/// A switch below itself, no node at all, too many of something.
///
/// Cost: the switches, for each level.
pub(super) fn network(
    switches: &[Switch],
    word: &str,
    source: &str,
) -> Result<Network, BadNetwork> {
    let whole = in_line(source, 0);
    let heights = heights(switches, source)?;
    let leaves = in_order(switches);
    let mut sets = Sets::new(switches.len());
    let (names, owners) = nodes(switches, &leaves, &mut sets, whole)?;
    if names.is_empty() {
        return Err(whole.bad("no switch has a node"));
    }
    let height = heights.iter().max().copied().unwrap_or(0) as usize + 1;
    if height > LEVELS_MAX {
        return Err(whole.bad(format!(
            "it has {height} levels, at most {LEVELS_MAX} are possible"
        )));
    }
    let mut levels = Vec::new();
    let mut listed = Vec::new();
    // The first switch, in the file's order, of the highest level of each set.
    let mut top: Vec<u32> = (0..).take(switches.len()).collect();
    for (at, word) in (0..).zip(numbered(word, height)) {
        join_level(switches, &heights, at, &mut sets, &mut top);
        let level = level(switches, &owners, &mut sets, &top, word);
        if at == 0 {
            listed = level.1;
        }
        levels.push(level.0);
    }
    let joined = match levels.last().map_or(1, |level| level.objects.len()) {
        1 => Joined::Whole,
        _ => Joined::Apart,
    };
    while levels.len() > 1 && levels.last().is_some_and(|level| level.objects.len() == 1) {
        levels.pop();
    }
    levels.reverse();
    let mut network = Network::tree(names, levels, joined, source);
    network.listed = Some(listed);
    Ok(network)
}

/// The nodes in the order of leaves: the first node of each stretch with its leaf. Leaves that share nodes are joined.
fn nodes(
    switches: &[Switch],
    leaves: &[u32],
    sets: &mut Sets,
    whole: Line<'_>,
) -> Result<(Names, Vec<(u32, u32)>), BadNetwork> {
    let mut names = Names::default();
    // The first node of each stretch, and its leaf. Nodes of several leaves join these.
    let mut owners: Vec<(u32, u32)> = Vec::new();
    let mut overlaps = 0;
    for &leaf in leaves {
        if overlaps > LINKS_MAX {
            return Err(whole.bad(format!("more than {LINKS_MAX} nodes are in several leaves")));
        }
        for range in &switches[leaf as usize].nodes {
            let before = names.len();
            let found = names
                .add(range)
                .map_err(|_| whole.bad("it has too many nodes"))?;
            if names.len() > NODES_MAX {
                return Err(whole.bad(format!("it has more than {NODES_MAX} nodes")));
            }
            for nodes in found {
                if nodes.end() > before {
                    owners.push((before.max(nodes.first), leaf));
                }
                if nodes.first < before {
                    let from = owners.partition_point(|owner| owner.0 <= nodes.first) - 1;
                    for owner in owners[from..]
                        .iter()
                        .take_while(|owner| owner.0 < nodes.end().min(before))
                    {
                        overlaps += 1;
                        sets.join(owner.1, leaf);
                    }
                }
            }
        }
    }
    Ok((names, owners))
}

/// 0 for a leaf, else one more than the highest child.
fn heights(switches: &[Switch], source: &str) -> Result<Vec<u32>, BadNetwork> {
    let mut waiting: Vec<u32> = switches
        .iter()
        .map(|own| u32::try_from(own.children.len()).unwrap_or(u32::MAX))
        .collect();
    let mut parents: Vec<Vec<u32>> = vec![Vec::new(); switches.len()];
    for (at, own) in (0..).zip(switches) {
        for &child in &own.children {
            parents[child as usize].push(at);
        }
    }
    let mut heights = vec![0_u32; switches.len()];
    let mut ready: Vec<u32> = (0..)
        .zip(&waiting)
        .filter(|(_, waits)| **waits == 0)
        .map(|(at, _)| at)
        .collect();
    let mut done = 0;
    while let Some(own) = ready.pop() {
        done += 1;
        let above = heights[own as usize] + 1;
        for &parent in &parents[own as usize] {
            let parent = parent as usize;
            heights[parent] = heights[parent].max(above);
            waiting[parent] -= 1;
            if waiting[parent] == 0 {
                ready.push(u32::try_from(parent).unwrap_or(u32::MAX));
            }
        }
    }
    if done == switches.len() {
        return Ok(heights);
    }
    let circle = (0..switches.len()).find(|&at| is_below_itself(switches, at));
    let at = circle.unwrap_or(0);
    let line = in_line(source, switches[at].line);
    Err(line.bad(format!("switch {} is below itself", switches[at].name)))
}

/// Whether a switch can be reached from its own children.
fn is_below_itself(switches: &[Switch], at: usize) -> bool {
    let mut seen = vec![false; switches.len()];
    let mut open = switches[at].children.clone();
    while let Some(next) = open.pop() {
        let next = next as usize;
        if next == at {
            return true;
        }
        if !std::mem::replace(&mut seen[next], true) {
            open.extend(&switches[next].children);
        }
    }
    false
}

/// The switches with nodes: depth first from the roots, children as listed.
fn in_order(switches: &[Switch]) -> Vec<u32> {
    let mut is_child = vec![false; switches.len()];
    for &child in switches.iter().flat_map(|own| &own.children) {
        is_child[child as usize] = true;
    }
    let mut seen = vec![false; switches.len()];
    let mut found = Vec::new();
    let roots = (0..).zip(&is_child).filter(|(_, child)| !**child);
    for (root, _) in roots {
        let mut open = vec![root];
        while let Some(next) = open.pop() {
            let own = &switches[next as usize];
            if std::mem::replace(&mut seen[next as usize], true) {
                continue;
            }
            if !own.nodes.is_empty() {
                found.push(next);
            }
            open.extend(own.children.iter().rev());
        }
    }
    found
}

/// Joins each switch of a level with its children.
fn join_level(switches: &[Switch], heights: &[u32], level: u32, sets: &mut Sets, top: &mut [u32]) {
    let here = || {
        (0..)
            .zip(heights)
            .filter(|(_, height)| **height == level)
            .map(|(at, _)| at)
    };
    for own in here() {
        for &child in &switches[own as usize].children {
            sets.join(own, child);
        }
    }
    // From the last to the first, so that the first of the file stays.
    let all: Vec<u32> = here().collect();
    for own in all.into_iter().rev() {
        top[sets.root(own) as usize] = own;
    }
}

/// A level as the sets are now, and where the file lists the first leaf of each object.
fn level(
    switches: &[Switch],
    owners: &[(u32, u32)],
    sets: &mut Sets,
    top: &[u32],
    word: String,
) -> (Level, Vec<u32>) {
    let mut level = Level {
        word,
        ..Level::default()
    };
    let mut listed = Vec::new();
    let mut number_of: HashMap<u32, u32> = HashMap::new();
    for &(first, leaf) in owners {
        let root = sets.root(leaf);
        let next = u32::try_from(listed.len()).unwrap_or(u32::MAX);
        let number = *number_of.entry(root).or_insert(next);
        if number == next {
            level
                .objects
                .push(switches[top[root as usize] as usize].name.clone());
            listed.push(leaf);
        }
        level.push(first, number);
    }
    (level, listed)
}

/// Switches that are connected.
struct Sets {
    above: Vec<u32>,
}

impl Sets {
    fn new(count: usize) -> Self {
        Self {
            above: (0..).take(count).collect(),
        }
    }

    fn root(&mut self, mut own: u32) -> u32 {
        while self.above[own as usize] != own {
            let above = self.above[own as usize];
            self.above[own as usize] = self.above[above as usize];
            own = above;
        }
        own
    }

    /// The set of `upper` keeps its root.
    fn join(&mut self, upper: u32, lower: u32) {
        let (upper, lower) = (self.root(upper), self.root(lower));
        self.above[lower as usize] = upper;
    }
}
