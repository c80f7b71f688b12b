//! Node names: ranges that stay ranges. A name is made only when somebody asks for it.
//!
//! Every name has one canonical form: the text before its last run of digits, these digits, and the text behind them. Names
//! with equally many digits between the same texts form a group, and a group holds intervals of numbers. So `n[0-4194303]` is
//! seven intervals (one for each number of digits), and looking a name up takes two searches.

use super::interner::Distinct;
use super::name_forms::{
    Form, Group, GroupRef, Stretch, canonical, domain, narrow, split_name, written,
};
pub use super::name_forms::{NameRange, cut, range_name, range_names};
pub use super::stretches::{NodeRange, push_joined};
pub(crate) use super::stretches::{cut_around, moved_to_front};
pub use super::written_names::Written;
use super::written_names::WrittenNames;
use crate::define_id;
use crate::id::{Column, Id as _};
use crate::limit::NODES_MAX;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

define_id! {
    /// A node of the job: its place in the pool.
    NodeId
}

define_id! {
    /// Names that differ in one number of fixed length: a row of [`Names`].
    NameGroupId
}

/// Groups up to which one is found by looking at all of them: that takes less time than a digest.
const FEW_GROUPS: usize = 8;

/// Consecutive nodes with consecutive numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Piece {
    pub(super) group: NameGroupId,
    pub(super) number: u64,
    pub(super) nodes: NodeRange,
}

impl Piece {
    /// Whether the names and nodes of another piece follow these.
    fn goes_on_with(&self, next: Self) -> bool {
        self.group == next.group
            && self.number + u64::from(self.nodes.count) == next.number
            && self.nodes.end() == next.nodes.first
    }
}

/// Numbers of a group up to `end`, and the nodes that they name; `None`: they name no nodes.
struct Part {
    nodes: Option<NodeRange>,
    end: u64,
}

/// The names of the pool, in node order.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub(super) groups: Distinct<NameGroupId, Group>,
    pub(super) pieces: Vec<Piece>,
    pub(super) nodes: u32,
    /// Users choose the names, but must not be able to choose their digests.
    pub(super) keys: RandomState,
    /// Intervals of numbers, by first number. Shape `[groups]`.
    pub(super) intervals: Column<NameGroupId, BTreeMap<u64, NodeRange>>,
    /// What was written of nodes beyond their names.
    pub(super) written: WrittenNames,
    /// First labels that several full names share: these names are compared whole.
    pub(super) shared: Option<Arc<Names>>,
    /// Whether some names are kept whole.
    pub(super) whole: bool,
}

/// Neighbouring nodes whose names differ only in their number, which ascends by one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NameStretch<'n> {
    /// The nodes.
    pub nodes: NodeRange,
    /// The text before the number; the whole name if there is no number.
    pub prefix: &'n str,
    /// The number of the first node.
    pub number: u64,
    /// Digits of the number, including zeros in front; 0: there is no number.
    pub digits: u8,
    /// The text behind the number.
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
    /// Number of nodes named so far.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.nodes
    }
    /// Whether there are no nodes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.nodes == 0
    }

    /// Adds the nodes of a range that are new. Returns all nodes of the range, known or new, in the order of the range.
    ///
    /// # Errors
    /// When the pool would pass [`NODES_MAX`].
    pub fn add(&mut self, range: &NameRange) -> Result<Nodes, TooManyNodes> {
        let domain = domain(range);
        if domain.is_empty() {
            return self.add_in(range, Form::Cut);
        }
        if self.shares_labels_of(range) {
            return self.add_each(range);
        }
        let found = self.add_in(range, Form::Cut)?;
        let written = Written::domain(domain);
        found
            .iter()
            .for_each(|nodes| self.written.keep(*nodes, &written));
        Ok(found)
    }

    /// Adds names that are compared in this form.
    pub(super) fn add_in(&mut self, range: &NameRange, form: Form) -> Result<Nodes, TooManyNodes> {
        self.whole |= form == Form::Whole;
        let mut found = Nodes::new();
        canonical(range, form, |stretch| {
            let group = self.group(stretch.group);
            let mut number = stretch.number;
            let end = stretch.number + u64::from(stretch.count);
            while number < end {
                let part = self.part(Some(group), number, end);
                let nodes = match part.nodes {
                    Some(known) => known,
                    None => self.append(group, number, narrow(part.end - number))?,
                };
                join(&mut found, nodes);
                number = part.end;
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Adds a node whose name another node may have already: launchers that list a host twice run two sets of processes there.
    /// Searches by name find the first.
    ///
    /// # Errors
    /// When the pool would pass [`NODES_MAX`].
    pub fn add_again(&mut self, name: &NameRange) -> Result<Nodes, TooManyNodes> {
        let mut found = Nodes::new();
        canonical(name, Form::Cut, |stretch| {
            let group = self.group(stretch.group);
            join(
                &mut found,
                self.append(group, stretch.number, stretch.count)?,
            );
            Ok(())
        })?;
        let written = Written::domain(domain(name));
        found
            .iter()
            .for_each(|nodes| self.written.keep(*nodes, &written));
        Ok(found)
    }

    /// The nodes of this range that are known, in the order of the range, and the first name that is missing.
    #[must_use]
    pub fn find(&self, range: &NameRange) -> (Nodes, Option<String>) {
        if self.whole && !domain(range).is_empty() {
            return self.find_each(range);
        }
        let mut found = Nodes::new();
        let mut missing = None;
        let all = canonical(range, Form::Cut, |stretch| -> Result<(), Infallible> {
            let group = self.find_group(stretch.group);
            let mut number = stretch.number;
            let end = stretch.number + u64::from(stretch.count);
            while number < end {
                let part = self.part(group, number, end);
                match part.nodes {
                    Some(known) => join(&mut found, known),
                    None => drop(missing.get_or_insert_with(|| written(stretch.group, number))),
                }
                number = part.end;
            }
            Ok(())
        });
        let Ok(()) = all;
        (found, missing)
    }

    /// The node of one plain name.
    #[must_use]
    pub fn find_name(&self, name: &str) -> Option<NodeId> {
        let form = |name| {
            let (group, number) = split_name(name);
            self.numbered(self.find_group(group)?, number)
        };
        let whole = self.whole.then(|| form(name)).flatten();
        whole.or_else(|| form(cut(name)))
    }

    /// The first node whose name ends in this number, with any zeros in front (`semantics` 1.3).
    #[must_use]
    #[doc(hidden)]
    pub fn find_ending(&self, number: u64) -> Option<NodeId> {
        let ends = self
            .groups
            .iter()
            .filter(|(_, group)| group.suffix.is_empty() && group.digits > 0);
        ends.filter_map(|(id, _)| self.numbered(id, number)).min()
    }

    /// The node of a number in a group.
    fn numbered(&self, group: NameGroupId, number: u64) -> Option<NodeId> {
        let nodes = self.part(Some(group), number, number + 1).nodes?;
        Some(NodeId::from_row(nodes.first as usize))
    }

    /// The name of a node. Cost: a search over the ranges given.
    ///
    /// # Panics
    /// When the node is not of this pool.
    #[must_use]
    pub fn name(&self, node: NodeId) -> String {
        let here = self.around(node);
        let group = GroupRef {
            prefix: here.prefix,
            suffix: here.suffix,
            digits: here.digits,
        };
        let ahead = node.number() - here.nodes.first;
        written(group, here.number + u64::from(ahead))
    }

    /// The names around a node: the stretch of neighbouring nodes whose names differ only in their number.
    /// Cost: a search over the ranges given.
    ///
    /// # Panics
    /// When the node is not of this pool.
    #[must_use]
    pub fn around(&self, node: NodeId) -> NameStretch<'_> {
        let row = node.number();
        let before = |piece: &Piece| piece.nodes.end() <= row;
        let at = self.pieces.partition_point(before);
        self.stretch(&self.pieces[at])
    }

    /// The names as stretches of neighbouring numbers, in node order, each with its group.
    pub(crate) fn stretches(&self) -> impl Iterator<Item = (NameGroupId, NameStretch<'_>)> + '_ {
        self.pieces
            .iter()
            .map(|piece| (piece.group, self.stretch(piece)))
    }

    fn stretch(&self, piece: &Piece) -> NameStretch<'_> {
        let group = self.groups.get(piece.group);
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
        self.stretches().map(|(_, names)| {
            let range = NameRange {
                prefix: names.prefix.to_owned(),
                first: names.number,
                count: names.nodes.count,
                width: names.digits,
                suffix: names.suffix.to_owned(),
            };
            (names.nodes, range)
        })
    }

    /// The names of some nodes as host list ranges, in node order. Cost: a search, then the ranges.
    pub(crate) fn ranges_within(&self, nodes: NodeRange) -> impl Iterator<Item = NameRange> + '_ {
        let before = |piece: &Piece| piece.nodes.end() <= nodes.first;
        let pieces = &self.pieces[self.pieces.partition_point(before)..];
        pieces.iter().map_while(move |piece| {
            let part = piece.nodes.overlap(nodes)?;
            let names = self.stretch(piece);
            Some(NameRange {
                prefix: names.prefix.to_owned(),
                first: names.number + u64::from(part.first - piece.nodes.first),
                count: part.count,
                width: names.digits,
                suffix: names.suffix.to_owned(),
            })
        })
    }

    fn find_group(&self, group: GroupRef<'_>) -> Option<NameGroupId> {
        if self.groups.len() <= FEW_GROUPS {
            let mut groups = self.groups.iter();
            let found = groups.find(|(_, known)| known.as_ref() == group);
            return found.map(|(id, _)| id);
        }
        let digest = self.keys.hash_one(group);
        self.groups.find_by(digest, |known| known.as_ref() == group)
    }

    fn group(&mut self, group: GroupRef<'_>) -> NameGroupId {
        self.find_group(group).unwrap_or_else(|| {
            self.intervals.push(BTreeMap::new());
            let digest = self.keys.hash_one(group);
            self.groups.add(digest, group.to_group())
        })
    }

    /// The part of a group's numbers from `number` on, up to `end`: either known numbers with neighbouring nodes, or missing
    /// numbers up to the first known one.
    fn part(&self, group: Option<NameGroupId>, number: u64, end: u64) -> Part {
        let next = group.and_then(|group| {
            let intervals = &self.intervals[group];
            let before = intervals.range(..=number).next_back();
            let before = before.filter(|(start, nodes)| **start + u64::from(nodes.count) > number);
            before.or_else(|| intervals.range(number..end).next())
        });
        match next {
            Some((start, nodes)) if *start <= number => {
                let ahead = narrow(number - start);
                let count = u64::from(nodes.count - ahead).min(end - number);
                let first = nodes.first + ahead;
                Part {
                    nodes: Some(NodeRange {
                        first,
                        count: narrow(count),
                    }),
                    end: number + count,
                }
            }
            next => Part {
                nodes: None,
                end: next.map_or(end, |(start, _)| *start),
            },
        }
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
        self.push(Piece {
            group,
            number,
            nodes,
        });
        Ok(nodes)
    }

    /// Appends a piece; joins it to the last one if it continues that one.
    pub(super) fn push(&mut self, piece: Piece) {
        let intervals = &mut self.intervals[piece.group];
        match self.pieces.last_mut() {
            Some(last) if last.goes_on_with(piece) => {
                last.nodes.count += piece.nodes.count;
                let known = intervals.entry(last.number).or_insert(last.nodes);
                if known.first == last.nodes.first {
                    *known = last.nodes;
                }
            }
            _ => {
                self.pieces.push(piece);
                intervals.entry(piece.number).or_insert(piece.nodes);
            }
        }
    }
}

/// Whether the names of a range are one stretch of one group, written in the form that is kept.
pub fn is_canonical(range: &NameRange) -> bool {
    if range.width == 0 {
        return (range.first, range.count) == (0, 1) && range.suffix.is_empty();
    }
    let form = match domain(range) {
        "" => Form::Cut,
        _ => Form::Whole,
    };
    let kept = GroupRef {
        digits: range.width,
        prefix: &range.prefix,
        suffix: &range.suffix,
    };
    let is_whole = |stretch: Stretch<'_>| {
        let all = (stretch.number, stretch.count) == (range.first, range.count);
        (all && stretch.group == kept).then_some(()).ok_or(())
    };
    range.count > 0 && canonical(range, form, is_whole).is_ok()
}

pub(super) fn join(list: &mut Nodes, nodes: NodeRange) {
    match list.last_mut() {
        Some(last) if last.end() == nodes.first => last.count += nodes.count,
        _ => list.push(nodes),
    }
}
