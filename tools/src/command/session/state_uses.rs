//! How a long dump says the nodes of namespaces: large sets once, and then what is different, so that its length grows with what
//! happened.

use std::collections::{BTreeMap, BTreeSet};
use stowplan_answers::session_json::outcome_json::CANDIDATES_NAMED;
use stowplan_session::{Image, UsesImage};

/// How the nodes of a namespace are said.
#[derive(Clone, Debug)]
pub(super) enum Said {
    /// All of them, by name.
    Named,
    /// Those of another namespace, but for these. Numbers are rows of the image.
    As {
        /// The other namespace.
        other: u32,
        /// Nodes that this one also uses.
        also: BTreeSet<u32>,
        /// Nodes of the other that this one does not use.
        without: BTreeSet<u32>,
    },
}

/// How the nodes of each namespace are said. Shape `[namespaces]`. Sets of up to [`CANDIDATES_NAMED`] nodes are named. A former state of the
/// default session is said by the one before it, so each node that came or went between them is said once.
///
/// Cost: linear in the image.
pub(super) fn shortest(image: &Image) -> Vec<Said> {
    let mut said = vec![Said::Named; image.namespaces.len()];
    let mut pasts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut sets: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (row, space) in (0..).zip(&image.namespaces) {
        match space.uses {
            None => {}
            Some(UsesImage::Past(at)) => pasts.entry(at).or_default().push(row),
            Some(UsesImage::Set(at)) => sets.entry(at).or_default().push(row),
        }
    }
    for (at, rows) in &sets {
        let runs = image.sets.get(*at as usize).map_or(&[][..], Vec::as_slice);
        let nodes = runs.iter().map(|&(_, more)| more as usize + 1).sum();
        if is_large(nodes) {
            same_as_first(rows, &mut said);
        }
    }
    say_pasts(image, &pasts, &mut said);
    said
}

const fn is_large(nodes: usize) -> bool {
    nodes > CANDIDATES_NAMED
}

/// The rows behind the first use the same nodes as the first.
fn same_as_first(rows: &[u32], said: &mut [Said]) {
    let Some((&other, rest)) = rows.split_first() else {
        return;
    };
    for &row in rest {
        said[row as usize] = Said::As {
            other,
            also: BTreeSet::new(),
            without: BTreeSet::new(),
        };
    }
}

/// `pasts`: which namespaces use each former state of the default session, ascending in time.
fn say_pasts(image: &Image, pasts: &BTreeMap<u32, Vec<u32>>, said: &mut [Said]) {
    let mut changes = Changes::of(image);
    // The last namespace whose large set has been said.
    let mut last: Option<u32> = None;
    for (&at, rows) in pasts {
        changes.up_to(at);
        if !is_large(changes.nodes) {
            continue;
        }
        same_as_first(rows, said);
        let (also, without) = changes.taken();
        if let Some(other) = last.filter(|_| also.len() + without.len() < changes.nodes) {
            said[rows[0] as usize] = Said::As {
                other,
                also,
                without,
            };
        }
        last = Some(rows[0]);
    }
}

/// The nodes of the default session as time passes.
struct Changes {
    /// By time: nodes that came, nodes that went. Numbers are rows of the image.
    of: BTreeMap<u32, (Vec<u32>, Vec<u32>)>,
    /// How many nodes there are now.
    nodes: usize,
    came: BTreeSet<u32>,
    went: BTreeSet<u32>,
}

impl Changes {
    fn of(image: &Image) -> Self {
        let mut of: BTreeMap<u32, (Vec<u32>, Vec<u32>)> = BTreeMap::new();
        for (node, row) in (0..).zip(&image.nodes) {
            for &(first, end) in &row.pasts {
                of.entry(first).or_default().0.push(node);
                of.entry(end).or_default().1.push(node);
            }
        }
        Self {
            of,
            nodes: 0,
            came: BTreeSet::new(),
            went: BTreeSet::new(),
        }
    }

    /// Lets time pass.
    fn up_to(&mut self, at: u32) {
        while let Some(entry) = self.of.first_entry().filter(|entry| *entry.key() <= at) {
            let (came, went) = entry.remove();
            self.nodes = (self.nodes + came.len()).saturating_sub(went.len());
            for node in went {
                if !self.came.remove(&node) {
                    self.went.insert(node);
                }
            }
            for node in came {
                if !self.went.remove(&node) {
                    self.came.insert(node);
                }
            }
        }
    }

    /// The nodes that came and those that went since the last call.
    fn taken(&mut self) -> (BTreeSet<u32>, BTreeSet<u32>) {
        (
            std::mem::take(&mut self.came),
            std::mem::take(&mut self.went),
        )
    }
}
