//! Puts an object into the tree: checks what must hold there, and handles what is different in dialect 1.

use super::dialect::Dialect;
use super::object::{Object, Place, object};
use super::sets::Sets;
use super::tree::{GroupKind, Line, Node, Row, Tree};
use crate::error::XmlFault;
use crate::kind::{Holds, Kind};

/// The group kind of groups that hold memory and the cpus near it.
const GROUP_OF_MEMORY: u64 = 1001;

/// Puts an object below `parent`. Returns the row below which its children go: its own row, or the parent's row if objects of this
/// kind are skipped.
///
/// # Errors
/// When hwloc refuses the file: a kind that cannot be below another kind, or sets that are missing.
pub(super) fn insert(
    tree: &mut Tree,
    sets: &Sets,
    dialect: Dialect,
    given: &Object,
    parent: Option<Row>,
) -> Result<Row, XmlFault> {
    let Some(parent) = parent else {
        return insert_root(tree, sets, dialect, given);
    };
    let kind = given.settle_kind(dialect, Place::Inside)?;
    check_kinds(dialect, kind, tree.node(parent).kind)?;
    // In dialect 1, objects are below the memory that they are near.
    let mut parent = parent;
    if let Some(above) = tree.node(parent).parent
        && tree.node(parent).kind == Kind::Numa
    {
        parent = above;
    }
    if kind == Kind::Numa && dialect == Dialect::One && needs_group(tree, sets, given, parent) {
        let mut group = Node::new(Kind::Group, None);
        group.cpuset = given.cpuset;
        group.complete_cpuset = given.cpuset;
        let kind = GroupKind {
            kind: GROUP_OF_MEMORY,
            ..GroupKind::default()
        };
        parent = tree.push_group(group, Some(parent), kind);
    }
    let lacks = check_sets(dialect, kind, given)?;
    check_own_bits(sets, dialect, kind, given)?;
    let above = tree.node(parent);
    if given.cpuset.is_some() && above.cpuset.is_none() {
        return Err(object("an object with cpuset below one without"));
    }
    if given.nodeset.is_some() && above.nodeset.is_none() && above.kind != Kind::Group {
        return Err(object("an object with nodeset below one without"));
    }
    let passed_over = matches!(
        kind,
        Kind::MemCache | Kind::Misc | Kind::Cache(_, Holds::Instructions)
    );
    if passed_over || lacks == Lacks::Sets {
        return Ok(parent);
    }
    Ok(push(tree, dialect, kind, given, Some(parent)))
}

fn insert_root(
    tree: &mut Tree,
    sets: &Sets,
    dialect: Dialect,
    given: &Object,
) -> Result<Row, XmlFault> {
    let kind = given.settle_kind(dialect, Place::Outermost)?;
    if kind.is_io() || matches!(kind, Kind::Misc | Kind::MemCache | Kind::Pu) {
        return Err(object("the outermost object is no machine"));
    }
    check_sets(dialect, kind, given)?;
    check_own_bits(sets, dialect, kind, given)?;
    if kind == Kind::Numa {
        if dialect != Dialect::One {
            return Err(object("the outermost object is a NUMA node"));
        }
        // A file of dialect 1 may leave out the machine if it has one NUMA node.
        let mut machine = Node::new(Kind::Machine, None);
        machine.cpuset = given.cpuset;
        machine.complete_cpuset = given.cpuset;
        machine.nodeset = given.nodeset;
        let machine = tree.push(machine, None);
        return Ok(push(tree, dialect, kind, given, Some(machine)));
    }
    if dialect != Dialect::One && given.nodeset.is_none_or(|set| sets.is_empty(set)) {
        return Err(object(
            "the outermost object has no nodeset, or an empty one",
        ));
    }
    let row = push(tree, dialect, kind, given, None);
    // libhwloc's machine is number 0 unless the file says otherwise.
    tree.number_root();
    Ok(row)
}

fn push(tree: &mut Tree, dialect: Dialect, kind: Kind, given: &Object, parent: Option<Row>) -> Row {
    let mut node = Node::new(kind, given.os);
    node.cpuset = given.cpuset;
    node.complete_cpuset = given.complete_cpuset.or(given.cpuset);
    node.nodeset = given.nodeset;
    node.has_subtype = given.subtype.is_some();
    node.pci = given.pci.filter(|_| kind == Kind::PciDevice);
    if kind == Kind::OsDevice {
        let or_none = |words: &Option<String>| match words.as_deref() {
            None | Some("") => "-".to_owned(),
            Some(words) => words.to_owned(),
        };
        node.device = u32::try_from(tree.devices.len()).ok();
        let known = given.known_as(dialect);
        tree.devices
            .push((or_none(&given.name), or_none(&given.subtype), known));
    }
    if kind == Kind::Group {
        return tree.push_group(node, parent, given.group);
    }
    tree.push(node, parent)
}

/// Checks that a kind can be below another kind.
fn check_kinds(dialect: Dialect, kind: Kind, parent: Kind) -> Result<(), XmlFault> {
    let is_memory = |kind: Kind| matches!(kind, Kind::Numa | Kind::MemCache);
    let (io, misc) = (kind.is_io(), kind == Kind::Misc);
    let normal = !io && !misc && !is_memory(kind);
    if parent == Kind::Pu && (normal || is_memory(kind)) {
        return Err(object("an object below a PU"));
    }
    let refused = match dialect {
        Dialect::One => {
            ((normal || kind == Kind::Numa) && (parent.is_io() || parent == Kind::Misc))
                || (io && parent == Kind::Misc)
        }
        Dialect::Two | Dialect::Three => {
            (normal && (is_memory(parent) || parent.is_io() || parent == Kind::Misc))
                || (is_memory(kind)
                    && (parent.is_io() || parent == Kind::Misc || parent == Kind::Numa))
                || (io && (is_memory(parent) || parent == Kind::Misc))
        }
    };
    if refused {
        let what = format!("a {} below a {}", kind.word(), parent.word());
        return Err(XmlFault::BadObject { what });
    }
    Ok(())
}

/// Whether an object lacks sets in such a way that it is skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lacks {
    Nothing,
    Sets,
}

/// Checks that an object has the sets that it must have.
fn check_sets(dialect: Dialect, kind: Kind, given: &Object) -> Result<Lacks, XmlFault> {
    let special = kind.is_io() || kind == Kind::Misc;
    let mut lacks = Lacks::Nothing;
    if dialect == Dialect::One {
        let odd = given.cpuset.is_some() != given.complete_cpuset.is_some()
            || given.nodeset.is_some() != given.complete_nodeset.is_some()
            || (given.nodeset.is_some() && given.cpuset.is_none());
        if odd && kind != Kind::Group {
            return Err(object("an object with some of its sets missing"));
        }
        if odd {
            lacks = Lacks::Sets;
        }
    }
    if given.cpuset.is_none() && !special {
        return Err(object("an object without cpuset"));
    }
    if given.cpuset.is_some() && special {
        return Err(object("an object with cpuset that has no cpus"));
    }
    if kind == Kind::Numa && given.nodeset.is_none() {
        return Err(object("a NUMA node without nodeset"));
    }
    if dialect == Dialect::Three {
        let all = given.complete_cpuset.is_some()
            && given.nodeset.is_some()
            && given.complete_nodeset.is_some();
        if !special && !all {
            return Err(object("an object with some of its sets missing"));
        }
        if special && given.nodeset.is_some() {
            return Err(object("an object with nodeset that has no memory"));
        }
    }
    Ok(lacks)
}

/// Checks that the set of a PU or a NUMA node is the one bit of its OS number. In dialects 1 and 2 the set may also be empty.
fn check_own_bits(
    sets: &Sets,
    dialect: Dialect,
    kind: Kind,
    given: &Object,
) -> Result<(), XmlFault> {
    let (set, what) = match kind {
        Kind::Pu => (given.cpuset, "a PU whose cpuset is not its os_index"),
        Kind::Numa => (
            given.nodeset,
            "a NUMA node whose nodeset is not its os_index",
        ),
        Kind::Machine
        | Kind::Package
        | Kind::Die
        | Kind::MemCache
        | Kind::Cache(..)
        | Kind::Core
        | Kind::Group
        | Kind::Misc
        | Kind::Bridge
        | Kind::PciDevice
        | Kind::OsDevice => return Ok(()),
    };
    let (Some(set), Some(os)) = (set, given.os) else {
        return Err(object(what));
    };
    let absent = dialect != Dialect::Three && sets.is_empty(set);
    if absent || (sets.at_most(set, os) && sets.has(set, os)) {
        return Ok(());
    }
    Err(object(what))
}

/// Whether a NUMA node of dialect 1 is near other cpus than those of its parent, so that a group must hold the node and its cpus.
/// This does not apply to the fast memory of Knights Landing, which has no cpus and belongs beside the other memory.
fn needs_group(tree: &Tree, sets: &Sets, given: &Object, parent: Row) -> bool {
    let above = tree.node(parent);
    let same = match (given.complete_cpuset, above.complete_cpuset) {
        (Some(own), Some(above)) => sets.same(own, above),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    if same {
        return false;
    }
    let mut beside = tree.children(parent, Line::Memory);
    let alone = match (beside.next(), beside.next()) {
        (Some(one), None) => !tree.node(one).has_subtype,
        (None | Some(_), _) => false,
    };
    let fast = alone
        && given.subtype.as_deref() == Some("MCDRAM")
        && given.complete_cpuset.is_none_or(|set| sets.is_empty(set));
    !fast
}
