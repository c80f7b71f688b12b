//! The tree of objects while a file is read: rows that point to each other, in the order of the file.

use super::dialect::Dialect;
use super::sets::{Set, Sets};
use crate::classes::KnownAs;
use crate::kind::Kind;

/// A row of [`Tree`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Row(u32);

/// Which list of its parent an object is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Line {
    /// Objects of cpus.
    Normal,
    /// Memory beside the objects of cpus.
    Memory,
    /// Bridges, PCI and OS devices.
    Io,
}

/// The first and the last child of a list.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    first: Option<Row>,
    last: Option<Row>,
}

/// Distinguishes groups: only groups with equal values here belong to one level.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct GroupKind {
    pub(super) kind: u64,
    pub(super) subkind: u64,
    pub(super) merging: Merging,
}

/// Whether a group is removed when it adds nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Merging {
    #[default]
    Wanted,
    /// `dont_merge`
    Refused,
}

/// One object.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) os: Option<u32>,
    pub(super) parent: Option<Row>,
    /// PUs that are there.
    pub(super) cpuset: Option<Set>,
    /// PUs that are there, disallowed or offline.
    pub(super) complete_cpuset: Option<Set>,
    /// NUMA nodes. For a NUMA node: itself, if it is there.
    pub(super) nodeset: Option<Set>,
    /// Row of [`Tree::devices`], for OS devices.
    pub(super) device: Option<u32>,
    /// The address of a PCI device.
    pub(super) pci: Option<u64>,
    /// Row of [`Tree::groups`], for groups.
    pub(super) group: Option<u32>,
    /// Whether the file gave it a subtype.
    pub(super) has_subtype: bool,
    next: Option<Row>,
    lines: [Ends; 3],
}

/// The objects of one file. The first is the root.
#[derive(Default, Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Name and subtype of each OS device, and what it is.
    pub(super) devices: Vec<(String, String, KnownAs)>,
    /// Each group, and what distinguishes it.
    pub(super) groups: Vec<(Row, GroupKind)>,
}

impl Node {
    pub(super) fn new(kind: Kind, os: Option<u32>) -> Self {
        Self {
            kind,
            os,
            parent: None,
            cpuset: None,
            complete_cpuset: None,
            nodeset: None,
            device: None,
            pci: None,
            group: None,
            has_subtype: false,
            next: None,
            lines: [Ends::default(); 3],
        }
    }

    /// The list of its parent that it belongs to.
    fn line(&self) -> Line {
        if self.kind.is_io() {
            Line::Io
        } else if matches!(self.kind, Kind::Numa | Kind::MemCache) {
            Line::Memory
        } else {
            Line::Normal
        }
    }
}

impl Row {
    /// Its number, in the order in which objects were added.
    pub(super) fn number(self) -> usize {
        self.0 as usize
    }
}

impl Tree {
    /// Adds one NUMA node to a machine whose file has none, which dialect 1 allows.
    pub(super) fn add_missing_memory(&mut self, root: Row, dialect: Dialect, sets: &Sets) {
        let any = self.nodes.iter().any(|node| node.kind == Kind::Numa);
        let named = self.node(root).nodeset;
        if dialect == Dialect::One && !any && named.is_none_or(|set| sets.is_empty(set)) {
            self.push(Node::new(Kind::Numa, Some(0)), Some(root));
        }
    }

    /// Gives the outermost object number 0, unless it has a number.
    pub(super) fn number_root(&mut self) {
        if let Some(root) = self.nodes.first_mut() {
            root.os = root.os.or(Some(0));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The outermost object. `None` before it is added.
    pub(super) fn root(&self) -> Option<Row> {
        (!self.nodes.is_empty()).then_some(Row(0))
    }

    pub(super) fn node(&self, row: Row) -> &Node {
        &self.nodes[row.0 as usize]
    }

    fn node_mut(&mut self, row: Row) -> &mut Node {
        &mut self.nodes[row.0 as usize]
    }

    /// Adds an object at the end of its list below `parent`.
    pub(super) fn push(&mut self, mut node: Node, parent: Option<Row>) -> Row {
        let row = u32::try_from(self.nodes.len()).map(Row);
        let row = row.expect("limit.rs keeps objects below 2^32");
        node.parent = parent;
        let line = node.line() as usize;
        self.nodes.push(node);
        if let Some(parent) = parent {
            match self.node_mut(parent).lines[line].last.replace(row) {
                Some(last) => self.node_mut(last).next = Some(row),
                None => self.node_mut(parent).lines[line].first = Some(row),
            }
        }
        row
    }

    /// Adds a group.
    pub(super) fn push_group(
        &mut self,
        mut node: Node,
        parent: Option<Row>,
        kind: GroupKind,
    ) -> Row {
        node.group = u32::try_from(self.groups.len()).ok();
        let row = self.push(node, parent);
        self.groups.push((row, kind));
        row
    }

    /// All rows, an object before the objects below it.
    pub(super) fn rows(&self) -> impl DoubleEndedIterator<Item = Row> + use<> {
        (0..u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)).map(Row)
    }

    /// Gives an object these children in one of its lists, in this order.
    pub(super) fn set_children(&mut self, row: Row, line: Line, children: &[Row]) {
        for (place, &child) in children.iter().enumerate() {
            let next = children.get(place + 1).copied();
            let node = self.node_mut(child);
            (node.next, node.parent) = (next, Some(row));
        }
        self.node_mut(row).lines[line as usize] = Ends {
            first: children.first().copied(),
            last: children.last().copied(),
        };
    }

    /// The children of an object in one of its lists.
    pub(super) fn children(&self, row: Row, line: Line) -> impl Iterator<Item = Row> + '_ {
        std::iter::successors(self.first(row, line), |&child| self.next(child))
    }

    /// The first child of an object in one of its lists.
    pub(super) fn first(&self, row: Row, line: Line) -> Option<Row> {
        self.node(row).lines[line as usize].first
    }

    /// The object after this one in its list.
    pub(super) fn next(&self, row: Row) -> Option<Row> {
        self.node(row).next
    }

    /// Puts the normal children of an object into the order of their lowest PU, empty ones last.
    ///
    /// As in hwloc, nothing changes if they are in order. Otherwise children with the same lowest PU change places.
    pub(super) fn order_children(&mut self, row: Row, sets: &Sets) {
        let lowest = |child: &Row| {
            let node = self.node(*child);
            let set = node.complete_cpuset.or(node.cpuset);
            set.and_then(|set| sets.first(set)).unwrap_or(u64::MAX)
        };
        let in_order = self
            .children(row, Line::Normal)
            .is_sorted_by_key(|child| lowest(&child));
        if in_order {
            return;
        }
        let mut children: Vec<Row> = self.children(row, Line::Normal).collect();
        children.reverse();
        children.sort_by_key(lowest);
        self.set_children(row, Line::Normal, &children);
    }
}
