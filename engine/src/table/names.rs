//! Node names: ranges that stay ranges. A name is made only when somebody asks for it.
//!
//! Every name has one canonical form: what stands before its last run of digits, that run, what stands behind. Names with
//! equal surroundings and equally many digits form a group, and a group holds intervals of numbers. So
//! `n[0-4194303]` is seven intervals (one for each number of digits), and looking a name up is two searches.

use super::interner::{Free, Interner};
use super::name_forms::{Group, GroupRef, canonical, narrow, split_name, written};
pub use super::name_forms::{NameRange, cut, range_name};
pub use super::stretches::{NodeRange, push_joined};
pub(crate) use super::stretches::{cut_around, moved_to_front};
use crate::define_id;
use crate::id::{Column, Id as _};
use crate::limit::NODES_MAX;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::hash::{BuildHasher as _, RandomState};

/// Groups that are looked through one by one; more of them are hashed. Few jobs have names of more kinds.
const FEW_GROUPS: usize = 8;

define_id! {
    /// A node of the job: its place in the pool.
    NodeId
}

define_id! {
    /// Names that differ in one number of fixed length: a row of [`Names`].
    NameGroupId
}

/// Consecutive nodes with consecutive numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Piece {
    group: NameGroupId,
    number: u64,
    nodes: NodeRange,
}

impl Piece {
    /// Whether the names and nodes of another piece follow these.
    fn goes_on_with(&self, next: Self) -> bool {
        self.group == next.group
            && self.number + u64::from(self.nodes.count) == next.number
            && self.nodes.end() == next.nodes.first
    }
}

/// The names of the pool, in node order.
#[derive(Clone, Debug, Default)]
pub struct Names {
    groups: Column<NameGroupId, Group>,
    pieces: Vec<Piece>,
    nodes: u32,
    ids: Interner<NameGroupId>,
    /// Names are chosen by others: their digests must not be.
    keys: RandomState,
    /// Intervals of numbers, by first number. Shape `[groups]`.
    intervals: Column<NameGroupId, BTreeMap<u64, NodeRange>>,
}

/// Neighbouring nodes whose names differ in their number alone, which ascends by one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NameStretch<'n> {
    /// The nodes.
    pub nodes: NodeRange,
    /// What stands before the number; the whole name where there is none.
    pub prefix: &'n str,
    /// The number of the first node.
    pub number: u64,
    /// Digits of the number, zeros in front included; 0: there is no number.
    pub digits: u8,
    /// What stands behind the number.
    pub suffix: &'n str,
}

/// Stretches of nodes that belong to a range of names: nearly always one.
pub type Nodes = SmallVec<[NodeRange; 2]>;

/// More nodes than ids can count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyNodes {
    /// How many there would be.
    pub asked: u64,
}

impl Names {
    /// Nodes named so far.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.nodes
    }
    /// No nodes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.nodes == 0
    }

    /// Names these nodes, known or new, and says which they are, in the order of the range.
    ///
    /// # Errors
    /// When the pool would pass [`NODES_MAX`].
    pub fn add(&mut self, range: &NameRange) -> Result<Nodes, TooManyNodes> {
        let mut found = Nodes::new();
        canonical(range, |stretch| {
            let group = self.group(stretch.group);
            let mut number = stretch.number;
            let end = stretch.number + u64::from(stretch.count);
            while number < end {
                let known = self.known(group, number, end);
                let nodes = match known {
                    Some((start, nodes)) if start <= number => overlap(start, nodes, number, end),
                    next => {
                        let free_end = next.map_or(end, |(start, _)| start);
                        self.append(group, number, narrow(free_end - number))?
                    }
                };
                number += u64::from(nodes.count);
                join(&mut found, nodes);
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// The nodes of this range that there are, in the order of the range, and the first name that is missing.
    #[must_use]
    pub fn find(&self, range: &NameRange) -> (Nodes, Option<String>) {
        let mut found = Nodes::new();
        let mut missing = None;
        let all = canonical(range, |stretch| -> Result<(), Infallible> {
            let end = stretch.number + u64::from(stretch.count);
            let mut number = stretch.number;
            let group = self.find_group(stretch.group);
            while number < end {
                match group.and_then(|group| self.known(group, number, end)) {
                    Some((start, nodes)) if start <= number => {
                        let nodes = overlap(start, nodes, number, end);
                        number += u64::from(nodes.count);
                        join(&mut found, nodes);
                    }
                    next => {
                        missing.get_or_insert_with(|| written(stretch.group, number));
                        number = next.map_or(end, |(start, _)| start);
                    }
                }
            }
            Ok(())
        });
        let Ok(()) = all;
        (found, missing)
    }

    /// The node of one plain name.
    #[must_use]
    pub fn find_name(&self, name: &str) -> Option<NodeId> {
        let (group, number) = split_name(cut(name));
        let id = self.find_group(group)?;
        let (start, nodes) = self.known(id, number, number + 1)?;
        let ahead = narrow(number - start);
        Some(NodeId::from_row((nodes.first + ahead) as usize))
    }

    /// The first node whose name ends in this number, whatever its zeros (`semantics` 1.3).
    #[must_use]
    pub(crate) fn find_ending(&self, number: u64) -> Option<NodeId> {
        let ends = self
            .groups
            .iter()
            .filter(|(_, group)| group.suffix.is_empty() && group.digits > 0);
        let hits = ends.filter_map(|(id, _)| {
            let (start, nodes) = self.known(id, number, number + 1)?;
            (start <= number).then(|| nodes.first + narrow(number - start))
        });
        hits.min().map(|node| NodeId::from_row(node as usize))
    }

    /// The name of a node. Cost: a search over the ranges given.
    ///
    /// # Panics
    /// When the node is not of this pool.
    #[must_use]
    pub fn name(&self, node: NodeId) -> String {
        let row = u32::try_from(node.row()).expect("a node id is a u32");
        let at = self
            .pieces
            .partition_point(|piece| piece.nodes.end() <= row);
        let piece = &self.pieces[at];
        written(
            self.groups[piece.group].as_ref(),
            piece.number + u64::from(row - piece.nodes.first),
        )
    }

    /// The names around a node: all those that differ from its own in their number alone and stand next to it.
    /// Cost: a search over the ranges given.
    ///
    /// # Panics
    /// When the node is not of this pool.
    #[must_use]
    pub fn around(&self, node: NodeId) -> NameStretch<'_> {
        let row = u32::try_from(node.row()).expect("a node id is a u32");
        let at = self
            .pieces
            .partition_point(|piece| piece.nodes.end() <= row);
        self.stretch(&self.pieces[at])
    }

    /// The names as stretches of neighbouring numbers, in node order, each with the row of what surrounds them.
    pub(crate) fn stretches(&self) -> impl Iterator<Item = (NameGroupId, NameStretch<'_>)> + '_ {
        self.pieces
            .iter()
            .map(|piece| (piece.group, self.stretch(piece)))
    }

    fn stretch(&self, piece: &Piece) -> NameStretch<'_> {
        let group = &self.groups[piece.group];
        NameStretch {
            nodes: piece.nodes,
            prefix: &group.prefix,
            number: piece.number,
            digits: group.digits,
            suffix: &group.suffix,
        }
    }

    /// The names as host list ranges, in node order: each with its nodes.
    pub fn ranges(&self) -> impl Iterator<Item = (NodeRange, NameRange)> + '_ {
        self.pieces.iter().map(|piece| {
            let group = &self.groups[piece.group];
            let range = NameRange {
                prefix: group.prefix.clone(),
                first: piece.number,
                count: piece.nodes.count,
                width: group.digits,
                suffix: group.suffix.clone(),
            };
            (piece.nodes, range)
        })
    }

    /// Moves one node to the front; those before it move up by one.
    pub(crate) fn move_to_front(&mut self, node: NodeId) {
        let row = u32::try_from(node.row()).expect("a node id is a u32");
        let moved: Vec<Piece> = self
            .pieces
            .iter()
            .flat_map(|piece| split_around(*piece, row))
            .collect();
        let mut moved: Vec<Piece> = moved
            .into_iter()
            .map(|mut piece| {
                piece.nodes = moved_to_front(piece.nodes, row);
                piece
            })
            .collect();
        moved.sort_by_key(|piece| piece.nodes.first);
        self.intervals = self.groups.ids().map(|_| BTreeMap::new()).collect();
        for piece in &moved {
            self.intervals[piece.group].insert(piece.number, piece.nodes);
        }
        self.pieces = moved;
    }

    /// Takes a node away; those behind it move up. Cost: the ranges given.
    pub(crate) fn remove(&mut self, node: NodeId) {
        let row = u32::try_from(node.row()).expect("a node id is a u32");
        let pieces = std::mem::take(&mut self.pieces);
        for mut piece in pieces
            .into_iter()
            .flat_map(|piece| split_around(piece, row))
        {
            if piece.nodes.first == row {
                continue;
            }
            piece.nodes.first -= u32::from(piece.nodes.first > row);
            match self.pieces.last_mut() {
                Some(last) if last.goes_on_with(piece) => last.nodes.count += piece.nodes.count,
                _ => self.pieces.push(piece),
            }
        }
        self.nodes -= 1;
        self.intervals = self.groups.ids().map(|_| BTreeMap::new()).collect();
        for piece in &self.pieces {
            self.intervals[piece.group].insert(piece.number, piece.nodes);
        }
    }

    fn find_group(&self, group: GroupRef<'_>) -> Option<NameGroupId> {
        if self.groups.len() <= FEW_GROUPS {
            let mut groups = self.groups.iter();
            let same = groups.find(|(_, other)| other.as_ref() == group);
            return same.map(|(id, _)| id);
        }
        self.find_hashed(group).ok()
    }

    fn find_hashed(&self, group: GroupRef<'_>) -> Result<NameGroupId, Free> {
        let digest = self.keys.hash_one(group);
        self.ids
            .find(digest, |id| self.groups[id].as_ref() == group)
    }

    fn group(&mut self, group: GroupRef<'_>) -> NameGroupId {
        // Names of one list mostly differ in their number alone.
        if let Some(last) = self.pieces.last()
            && self.groups[last.group].as_ref() == group
        {
            return last.group;
        }
        self.find_group(group).unwrap_or_else(|| {
            let id = self.groups.push(group.to_group());
            self.intervals.push(BTreeMap::new());
            self.keep_hashed(id);
            id
        })
    }

    /// Hashes a group that is new: those before it, too, when they begin to be many.
    fn keep_hashed(&mut self, id: NameGroupId) {
        let groups = self.groups.len();
        let new = match groups {
            ..=FEW_GROUPS => return,
            _ if groups == FEW_GROUPS + 1 => 0,
            _ => id.row(),
        };
        for id in (new..groups).map(NameGroupId::from_row) {
            if let Err(free) = self.find_hashed(self.groups[id].as_ref()) {
                self.ids.keep(free, id);
            }
        }
    }

    /// The first interval that ends behind `number` and starts before `end`.
    fn known(&self, group: NameGroupId, number: u64, end: u64) -> Option<(u64, NodeRange)> {
        let intervals = &self.intervals[group];
        // Names mostly come in order: behind all that are here.
        let (last, nodes) = intervals.last_key_value()?;
        if last + u64::from(nodes.count) <= number {
            return None;
        }
        let before = intervals
            .range(..=number)
            .next_back()
            .filter(|(start, nodes)| **start + u64::from(nodes.count) > number);
        before
            .or_else(|| intervals.range(number..end).next())
            .map(|(&start, &nodes)| (start, nodes))
    }

    fn append(
        &mut self,
        group: NameGroupId,
        number: u64,
        count: u32,
    ) -> Result<NodeRange, TooManyNodes> {
        let asked = u64::from(self.nodes) + u64::from(count);
        if asked > u64::from(NODES_MAX) {
            return Err(TooManyNodes { asked });
        }
        let nodes = NodeRange {
            first: self.nodes,
            count,
        };
        self.nodes += count;
        let piece = Piece {
            group,
            number,
            nodes,
        };
        let joins = self.pieces.last_mut();
        if let Some(last) = joins.filter(|last| last.goes_on_with(piece)) {
            last.nodes.count += count;
            match self.intervals[group].last_entry() {
                Some(mut here) if *here.key() == last.number => *here.get_mut() = last.nodes,
                Some(_) | None => drop(self.intervals[group].insert(last.number, last.nodes)),
            }
        } else {
            self.pieces.push(piece);
            self.intervals[group].insert(number, nodes);
        }
        Ok(nodes)
    }
}

fn split_around(piece: Piece, row: u32) -> Vec<Piece> {
    let parts = cut_around(piece.nodes, row).into_iter();
    parts
        .map(|nodes| Piece {
            nodes,
            number: piece.number + u64::from(nodes.first - piece.nodes.first),
            ..piece
        })
        .collect()
}

fn overlap(start: u64, nodes: NodeRange, number: u64, end: u64) -> NodeRange {
    let ahead = narrow(number - start);
    let count = (nodes.count - ahead).min(narrow((end - number).min(u64::from(u32::MAX))));
    NodeRange {
        first: nodes.first + ahead,
        count,
    }
}

fn join(list: &mut Nodes, nodes: NodeRange) {
    match list.last_mut() {
        Some(last) if last.end() == nodes.first => last.count += nodes.count,
        _ => list.push(nodes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(prefix: &str, first: u64, count: u32, width: u8) -> NameRange {
        NameRange {
            prefix: prefix.into(),
            first,
            count,
            width,
            suffix: String::new(),
        }
    }

    fn node(row: usize) -> NodeId {
        NodeId::from_row(row)
    }

    #[test]
    fn four_million_names_cost_a_few_rows() {
        let mut names = Names::default();
        assert_eq!(
            names.add(&range("n", 0, 1 << 22, 1)),
            Ok(Nodes::from_slice(&[NodeRange {
                first: 0,
                count: 1 << 22
            }]))
        );
        assert_eq!(names.pieces.len(), 7);
        assert_eq!(names.name(node(4_000_000)), "n4000000");
        assert_eq!(
            names.find_name("n4000000.cluster.org"),
            Some(node(4_000_000))
        );
        assert_eq!(names.find_name("n04000000"), None);
        assert_eq!(names.find_ending(15), Some(node(15)));
    }

    #[test]
    fn names_said_twice_are_one_node_however_spelled() {
        let mut names = Names::default();
        names.add(&range("n0015", 0, 1, 0)).unwrap();
        let found = names.add(&range("n00", 14, 3, 2)).unwrap();
        assert_eq!(
            found[..],
            [
                NodeRange { first: 1, count: 1 },
                NodeRange { first: 0, count: 1 },
                NodeRange { first: 2, count: 1 }
            ]
        );
        assert_eq!(
            (0..3).map(|row| names.name(node(row))).collect::<Vec<_>>(),
            ["n0015", "n0014", "n0016"]
        );
        names.move_to_front(node(2));
        assert_eq!(
            (0..3).map(|row| names.name(node(row))).collect::<Vec<_>>(),
            ["n0016", "n0015", "n0014"]
        );
        assert_eq!(names.find_name("n0014"), Some(node(2)));
        assert_eq!(
            names.find(&range("n", 15, 4, 4)).1.as_deref(),
            Some("n0017")
        );
    }
}
