//! Numbers for the objects of a level, by stretches of nodes. The object number of a place follows by arithmetic.

use crate::score::places::{Places, Stretch};
use std::ops::Range;

/// Neighbouring nodes on which the processes of an app have the same objects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    /// The first node's place in the pool.
    pub(crate) first: u32,
    pub(crate) nodes: u32,
    /// Processes of the app on each node.
    pub(crate) procs: u32,
    /// The first object of the first node.
    pub(crate) base: u32,
    /// How many objects of a node are in use, by any app.
    pub(crate) width: u32,
    /// Rows of `Numbers::inside`, one for each process of a node.
    pub(crate) inside: Range<usize>,
}

/// The objects of a level that are in use, numbered from 0 without gaps. Equal `Numbers` divide the processes in the same way.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Numbers {
    /// In the order of places. Shape `[apps]`.
    pub(crate) apps: Vec<Vec<Piece>>,
    /// Which of its node's objects a process is in, from 0.
    pub(crate) inside: Vec<u32>,
    /// Objects.
    pub(crate) count: u32,
}

/// A piece of an app, with its nodes.
struct Guest {
    nodes: Range<u32>,
    app: usize,
    piece: usize,
    kinds: Range<usize>,
}

impl Numbers {
    /// Numbers the objects. `inside`: the object of each kind; `None` if a process is in none and counts as its own object.
    ///
    /// Cost: the stretches, cut where those of other apps begin or end, and the processes of one node of each.
    pub(crate) fn of(places: &Places<'_>, inside: &[Option<u32>]) -> Self {
        let mut numbers = Self::default();
        let mut guests = numbers.cut(&places.stretches);
        guests.sort_by_key(|guest| guest.nodes.start);
        let mut seen = Seen::default();
        for together in guests.chunk_by(|a, b| a.nodes == b.nodes) {
            seen.clear();
            for guest in together {
                let first = numbers.inside.len();
                let kinds = &places.kind_of[guest.kinds.clone()];
                let objects = kinds.iter().map(|&kind| seen.number(inside[kind as usize]));
                numbers.inside.extend(objects);
                let piece = &mut numbers.apps[guest.app][guest.piece];
                piece.inside = first..numbers.inside.len();
            }
            for guest in together {
                let piece = &mut numbers.apps[guest.app][guest.piece];
                (piece.base, piece.width) = (numbers.count, seen.count);
            }
            let nodes = &together[0].nodes;
            let nodes = nodes.end - nodes.start;
            numbers.count += nodes * seen.count;
        }
        numbers
    }

    /// Cuts the stretches so that any two have the same nodes, or none in common.
    fn cut(&mut self, stretches: &[Vec<Stretch>]) -> Vec<Guest> {
        let all = || stretches.iter().flatten().map(|stretch| stretch.nodes);
        let mut ends: Vec<u32> = all().flat_map(|nodes| [nodes.first, nodes.end()]).collect();
        ends.sort_unstable();
        ends.dedup();
        let mut guests = Vec::new();
        for (app, stretches) in stretches.iter().enumerate() {
            let mut pieces = Vec::new();
            for stretch in stretches {
                let mut first = stretch.nodes.first;
                let from = ends.partition_point(|&end| end <= first);
                for &end in &ends[from..] {
                    if first >= stretch.nodes.end() {
                        break;
                    }
                    guests.push(Guest {
                        nodes: first..end,
                        app,
                        piece: pieces.len(),
                        kinds: stretch.kinds.clone(),
                    });
                    pieces.push(Piece {
                        first,
                        nodes: end - first,
                        procs: stretch.procs,
                        base: 0,
                        width: 0,
                        inside: 0..0,
                    });
                    first = end;
                }
            }
            self.apps.push(pieces);
        }
        guests
    }

    /// The object of a process of a node.
    pub(crate) fn object(&self, piece: &Piece, node: u32, local: u32) -> u32 {
        piece.base + node * piece.width + self.inside[piece.inside.start + local as usize]
    }

    /// Which object each process of a node is in, from 0.
    pub(crate) fn on_node(&self, piece: &Piece) -> &[u32] {
        &self.inside[piece.inside.clone()]
    }
}

/// Objects of a node in the order in which they were met.
#[derive(Default)]
struct Seen {
    /// One more than the number of each object; 0: not met.
    number: Vec<u32>,
    met: Vec<u32>,
    count: u32,
}

impl Seen {
    fn clear(&mut self) {
        for object in self.met.drain(..) {
            self.number[object as usize] = 0;
        }
        self.count = 0;
    }

    fn number(&mut self, object: Option<u32>) -> u32 {
        let Some(object) = object else {
            self.count += 1;
            return self.count - 1;
        };
        let at = object as usize;
        if at >= self.number.len() {
            self.number.resize(at + 1, 0);
        }
        if self.number[at] == 0 {
            self.count += 1;
            self.number[at] = self.count;
            self.met.push(object);
        }
        self.number[at] - 1
    }
}
