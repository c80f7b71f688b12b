//! Removes groups that add nothing, and moves their memory and devices. hwloc's order of memory and devices depends on this.
//!
//! It matters only if a group and also the object above or below it have memory or devices. Other files are left alone, because
//! groups are not listed.

use super::allowed::Allowed;
use super::sets::Sets;
use super::tree::{GroupKind, Line, Merging, Row, Tree};
use crate::kind::Kind;

/// The most kinds of groups that are distinguished in one file.
const GROUP_KINDS_MAX: usize = 40;

/// Removes groups level by level, from the innermost level, if each group of the level has one child or is an only child.
///
/// Cost: linear in the objects times the levels.
pub(super) fn groups(tree: &mut Tree, sets: &Sets, allowed: Allowed) {
    let Some(root) = tree.root().filter(|_| may_matter(tree)) else {
        return;
    };
    remove_empty(tree, sets, allowed);
    let Some(classes) = Classes::of(tree) else {
        return;
    };
    let mut levels = levels(tree, &classes, root);
    for depth in (1..levels.len()).rev() {
        let (above, here) = (&levels[depth - 1], &levels[depth]);
        let goes = match (leaves(tree, above), leaves(tree, here)) {
            // If both levels are groups, the inner one goes.
            (_, Leaves::Yes) => Goes::Inner,
            (Leaves::Yes, Leaves::No) => Goes::Outer,
            (Leaves::No, Leaves::No) => continue,
        };
        if !alike(tree, above, here) || (goes == Goes::Outer && depth == 1) {
            continue;
        }
        match goes {
            Goes::Inner => drop_inner(tree, above, here),
            Goes::Outer => drop_outer(tree, above, here),
        }
        levels.remove(match goes {
            Goes::Inner => depth,
            Goes::Outer => depth - 1,
        });
    }
}

/// Which of two levels goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Goes {
    Inner,
    Outer,
}

/// Whether a level may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Leaves {
    Yes,
    No,
}

fn leaves(tree: &Tree, level: &[Row]) -> Leaves {
    let kept =
        |row: &Row| group_kind(tree, *row).is_none_or(|kind| kind.merging == Merging::Refused);
    match level.iter().any(kept) {
        true => Leaves::No,
        false => Leaves::Yes,
    }
}

fn group_kind(tree: &Tree, row: Row) -> Option<GroupKind> {
    let group = tree.node(row).group?;
    tree.groups.get(group as usize).map(|(_, kind)| *kind)
}

/// Whether an object has memory or devices.
fn has_company(tree: &Tree, row: Row) -> bool {
    tree.first(row, Line::Memory).is_some() || tree.first(row, Line::Io).is_some()
}

fn may_matter(tree: &Tree) -> bool {
    tree.groups.iter().any(|&(group, _)| {
        let mut around = tree
            .children(group, Line::Normal)
            .chain(tree.node(group).parent);
        has_company(tree, group) && around.any(|row| has_company(tree, row))
    })
}

/// Unlinks objects that hold nothing.
fn remove_empty(tree: &mut Tree, sets: &Sets, allowed: Allowed) {
    let mut alive = vec![false; tree.len()];
    for row in tree.rows().rev() {
        let node = tree.node(row);
        alive[row.number()] |= node.kind.is_io() || allowed.has(tree, sets, row);
        if let Some(parent) = node.parent.filter(|_| alive[row.number()]) {
            alive[parent.number()] = true;
        }
    }
    for row in tree.rows() {
        for line in [Line::Normal, Line::Memory] {
            let dead = |child: Row| !alive[child.number()];
            if tree.children(row, line).any(dead) {
                let children = tree.children(row, line);
                let left: Vec<Row> = children.filter(|&child| !dead(child)).collect();
                tree.set_children(row, line, &left);
            }
        }
    }
}

/// The class of each object, as a bit. Objects of one class make a level.
struct Classes {
    own: Vec<u64>,
    /// The classes of the objects below it.
    below: Vec<u64>,
}

impl Classes {
    /// `None` when there are too many kinds of groups.
    fn of(tree: &Tree) -> Option<Self> {
        let mut known: Vec<(u64, u64)> = Vec::new();
        let mut own = Vec::with_capacity(tree.len());
        for row in tree.rows() {
            let bit = match (tree.node(row).kind, group_kind(tree, row)) {
                (Kind::Machine, _) => 0,
                (Kind::Package, _) => 1,
                (Kind::Die, _) => 2,
                (Kind::Core, _) => 3,
                (Kind::Pu, _) => 4,
                (Kind::Cache(level, _), _) => 4 + usize::from(level),
                (_, Some(GroupKind { kind, subkind, .. })) => {
                    let known_as = known.iter().position(|&known| known == (kind, subkind));
                    let number = known_as.unwrap_or_else(|| {
                        known.push((kind, subkind));
                        known.len() - 1
                    });
                    if number >= GROUP_KINDS_MAX {
                        return None;
                    }
                    10 + number
                }
                // Memory and devices belong to no level.
                (_, None) => 63,
            };
            own.push(1_u64 << bit);
        }
        let mut below = vec![0; own.len()];
        for row in tree.rows().rev() {
            if let Some(parent) = tree.node(row).parent {
                below[parent.number()] |= own[row.number()] | below[row.number()];
            }
        }
        Some(Self { own, below })
    }
}

/// The levels of the tree. As hwloc does, each step takes the outermost class that is left, with all its objects.
fn levels(tree: &Tree, classes: &Classes, root: Row) -> Vec<Vec<Row>> {
    let own = |row: Row| classes.own[row.number()];
    let below = |row: Row| classes.below[row.number()];
    let mut levels = vec![vec![root]];
    let mut left: Vec<Row> = tree.children(root, Line::Normal).collect();
    while let Some(&first) = left.first() {
        let is_pu = |row: Row| tree.node(row).kind == Kind::Pu;
        let mut top = left
            .iter()
            .copied()
            .find(|&row| !is_pu(row))
            .unwrap_or(first);
        for &row in &left {
            if own(row) != own(top) && below(row) & own(top) != 0 {
                top = row;
            }
        }
        let (mut level, mut next) = (Vec::new(), Vec::with_capacity(left.len()));
        for row in left {
            if own(row) == own(top) {
                level.push(row);
                next.extend(tree.children(row, Line::Normal));
            } else {
                next.push(row);
            }
        }
        levels.push(level);
        left = next;
    }
    levels
}

/// Whether each object of a level is the only child of the object at the same place in the level above.
fn alike(tree: &Tree, above: &[Row], here: &[Row]) -> bool {
    above.len() == here.len()
        && above.iter().zip(here).all(|(&outer, &inner)| {
            let memory_over_pu =
                tree.node(inner).kind == Kind::Pu && tree.first(outer, Line::Memory).is_some();
            tree.first(outer, Line::Normal) == Some(inner)
                && tree.next(inner).is_none()
                && !memory_over_pu
        })
}

/// Removes the inner objects. Their children take their places, and their memory and devices follow those of the outer objects.
fn drop_inner(tree: &mut Tree, above: &[Row], here: &[Row]) {
    for (&outer, &inner) in above.iter().zip(here) {
        let children: Vec<Row> = tree.children(inner, Line::Normal).collect();
        tree.set_children(outer, Line::Normal, &children);
        join_company(tree, [outer, inner], outer);
    }
}

/// Removes the outer objects. The inner objects take their places, and the memory and devices of the outer objects come first.
fn drop_outer(tree: &mut Tree, above: &[Row], here: &[Row]) {
    let mut instead: Vec<Row> = tree.rows().collect();
    let mut parents: Vec<Row> = Vec::new();
    for (&outer, &inner) in above.iter().zip(here) {
        join_company(tree, [outer, inner], inner);
        instead[outer.number()] = inner;
        parents.extend(tree.node(outer).parent);
    }
    // Siblings are neighbours in a level.
    parents.dedup();
    for parent in parents {
        let children = tree.children(parent, Line::Normal);
        let children: Vec<Row> = children.map(|child| instead[child.number()]).collect();
        tree.set_children(parent, Line::Normal, &children);
    }
}

/// Gives the memory and devices of both objects, in this order, to one of them.
fn join_company(tree: &mut Tree, of: [Row; 2], to: Row) {
    for line in [Line::Memory, Line::Io] {
        let company: Vec<Row> = of
            .into_iter()
            .flat_map(|row| tree.children(row, line))
            .collect();
        tree.set_children(to, line, &company);
    }
}
