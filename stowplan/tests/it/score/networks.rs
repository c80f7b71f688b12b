//! Jobs on small random networks, compared with a count that joins switches one by one and looks at every edge.

use crate::score::random::{Dice, Written, edges, pattern, plan};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use stowplan::score::figures::score_on;
use stowplan::score::network::{Asked, Level, Network, OnNetwork, read, topology_conf};
use stowplan::score::pattern::Part;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;

/// A switch: its level, the nodes and the switches below it.
struct Switch {
    level: usize,
    nodes: Vec<usize>,
    below: Vec<usize>,
}

/// A made-up fat tree, perhaps with several spines above a leaf, perhaps of several trees.
struct Fabric {
    switches: Vec<Switch>,
    nodes: usize,
    levels: usize,
}

impl Fabric {
    fn thrown(dice: &mut Dice) -> Self {
        let leaves = 1 + dice.below(5) as usize;
        let mut switches = Vec::new();
        let mut nodes = 0;
        for _ in 0..leaves {
            let here = 1 + dice.below(4) as usize;
            switches.push(Switch {
                level: 0,
                nodes: (nodes..nodes + here).collect(),
                below: Vec::new(),
            });
            nodes += here;
        }
        let mut below: Vec<usize> = (0..leaves).collect();
        let mut levels = 1;
        for level in 1..1 + dice.below(3) as usize {
            let spines = 1 + dice.below(u32::try_from(below.len()).unwrap()) as usize;
            let first = switches.len();
            for _ in 0..spines {
                switches.push(Switch {
                    level,
                    nodes: Vec::new(),
                    below: Vec::new(),
                });
            }
            for &child in &below {
                for _ in 0..1 + dice.below(2) {
                    let above = first + dice.below(u32::try_from(spines).unwrap()) as usize;
                    if !switches[above].below.contains(&child) {
                        switches[above].below.push(child);
                    }
                }
            }
            // A switch that has nothing below it would be a leaf.
            below = (first..first + spines)
                .filter(|&at| !switches[at].below.is_empty())
                .collect();
            levels = level + 1;
        }
        Self {
            switches,
            nodes,
            levels,
        }
    }

    /// Slurm's file. Its lines are in another order than the switches.
    fn text(&self, dice: &mut Dice) -> String {
        let mut lines: Vec<String> = Vec::new();
        for (at, switch) in self.switches.iter().enumerate() {
            let nodes: Vec<String> = switch.nodes.iter().map(|node| format!("n{node}")).collect();
            let below: Vec<String> = switch
                .below
                .iter()
                .map(|child| format!("s{child}"))
                .collect();
            if !nodes.is_empty() {
                lines.push(format!("SwitchName=s{at} Nodes={}", nodes.join(",")));
            } else if !below.is_empty() {
                lines.push(format!("SwitchName=s{at} Switches={}", below.join(",")));
            }
        }
        for end in (1..lines.len()).rev() {
            lines.swap(end, dice.below(u32::try_from(end + 1).unwrap()) as usize);
        }
        lines.join("\n") + "\n"
    }

    /// For each level from the leaf up, the class of each node: the smallest node that it is joined to.
    fn classes(&self) -> Vec<Vec<usize>> {
        (0..self.levels).map(|level| self.joined(level)).collect()
    }

    fn joined(&self, level: usize) -> Vec<usize> {
        let mut class: Vec<usize> = (0..self.nodes).collect();
        let here = self.switches.iter().filter(|switch| switch.level <= level);
        let sets: Vec<BTreeSet<usize>> = here.map(|switch| self.leaves(switch)).collect();
        loop {
            let before = class.clone();
            for set in &sets {
                let least = set.iter().map(|&node| class[node]).min();
                for &node in set {
                    class[node] = least.unwrap_or(node);
                }
            }
            if class == before {
                return class;
            }
        }
    }

    /// The nodes below a switch.
    fn leaves(&self, switch: &Switch) -> BTreeSet<usize> {
        let own = switch.nodes.iter().copied();
        let below = switch.below.iter();
        let further = below.flat_map(|&child| self.leaves(&self.switches[child]));
        own.chain(further).collect()
    }
}

/// What leaves each class, the busiest pair, and the classes that the job uses.
#[derive(PartialEq, Eq, Debug)]
struct Figures {
    leave: u64,
    worst: u64,
    pair: u64,
    objects: usize,
}

fn figures(class: &[usize], places: &[usize], edges: &[(u32, u32)]) -> Figures {
    let of = |rank: u32| class[places[rank as usize]];
    let mut each: BTreeMap<usize, u64> = BTreeMap::new();
    let mut pairs: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for &(from, to) in edges {
        if of(from) != of(to) {
            *each.entry(of(from)).or_default() += 1;
            *pairs.entry((of(from), of(to))).or_default() += 1;
        }
    }
    let used: BTreeSet<usize> = places.iter().map(|&node| class[node]).collect();
    Figures {
        leave: each.values().sum(),
        worst: each.values().max().copied().unwrap_or(0),
        pair: pairs.values().max().copied().unwrap_or(0),
        objects: used.len(),
    }
}

/// Some of the nodes, in any order, and a job on them.
fn job(dice: &mut Dice, nodes: usize) -> Option<(Plan, u32)> {
    let mut hosts: Vec<usize> = (0..nodes).collect();
    for end in (1..nodes).rev() {
        hosts.swap(end, dice.below(u32::try_from(end + 1).unwrap()) as usize);
    }
    hosts.truncate(1 + dice.below(u32::try_from(nodes).unwrap()) as usize);
    let slots: Vec<u32> = hosts.iter().map(|_| 1 + dice.below(3)).collect();
    let list: Vec<String> = hosts
        .iter()
        .zip(&slots)
        .map(|(node, slots)| format!("n{node}:{slots}"))
        .collect();
    let procs = 1 + dice.below(slots.iter().sum());
    let map = dice.one(&["slot", "node", "core"]);
    let (list, count) = (list.join(","), procs.to_string());
    let words = [
        "--topo",
        "core:4 pu:1",
        "-H",
        &list,
        "-n",
        &count,
        "--map-by",
        map,
        "--bind-to",
        "none",
    ];
    plan(&words).ok().map(|plan| (plan, procs))
}

/// The made-up number of the node of each rank.
fn places(plan: &Plan) -> Vec<usize> {
    let names = &plan.world().names;
    let node = |rank| names.name(plan.place(Rank(rank)).unwrap().node);
    let number = |name: String| name[1..].parse().unwrap();
    (0..plan.ranks()).map(|rank| number(node(rank))).collect()
}

fn network(text: &str) -> Network {
    let asked = Asked {
        text: "net".to_owned(),
        levels: None,
    };
    read(&asked, None, &|_| Ok(text.as_bytes().to_vec()))
        .unwrap_or_else(|why| panic!("{why}\n{text}"))
}

fn number(weight: impl ToString) -> u64 {
    weight.to_string().parse().unwrap()
}

/// The classes of the network's levels, from the lowest up, each called by its smallest made-up number of a node.
fn read_classes(network: &Network, nodes: usize) -> Vec<Vec<usize>> {
    let object = |level: &Level, node: usize| {
        let at = network.names().find_name(&format!("n{node}")).unwrap();
        level.object(u32::try_from(at.row()).unwrap())
    };
    let levels = network.levels().iter().rev();
    let class = |level: &Level| {
        let of: Vec<u32> = (0..nodes).map(|node| object(level, node)).collect();
        let least = |own: &u32| of.iter().position(|other| other == own).unwrap();
        of.iter().map(least).collect()
    };
    levels.map(class).collect()
}

#[test]
fn trees_agree_with_a_plain_count() {
    let mut dice = Dice(ChaCha8Rng::seed_from_u64(45));
    let mut counted = 0;
    for _ in 0..3000 {
        let fabric = Fabric::thrown(&mut dice);
        let text = fabric.text(&mut dice);
        let network = network(&text);
        let mut classes = fabric.classes();
        let meets = classes.clone();
        // Levels of one object at the top are dropped; one level stays.
        while classes.len() > 1 && classes.last().unwrap().iter().all(|&class| class == 0) {
            classes.pop();
        }
        let again = self::network(&topology_conf(&network).unwrap());
        let kept = read_classes(&network, fabric.nodes);
        assert_eq!(kept, classes, "{text}");
        assert_eq!(read_classes(&again, fabric.nodes), kept, "{text}");
        let Some((plan, procs)) = job(&mut dice, fabric.nodes) else {
            continue;
        };
        let word = pattern(&mut dice, &[procs], 0);
        let edges = edges(&word, &[procs], 0);
        let places = places(&plan);
        let on = OnNetwork::of(Arc::new(network), &plan.world().names).unwrap();
        let parts = [Part::read(&word).unwrap()];
        let found = score_on(&plan, &parts, &Written(String::new()), Some(&on)).unwrap();
        let above = found.above.unwrap();
        for (class, level) in classes.iter().rev().zip(&above.levels) {
            let found = Figures {
                leave: number(level.leave),
                worst: number(level.worst),
                pair: number(level.pair),
                objects: level.objects as usize,
            };
            assert_eq!(found, figures(class, &places, &edges), "{word} {text}");
        }
        let met = |a: u32, b: u32| {
            let [a, b] = [a, b].map(|rank| places[rank as usize]);
            (0..meets.len()).find(|&level| meets[level][a] == meets[level][b])
        };
        let hops = |&(a, b): &(u32, u32)| {
            if places[a as usize] == places[b as usize] {
                Some(0)
            } else {
                met(a, b).map(|level| 2 * level as u64)
            }
        };
        let each: Vec<Option<u64>> = edges.iter().map(hops).collect();
        let apart = each.iter().filter(|hops| hops.is_none()).count() as u64;
        let sum: u64 = each.iter().flatten().sum();
        let far = each.iter().flatten().max().copied().unwrap_or(0);
        let found = (
            number(above.hops.hops),
            above.hops.far,
            number(above.hops.apart),
        );
        assert_eq!(found, (sum, far, apart), "{word} {text}");
        counted += 1;
    }
    assert!(counted > 2000, "{counted} jobs were counted");
}

#[test]
fn grids_agree_with_steps_counted_one_by_one() {
    let mut dice = Dice(ChaCha8Rng::seed_from_u64(46));
    let mut counted = 0;
    for _ in 0..1500 {
        let sizes: Vec<usize> = (0..1 + dice.below(3))
            .map(|_| 1 + dice.below(4) as usize)
            .collect();
        let nodes: usize = sizes.iter().product();
        let round = dice.below(2) == 0;
        let form = if round { "torus" } else { "mesh" };
        let shape: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let text = format!("{form} {} n[0-{}]", shape.join("x"), nodes - 1);
        let asked = Asked {
            text: text.clone(),
            levels: None,
        };
        let network = read(&asked, None, &|_| Err("there are no files".to_owned())).unwrap();
        let Some((plan, procs)) = job(&mut dice, nodes) else {
            continue;
        };
        let word = pattern(&mut dice, &[procs], 0);
        let edges = edges(&word, &[procs], 0);
        let places = places(&plan);
        let steps = |&(a, b): &(u32, u32)| -> u64 {
            let [mut a, mut b] = [a, b].map(|rank| places[rank as usize]);
            let mut sum = 0;
            // The first size goes fastest over the list.
            for &size in &sizes {
                let apart = (a % size).abs_diff(b % size);
                sum += if round {
                    apart.min(size - apart)
                } else {
                    apart
                };
                (a, b) = (a / size, b / size);
            }
            sum as u64
        };
        let each: Vec<u64> = edges.iter().map(steps).collect();
        let on = OnNetwork::of(Arc::new(network), &plan.world().names).unwrap();
        let parts = [Part::read(&word).unwrap()];
        let found = score_on(&plan, &parts, &Written(String::new()), Some(&on)).unwrap();
        let hops = found.above.unwrap().hops;
        let far = each.iter().max().copied().unwrap_or(0);
        assert_eq!(
            (number(hops.hops), hops.far),
            (each.iter().sum(), far),
            "{word} {text}"
        );
        counted += 1;
    }
    assert!(counted > 1000, "{counted} jobs were counted");
}
