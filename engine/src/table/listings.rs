//! What a user listed: the entries of sequence files, rankfiles and LSF affinity files.

use crate::define_id;
use crate::id::{Column, Lists};
use serde::{Deserialize, Serialize};

define_id! {
    /// A distinct name in a [`Listing`].
    EntryNameId
}

define_id! {
    /// A distinct slot list in a [`Listing`].
    SlotListId
}

/// Inclusive ranges of numbers, in the order written.
pub type NumberRanges = Vec<(u32, u32)>;

/// One part of a slot list (`semantics` 4.6). The cpus of an entry are the union of its parts.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum SlotPart {
    /// Logical cpus of the mode in force: cores, or PUs in hwthread mode.
    Cpus(NumberRanges),
    /// Whole packages, by logical index.
    Packages(NumberRanges),
    /// The whole machine: `p*`.
    Machine,
    /// Cores of one package, numbered inside it (PUs where there are no cores); `None` is all of them (`*`).
    CoresOf {
        /// The package, by logical index.
        package: u32,
        /// Core numbers inside the package.
        cores: Option<NumberRanges>,
    },
    /// PUs by OS number (LSF).
    OsPus(NumberRanges),
}

/// The node of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum EntryNode {
    /// By name (cut at its first dot, unless an IP address).
    Name(EntryNameId),
    /// `+nK`: the K-th node, from 0.
    Nth(u32),
}

/// One entry: a process, or several neighbouring entries that say the same (then `number` and `line` are those of the first).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Its number: the rank in a rankfile, the position from 0 elsewhere.
    pub number: u32,
    /// Its node.
    pub node: EntryNode,
    /// Its cpus, if it names some.
    pub cpus: Option<SlotListId>,
    /// Line in the file, from 1.
    pub line: u32,
    /// How many neighbouring entries this stands for, at least 1; numbers ascend by one.
    pub count: u32,
}

/// One file, read whole. Entries are in file order; those of rankfiles are sorted by rank, without duplicates.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Listing {
    /// The path as given; for a sequence made of `-H` or a hostfile, that text.
    pub path: String,
    /// The entries.
    pub entries: Vec<Entry>,
    /// Distinct names.
    pub names: Column<EntryNameId, String>,
    /// Distinct slot lists.
    pub slot_lists: Lists<SlotListId, SlotPart>,
    /// The text of each slot list as written, for messages. Shape `[slot lists]`.
    pub slot_texts: Column<SlotListId, String>,
}
