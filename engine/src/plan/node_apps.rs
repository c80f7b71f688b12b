//! Which apps are on a node, where apps are many: found without asking each of them.
//!
//! Short runs stand by node, once for each of their nodes, as far as that makes a few times as many as there are runs: an answer
//! is read from there. Longer runs stand by how long they are, in classes each four times as wide as the one before, and in a
//! class by their first node. Of a class only runs that start less than its width before a node can reach it, so a question
//! looks at few that it has no use for.

use super::app::AppPlan;
use super::counted::by_key;
use super::placed::PlacedRun;
use super::steps::Steps;
use crate::table::names::NodeRange;
use smallvec::SmallVec;
use std::ops::Range;

/// Apps from which on they are not asked one by one.
const MANY: usize = 16;
/// A class is so many bits wider than the one before.
const WIDER: u32 = 2;
/// Classes that runs can be of.
const CLASSES: usize = u32::BITS.div_ceil(WIDER) as usize + 1;
/// Nodes for each run up to which runs are counted by node: what is counted stays in proportion to them.
const SPREAD: usize = 8;
/// What stands by node, for each run: so does that.
const EACH: u64 = 4;

/// An app on a node: rows of the app and of its run, and which node of the run this is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct NodeApp {
    pub(super) app: u32,
    pub(super) run: u32,
    pub(super) node: u32,
}

/// A placed run: its nodes, its app, its row there.
#[derive(Clone, Copy, Debug)]
struct Stay {
    nodes: NodeRange,
    app: u32,
    run: u32,
}

/// Short runs, node by node.
#[derive(Clone, Debug, Default)]
struct ShortRuns {
    /// The first node that one of them is on.
    first: u32,
    /// Where the guests of each node end. Shape `[nodes from the first to the last one]`.
    ends: Vec<u32>,
    /// By node; those of a node by app.
    guests: Vec<NodeApp>,
}

/// Runs of one class.
#[derive(Clone, Debug)]
struct Class {
    /// Nodes that none of its runs has more of.
    width: u64,
    /// First nodes, ascending. Shape `[runs of the class]`.
    firsts: Steps,
    /// The runs, in the order of `firsts`.
    stays: Vec<Stay>,
}

/// The runs of many apps by their nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeApps {
    near: ShortRuns,
    classes: Vec<Class>,
}

impl NodeApps {
    /// `None` where apps are few. Cost: three passes over the runs; a sort of long ones that lie far apart.
    pub(super) fn new(apps: &[AppPlan]) -> Option<Self> {
        (apps.len() > MANY).then(|| {
            Self::of((0..).zip(apps).flat_map(|(app, plan)| {
                let runs = (0..).zip(&plan.placed.runs);
                runs.map(move |(run, &PlacedRun { nodes, .. })| Stay { nodes, app, run })
            }))
        })
    }

    /// `stays`: by app.
    fn of(stays: impl Iterator<Item = Stay> + Clone) -> Self {
        let mut runs = [0; CLASSES];
        let mut guests = [0; CLASSES];
        let (mut least, mut end) = (u32::MAX, 0);
        stays.clone().for_each(|stay| {
            let class = class_of(stay.nodes.count);
            runs[class] += 1;
            guests[class] += u64::from(stay.nodes.count);
            least = least.min(stay.nodes.first);
            end = end.max(stay.nodes.end());
        });
        let all: usize = runs.iter().sum();
        let spread = end.saturating_sub(least) as usize;
        let dense = spread <= SPREAD * all;
        let room = if dense { EACH * all as u64 } else { 0 };
        let mut by_node = 0;
        let short = guests.iter().take_while(|&&guests| {
            by_node += guests;
            by_node <= room
        });
        let short = short.count();
        let longest = short.checked_sub(1).map_or(0, width);
        let is_short = |stay: &Stay| u64::from(stay.nodes.count) <= longest;
        let near = if runs[..short].iter().any(|&runs| runs > 0) {
            ShortRuns::new(stays.clone().filter(is_short), least..end)
        } else {
            ShortRuns::default()
        };
        let mut classes = runs.map(|_| Vec::new());
        for (stays, &runs) in classes.iter_mut().zip(&runs).skip(short) {
            stays.reserve(runs);
        }
        if runs[short..].iter().any(|&runs| runs > 0) {
            let long = stays.filter(|stay| !is_short(stay));
            long.for_each(|stay| classes[class_of(stay.nodes.count)].push(stay));
        }
        let filled = (0..).zip(classes).filter(|(_, stays)| !stays.is_empty());
        let classes = filled.map(|(class, stays)| {
            let stays = by_first_node(stays);
            Class {
                width: width(class),
                firsts: Steps::one(stays.len(), stays.iter().map(|stay| stay.nodes.first)),
                stays,
            }
        });
        Self {
            near,
            classes: classes.collect(),
        }
    }

    /// The apps on a node, ascending. Cost: a copy of them; where there are long runs a search per class, of which there are at
    /// most 17, and a few times the apps found.
    pub(super) fn on(&self, node: u32) -> SmallVec<[NodeApp; 5]> {
        let mut found = SmallVec::from_slice(self.near.on(node));
        if self.classes.is_empty() {
            return found;
        }
        for class in &self.classes {
            if class.stays[0].nodes.first > node {
                continue;
            }
            let last = class.firsts.find(0, node);
            for stay in class.stays[..=last].iter().rev() {
                if u64::from(stay.nodes.first) + class.width <= u64::from(node) {
                    break;
                }
                if node < stay.nodes.end() {
                    found.push(stay.at(node));
                }
            }
        }
        found.sort_unstable_by_key(|guest| (guest.app, guest.run));
        found
    }
}

impl Stay {
    /// On one of its nodes.
    const fn at(&self, node: u32) -> NodeApp {
        NodeApp {
            app: self.app,
            run: self.run,
            node: node - self.nodes.first,
        }
    }
}

impl ShortRuns {
    /// `nodes`: all that they are on are among these. Cost: two passes over the runs, one over their nodes.
    fn new(stays: impl Iterator<Item = Stay> + Clone, nodes: Range<u32>) -> Self {
        let first = nodes.start;
        let row = |node: u32| (node - first) as usize;
        // How many guests more a node has than the one before it; then where its next guest goes.
        let mut places = vec![0_u32; nodes.len() + 1];
        stays.clone().for_each(|stay| {
            let NodeRange { first, count } = stay.nodes;
            let [start, end] = [first, first + count].map(row);
            places[start] = places[start].wrapping_add(1);
            places[end] = places[end].wrapping_sub(1);
        });
        let (mut here, mut before) = (0_u32, 0_u32);
        for place in &mut places {
            here = here.wrapping_add(std::mem::replace(place, before));
            before += here;
        }
        let mut guests = vec![NodeApp::default(); before as usize];
        stays.for_each(|stay| {
            let places = &mut places[row(stay.nodes.first)..row(stay.nodes.end())];
            for (node, place) in (0..).zip(places) {
                let Stay { app, run, .. } = stay;
                guests[*place as usize] = NodeApp { app, run, node };
                *place += 1;
            }
        });
        places.pop();
        Self {
            first,
            ends: places,
            guests,
        }
    }

    /// The guests of a node.
    fn on(&self, node: u32) -> &[NodeApp] {
        let Some(row) = node.checked_sub(self.first).map(|row| row as usize) else {
            return &[];
        };
        let end = |row: usize| self.ends.get(row).map(|&end| end as usize);
        let start = row.checked_sub(1).and_then(end).unwrap_or(0);
        end(row).map_or(&[], |end| &self.guests[start..end])
    }
}

/// Runs by their first nodes, those of one node as they came.
fn by_first_node(mut stays: Vec<Stay>) -> Vec<Stay> {
    if stays.is_sorted_by_key(|stay| stay.nodes.first) {
        return stays;
    }
    let firsts = || stays.iter().map(|stay| stay.nodes.first);
    let (least, most) = firsts().fold((u32::MAX, 0), |(least, most), first| {
        (first.min(least), first.max(most))
    });
    let nodes = (most - least) as usize + 1;
    if nodes > SPREAD * stays.len() {
        stays.sort_by_key(|stay| stay.nodes.first);
        return stays;
    }
    let mut sorted = Vec::new();
    let by_node = stays.iter().map(|&stay| (stay.nodes.first - least, stay));
    by_key(by_node, nodes, &mut Vec::new(), &mut sorted);
    sorted
}

/// Nodes that the runs of a class have at most.
const fn width(class: usize) -> u64 {
    1 << (class * WIDER as usize)
}

/// The narrowest class for runs of so many nodes.
const fn class_of(nodes: u32) -> usize {
    let bits = u32::BITS - nodes.saturating_sub(1).leading_zeros();
    bits.div_ceil(WIDER) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stay(app: u32, run: u32, first: u32, count: u32) -> Stay {
        Stay {
            nodes: NodeRange { first, count },
            app,
            run,
        }
    }

    #[test]
    fn runs_stand_by_node_however_far_apart() {
        for apart in [1, 3, 1000] {
            let stays = (0..400).map(|row| stay(row / 10, row, 7 + row * 37 % 80 * apart, 1));
            let stays: Vec<Stay> = stays.collect();
            let rows = |stays: &[Stay]| stays.iter().map(|stay| stay.run).collect::<Vec<_>>();
            let mut sorted = stays.clone();
            sorted.sort_by_key(|stay| stay.nodes.first);
            assert_eq!(
                rows(&by_first_node(stays)),
                rows(&sorted),
                "{apart} nodes apart"
            );
        }
    }

    #[test]
    fn a_node_has_the_runs_that_hold_it() {
        // Few nodes or many, all runs short, some of them long, all of them; whether the short ones stand by node.
        for (apart, long, by_node) in [
            (1, 0, true),
            (1, 100, true),
            (4, 7, true),
            (1, 1, false),
            (1000, 0, false),
            (1000, 9, false),
        ] {
            let stays = (0..400_u32).map(|at| {
                let is_long = at.checked_rem(long) == Some(0);
                let count = if is_long { 300 + at } else { 1 + at % 5 };
                stay(at / 4, at % 4, 5 + at * 37 % 101 * apart, count)
            });
            let guests = NodeApps::of(stays.clone());
            assert_eq!(!guests.near.guests.is_empty(), by_node, "{apart} {long}");
            assert!(guests.near.guests.len() <= 4 * 400);
            let nodes = (0..9).chain(stays.clone().flat_map(|stay| {
                let NodeRange { first, count } = stay.nodes;
                [first - 1, first, first + count - 1, first + count]
            }));
            for node in nodes {
                let here = stays.clone().filter(|stay| {
                    (stay.nodes.first..stay.nodes.first + stay.nodes.count).contains(&node)
                });
                let here: Vec<NodeApp> = here.map(|stay| stay.at(node)).collect();
                assert_eq!(guests.on(node).to_vec(), here, "{node} {apart} {long}");
            }
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
            assert!(u64::from(nodes) <= width(class));
        }
    }
}
