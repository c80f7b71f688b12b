//! The objects of a job's nodes: numbers for the levels of a network, and for nodes in the network's order.

use crate::score::network::{Level, OnNetwork};
use crate::score::numbers::{Numbers, Piece};
use crate::score::places::Places;

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
    /// What is inside nodes: it has no numbers in a network.
    pub(crate) fn inside(numbers: Numbers) -> Self {
        let (own, nodes) = (Vec::new(), Vec::new());
        Self {
            own,
            nodes,
            numbers,
        }
    }

    /// Nodes, in the network's order.
    pub(crate) fn nodes(places: &Places<'_>, on: &OnNetwork) -> Self {
        Self::of(places, |used| {
            used.iter()
                .map(|&node| on.numbers()[node as usize])
                .collect()
        })
    }

    /// The objects of a level of the network.
    pub(crate) fn level(places: &Places<'_>, on: &OnNetwork, level: &Level) -> Self {
        Self::of(places, |used| {
            level.objects_of(used.iter().map(|&node| on.numbers()[node as usize]))
        })
    }

    /// `objects`: of nodes of the pool. Cost: the nodes.
    fn of(places: &Places<'_>, objects: impl Fn(&[u32]) -> Vec<u32>) -> Self {
        let stretches = || places.stretches.iter().flatten();
        let mut used: Vec<u32> = stretches()
            .flat_map(|own| own.nodes.first..own.nodes.end())
            .collect();
        if !used.is_sorted_by(|a, b| a < b) {
            used.sort_unstable();
            used.dedup();
        }
        let of_used = objects(&used);
        let last = used.last().map_or(0, |&last| last + 1);
        // The nodes of each object, then the number of those that have any.
        let end = of_used.iter().max().map_or(0, |&most| most as usize + 1);
        let mut held = vec![0_u32; end];
        of_used
            .iter()
            .for_each(|&object| held[object as usize] += 1);
        let (mut own, mut nodes, mut number) = (Vec::new(), Vec::new(), vec![0; end]);
        for ((object, &many), number) in (0..).zip(&held).zip(&mut number) {
            if many > 0 {
                *number = u32::try_from(own.len()).unwrap_or(0);
                own.push(object);
                nodes.push(many);
            }
        }
        let mut dense = vec![0; last as usize];
        for (&node, &object) in used.iter().zip(&of_used) {
            dense[node as usize] = number[object as usize];
        }
        let most = stretches().map(|own| own.procs).max().unwrap_or(0);
        let mut numbers = Numbers {
            apps: Vec::with_capacity(places.stretches.len()),
            inside: vec![0; most as usize],
            count: u32::try_from(own.len()).unwrap_or(0),
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
