//! Which apps are on a node, where apps are many: found without asking each of them.
//!
//! Placed runs of all apps stand by how long they are, in classes each four times as wide as the one before, and in a class by
//! their first node. Of a class only runs that start less than its width before a node can reach it, so a question looks at
//! few that it has no use for.

use super::steps::Steps;
use super::{AppPlan, row};
use crate::table::names::NodeRange;
use smallvec::SmallVec;

/// Apps from which on they are not asked one by one.
const MANY: usize = 16;
/// A class is so many bits wider than the one before.
const WIDER: u32 = 2;
/// Classes that runs can be of.
const CLASSES: usize = u32::BITS.div_ceil(WIDER) as usize + 1;
/// Nodes for each run of a class up to which the runs are counted by node: what is counted stays in proportion to them.
const SPREAD: usize = 8;

/// A placed run: its nodes, its app, its row there.
#[derive(Clone, Copy, Debug)]
struct Guest {
    nodes: NodeRange,
    app: u32,
    row: u32,
}

/// Runs of one class.
#[derive(Clone, Debug)]
struct Class {
    /// Nodes that none of its runs has more of.
    width: u64,
    /// First nodes, ascending. Shape `[runs of the class]`.
    firsts: Steps,
    /// The runs, in the order of `firsts`.
    guests: Vec<Guest>,
}

/// The runs of many apps by their nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Guests {
    classes: Vec<Class>,
}

/// An app on a node, by rows: of the app, and of its run.
pub(super) type Rows = (u32, u32);

impl Guests {
    /// `None` where apps are few. Cost: two passes over the runs; a sort of those that lie far apart.
    pub(super) fn new(apps: &[AppPlan]) -> Option<Self> {
        if apps.len() <= MANY {
            return None;
        }
        let mut sizes = [0; CLASSES];
        for run in apps.iter().flat_map(|plan| &plan.placed.runs) {
            sizes[class_of(run.nodes.count)] += 1;
        }
        let mut classes = sizes.map(Vec::with_capacity);
        for (app, plan) in apps.iter().enumerate() {
            for (at, run) in plan.placed.runs.iter().enumerate() {
                classes[class_of(run.nodes.count)].push(Guest {
                    nodes: run.nodes,
                    app: row(app),
                    row: row(at),
                });
            }
        }
        let filled = (0_u32..)
            .zip(classes)
            .filter(|(_, guests)| !guests.is_empty());
        let classes = filled.map(|(class, guests)| {
            let guests = by_node(guests);
            Class {
                width: 1 << (class * WIDER),
                firsts: Steps::one(guests.len(), guests.iter().map(|guest| guest.nodes.first)),
                guests,
            }
        });
        Some(Self {
            classes: classes.collect(),
        })
    }

    /// The apps on a node, ascending. Cost: a search per class, of which there are at most 17, and a few times the apps found.
    pub(super) fn on(&self, node: u32) -> SmallVec<[Rows; 8]> {
        let mut found = SmallVec::new();
        for class in &self.classes {
            if class.guests[0].nodes.first > node {
                continue;
            }
            let last = class.firsts.find(0, node);
            let near = class.guests[..=last]
                .iter()
                .rev()
                .take_while(|guest| u64::from(guest.nodes.first) + class.width > u64::from(node));
            let here = near.filter(|guest| node < guest.nodes.end());
            found.extend(here.map(|guest| (guest.app, guest.row)));
        }
        found.sort_unstable();
        found
    }
}

/// Runs by their first nodes, those of one node as they came.
fn by_node(mut guests: Vec<Guest>) -> Vec<Guest> {
    if guests.is_sorted_by_key(|guest| guest.nodes.first) {
        return guests;
    }
    let firsts = || guests.iter().map(|guest| guest.nodes.first);
    let (least, most) = firsts().fold((u32::MAX, 0), |(least, most), first| {
        (first.min(least), first.max(most))
    });
    let nodes = (most - least) as usize + 1;
    if nodes > SPREAD * guests.len() {
        guests.sort_by_key(|guest| guest.nodes.first);
        return guests;
    }
    // Where the next run of each node goes.
    let mut places = vec![0_u32; nodes];
    for first in firsts() {
        places[(first - least) as usize] += 1;
    }
    let mut before = 0;
    for place in &mut places {
        before += std::mem::replace(place, before);
    }
    let mut sorted = vec![guests[0]; guests.len()];
    for guest in guests {
        let place = &mut places[(guest.nodes.first - least) as usize];
        sorted[*place as usize] = guest;
        *place += 1;
    }
    sorted
}

/// The narrowest class for runs of so many nodes.
const fn class_of(nodes: u32) -> usize {
    let bits = u32::BITS - nodes.saturating_sub(1).leading_zeros();
    bits.div_ceil(WIDER) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_stand_by_node_however_far_apart() {
        for apart in [1, 3, 1000] {
            let guests = (0..400).map(|row| Guest {
                nodes: NodeRange {
                    first: 7 + row * 37 % 80 * apart,
                    count: 1,
                },
                app: row / 10,
                row,
            });
            let guests: Vec<Guest> = guests.collect();
            let rows = |guests: &[Guest]| guests.iter().map(|guest| guest.row).collect::<Vec<_>>();
            let mut sorted = guests.clone();
            sorted.sort_by_key(|guest| guest.nodes.first);
            assert_eq!(rows(&by_node(guests)), rows(&sorted), "{apart} nodes apart");
        }
    }

    #[test]
    fn a_class_is_as_wide_as_its_longest_run() {
        for (nodes, class) in [
            (1, 0),
            (2, 1),
            (4, 1),
            (5, 2),
            (16, 2),
            (17, 3),
            (u32::MAX, 16),
        ] {
            assert_eq!(class_of(nodes), class, "{nodes} nodes");
            assert!(u64::from(nodes) <= 1 << (class * WIDER as usize));
        }
    }
}
