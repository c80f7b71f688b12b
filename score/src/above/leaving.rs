//! The figures of a job above its nodes.

use super::crossing;
use super::hops::{self, Hops};
use super::level_figures::LevelFigures;
use super::objects::Objects;
use super::sums::Sums;
use crate::column::Order;
use crate::count;
use crate::matrix::Entry;
use crate::memory::Columns;
use crate::network::{Kind, OnNetwork};
use crate::numbers::Numbers;
use crate::pattern::Part;
use crate::places::Places;
use crate::regular::Figures;
use crate::talks::AppRanks;
use crate::weight::Weight;
use stowplan_engine::id::Id as _;
use stowplan_engine::table::names::NodeId;

/// The figures of a job above its nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Above {
    /// The kind of the network.
    pub kind: Kind,
    /// From the top down.
    pub levels: Vec<LevelFigures>,
    /// The first node among those that most leaves.
    pub worst_node: Option<String>,
    /// Links on shortest ways.
    pub hops: Hops,
    /// What leaves nodes.
    pub node: Weight,
}

impl Above {
    /// All that leaves, over nodes and levels of the network.
    #[must_use]
    pub fn sum(&self) -> Weight {
        let levels = self.levels.iter().map(|level| level.leave);
        levels.chain([self.node]).sum()
    }

    /// J of the mapping literature: weights times the distance at which their ends meet. `distances`: within a node, then by level from the lowest.
    #[must_use]
    pub fn j(&self, distances: &[u32], edges: Weight) -> Weight {
        let mut leaves = vec![edges, self.node];
        leaves.extend(self.levels.iter().rev().map(|level| level.leave));
        leaves.push(Weight::default());
        let each = distances.iter().zip(leaves.windows(2));
        each.map(|(&distance, two)| two[0].minus(two[1]).times(u64::from(distance)))
            .sum()
    }
}

/// Counts a job above its nodes.
pub(crate) struct Counter<'n> {
    on: &'n OnNetwork,
    /// Levels from the top, then nodes.
    objects: Vec<Objects>,
    sums: Vec<Sums>,
    /// What leaves nodes for named patterns, if that was counted.
    pub(crate) named: Option<Figures>,
    /// Steps between places, in kinds that have them.
    steps: Hops,
    /// The object of each rank at each level, for what is read entry by entry.
    of_rank: Vec<Vec<u32>>,
}

impl<'n> Counter<'n> {
    /// Numbers the objects that a job uses.
    pub(crate) fn new(places: &Places<'_>, on: &'n OnNetwork) -> Self {
        let levels = on.network().levels().iter();
        let mut objects: Vec<Objects> = levels
            .map(|level| Objects::level(places, on, level))
            .collect();
        let mut sums: Vec<Sums> = objects.iter().map(|own| Sums::new(own.own.len())).collect();
        let nodes = Objects::nodes(places, on);
        // Of nodes no pairs are kept.
        sums.push(Sums::alone(nodes.own.len()));
        objects.push(nodes);
        Self {
            on,
            objects,
            sums,
            named: None,
            steps: Hops::default(),
            of_rank: Vec::new(),
        }
    }

    /// What leaves all levels of the network together, for named patterns.
    pub(crate) fn leave(
        places: &Places<'_>,
        on: &OnNetwork,
        (parts, apps): (&[Part], &[AppRanks]),
        orders: &[Order<'_>],
    ) -> u64 {
        let mut sum = 0;
        for level in on.network().levels() {
            let objects = Objects::level(places, on, level);
            let mut columns = Columns::default();
            sum += count::leaving(parts, apps, &objects.numbers, orders, &mut columns)
                .iter()
                .sum::<u64>();
        }
        sum
    }

    /// The object of each rank at each level, and how many there are.
    pub(crate) fn columns(
        places: &Places<'_>,
        on: &OnNetwork,
        orders: &[Order<'_>],
    ) -> Vec<(Vec<u32>, u32)> {
        let levels = on.network().levels().iter();
        let each = levels.map(|level| {
            let objects = Objects::level(places, on, level);
            (
                crossing::of_rank(&objects.numbers, orders),
                objects.numbers.count,
            )
        });
        each.collect()
    }

    /// Adds named patterns.
    pub(crate) fn add(&mut self, parts: &[Part], apps: &[AppRanks], orders: &[Order<'_>]) {
        for (at, objects) in self.objects.iter().enumerate() {
            let sums = &mut self.sums[at];
            let is_node = at + 1 == self.objects.len();
            let grid = self.on.network().grid.as_ref();
            if is_node && grid.is_none() {
                let leaving = of_nodes(parts, apps, &objects.numbers, orders);
                self.named = Some(Figures::of(&leaving));
                let each = sums.out.iter_mut().zip(leaving);
                each.for_each(|(out, weight)| *out += Weight::whole(weight));
                continue;
            }
            let grid = grid.filter(|_| is_node);
            let (steps, kind) = (&mut self.steps, self.on.network().kind());
            crossing::each(
                parts,
                apps,
                &objects.numbers,
                orders,
                &mut |a, b, weight| {
                    let weight = Weight::whole(weight);
                    sums.add(a, b, weight);
                    if let Some(grid) = grid {
                        steps.add(
                            grid.steps(objects.own[a as usize], objects.own[b as usize], kind),
                            weight,
                        );
                    }
                },
            );
        }
    }

    /// Readies for entries of matrices.
    pub(crate) fn ready(&mut self, orders: &[Order<'_>]) {
        let columns = self
            .objects
            .iter()
            .map(|own| crossing::of_rank(&own.numbers, orders));
        self.of_rank = columns.collect();
    }

    /// Adds entries of a matrix of the app whose first rank is given.
    pub(crate) fn entries(&mut self, entries: &[Entry], first: usize) {
        let nodes = self.objects.len() - 1;
        let grid = self.on.network().grid.as_ref();
        let kind = self.on.network().kind();
        for entry in entries {
            let (from, to) = (first + entry.from as usize, first + entry.to as usize);
            // From the node up: what is in one object of a level is in one of all levels above.
            for at in (0..=nodes).rev() {
                let (a, b) = (self.of_rank[at][from], self.of_rank[at][to]);
                if a == b {
                    break;
                }
                self.sums[at].add(a, b, entry.weight);
                if let Some(grid) = grid.filter(|_| at == nodes) {
                    let own = &self.objects[nodes].own;
                    self.steps.add(
                        grid.steps(own[a as usize], own[b as usize], kind),
                        entry.weight,
                    );
                }
            }
        }
    }

    /// The figures.
    pub(crate) fn figures(self) -> Above {
        let network = self.on.network();
        let nodes = self.objects.len() - 1;
        let figures = |(at, level): (usize, &crate::network::Level)| {
            let (sums, objects) = (&self.sums[at], &self.objects[at]);
            let name = |object: u32| level.objects[objects.own[object as usize] as usize].clone();
            let ((worst, worst_of), (pair, pair_of)) = (sums.worst(), sums.busiest());
            LevelFigures {
                level: level.word.clone(),
                leave: sums.leave(),
                worst,
                worst_of: worst_of.map(name),
                objects: objects.numbers.count,
                nodes: (
                    objects.nodes.iter().max().copied().unwrap_or(0),
                    objects.nodes.iter().min().copied().unwrap_or(0),
                ),
                pair,
                pair_of: pair_of.map(|(a, b)| (name(a), name(b))),
            }
        };
        let levels: Vec<LevelFigures> = network.levels().iter().enumerate().map(figures).collect();
        let worst_node = self.sums[nodes].worst().1.map(|node| {
            let number = self.objects[nodes].own[node as usize];
            network.names().name(NodeId::from_row(number as usize))
        });
        let node = self.sums[nodes].leave();
        let hops = match network.grid {
            Some(_) => self.steps,
            None => hops::of_levels(network, &levels, node),
        };
        Above {
            kind: network.kind(),
            levels,
            worst_node,
            hops,
            node,
        }
    }
}

/// The edges of named patterns that leave each node.
fn of_nodes(
    parts: &[Part],
    apps: &[AppRanks],
    numbers: &Numbers,
    orders: &[Order<'_>],
) -> Vec<u64> {
    let mut out = vec![0; numbers.count as usize];
    let mut add = |node: u32, _: u32, weight: u64| out[node as usize] += weight;
    let rest = crossing::by_arithmetic(parts, apps, numbers, orders, &mut add);
    if !rest.is_empty() {
        let mut columns = Columns::default();
        let leaving = count::leaving(rest, apps, numbers, orders, &mut columns);
        out.iter_mut()
            .zip(leaving)
            .for_each(|(out, own)| *out += own);
    }
    out
}
