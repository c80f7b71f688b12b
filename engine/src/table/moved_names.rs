//! Nodes that move: one comes to the front of the pool, or leaves it, and the others keep their order.

use super::names::{Names, NodeId, Piece};
use super::stretches::{cut_around, moved_to_front};
use crate::id::Id as _;
use std::collections::BTreeMap;

impl Names {
    /// Moves one node to the front; the nodes before it move back by one.
    #[doc(hidden)]
    pub fn move_to_front(&mut self, node: NodeId) {
        let row = node.number();
        self.written = self.written.moved_to_front(row);
        let mut pieces = self.cut_around(row);
        for piece in &mut pieces {
            piece.nodes = moved_to_front(piece.nodes, row);
        }
        pieces.sort_by_key(|piece| piece.nodes.first);
        self.set_pieces(pieces);
    }

    /// Removes a node; the nodes behind it move up. Cost: the ranges given.
    pub(crate) fn remove(&mut self, node: NodeId) {
        let row = node.number();
        self.written = self.written.without(row);
        let left = self.cut_around(row).into_iter().filter_map(|piece| {
            let nodes = piece.nodes.without(row)?;
            Some(Piece { nodes, ..piece })
        });
        self.set_pieces(left.collect());
        self.nodes -= 1;
    }

    /// The pieces, cut so that a node is a piece of its own.
    fn cut_around(&self, row: u32) -> Vec<Piece> {
        let cut = self.pieces.iter().flat_map(|&piece| {
            cut_around(piece.nodes, row).map(move |nodes| Piece {
                nodes,
                number: piece.number + u64::from(nodes.first - piece.nodes.first),
                ..piece
            })
        });
        cut.collect()
    }

    /// Replaces all pieces; joins those that continue each other.
    fn set_pieces(&mut self, pieces: Vec<Piece>) {
        self.pieces.clear();
        self.intervals = self.intervals.ids().map(|_| BTreeMap::new()).collect();
        for piece in pieces {
            self.push(piece);
        }
    }
}
