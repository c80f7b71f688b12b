//! The objects of a job's nodes: numbers for the levels of a network, and for nodes in the network's order.

use crate::network::{Level, OnNetwork};
use crate::numbers::{Numbers, Piece};
use crate::places::Places;

/// The objects of a level that a job uses, numbered in the network's order.
#[derive(Clone, Debug)]
pub(crate) struct Objects {
    /// The network's number of each object; the number of the node at level node.
    pub(crate) own: Vec<u32>,
    /// How many nodes with processes are in each.
    pub(crate) nodes: Vec<u32>,
    /// Which object each process of the job is in.
    pub(crate) numbers: Numbers,
}

impl Objects {
    /// Nodes, in the network's order.
    pub(crate) fn nodes(places: &Places<'_>, on: &OnNetwork) -> Self {
        Self::of(places, |node| on.numbers()[node as usize])
    }

    /// The objects of a level of the network.
    pub(crate) fn level(places: &Places<'_>, on: &OnNetwork, level: &Level) -> Self {
        Self::of(places, |node| level.object(on.numbers()[node as usize]))
    }

    /// `object`: of a node of the pool. Cost: the nodes.
    fn of(places: &Places<'_>, object: impl Fn(u32) -> u32) -> Self {
        let stretches = || places.stretches.iter().flatten();
        let mut used: Vec<u32> = stretches()
            .flat_map(|own| own.nodes.first..own.nodes.end())
            .collect();
        used.sort_unstable();
        used.dedup();
        let mut of_used: Vec<u32> = used.iter().map(|&node| object(node)).collect();
        let last = used.last().map_or(0, |&last| last + 1);
        of_used.sort_unstable();
        let mut nodes: Vec<u32> = Vec::new();
        let mut own: Vec<u32> = Vec::new();
        for number in of_used {
            if own.last() == Some(&number) {
                if let Some(last) = nodes.last_mut() {
                    *last += 1;
                }
            } else {
                own.push(number);
                nodes.push(1);
            }
        }
        let mut dense = vec![0; last as usize];
        for &node in &used {
            let at = own.binary_search(&object(node)).unwrap_or(0);
            dense[node as usize] = u32::try_from(at).unwrap_or(0);
        }
        let most = stretches().map(|own| own.procs).max().unwrap_or(0);
        let mut numbers = Numbers {
            apps: Vec::with_capacity(places.stretches.len()),
            inside: vec![0; most as usize],
            count: u32::try_from(own.len()).unwrap_or(0),
            nodes: u32::try_from(used.len()).unwrap_or(0),
        };
        for stretches in &places.stretches {
            let mut pieces: Vec<Piece> = Vec::new();
            for stretch in stretches {
                cut(
                    stretch.nodes.first..stretch.nodes.end(),
                    stretch.procs,
                    &dense,
                    &mut pieces,
                );
            }
            numbers.apps.push(pieces);
        }
        Self {
            own,
            nodes,
            numbers,
        }
    }
}

/// Cuts nodes into pieces that are in one object, or each in the next one.
fn cut(nodes: std::ops::Range<u32>, procs: u32, object: &[u32], pieces: &mut Vec<Piece>) {
    let mut open: Option<Piece> = None;
    for node in nodes {
        let own = object[node as usize];
        if let Some(piece) = &mut open {
            let step = own.checked_sub(piece.base);
            let fits = match (piece.nodes, step) {
                (1, Some(0 | 1)) => true,
                (count, Some(step)) => step == count * piece.width,
                (_, None) => false,
            };
            if fits {
                if piece.nodes == 1 {
                    piece.width = own - piece.base;
                }
                piece.nodes += 1;
                continue;
            }
        }
        pieces.extend(open.take());
        open = Some(Piece {
            first: node,
            nodes: 1,
            procs,
            base: own,
            width: 0,
            inside: 0..procs as usize,
        });
    }
    pieces.extend(open);
}
