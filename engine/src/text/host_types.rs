//! The entries of host lists and hostfiles, once read by `hostlist.rs` and `hostfile.rs`. No node is looked up, and ranges stay ranges.

use crate::define_id;
use crate::id::Column;
use crate::table::apps::AppId;
pub use crate::table::names::{NameRange, Written};
use serde::{Deserialize, Serialize};

/// The slots an entry gives to each of its nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum EntrySlots {
    /// A bare name: one slot.
    One,
    /// `:N`.
    Count(u32),
    /// `:*` or `:auto`: from the node's topology.
    Infer,
}

/// One entry of `-H`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum HostEntry {
    /// Named nodes. An entry of only digits is a name, or the number at the end of another name (`semantics` 1.3).
    Names(NameRange, EntrySlots),
    /// `+nK`: the K-th node of the pool, from 0.
    Nth(u32),
    /// `+e` (all empty nodes) or `+e:N`.
    Empty(Option<u32>),
}

/// One line of a hostfile.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HostfileLine {
    /// What the line names. `rank N=NAME` names a node with one slot, which this kind of line implies.
    pub what: HostfileWhat,
    /// `slots=N`.
    pub slots: Option<u32>,
    /// `max_slots=N`.
    pub max_slots: Option<u32>,
    /// How to log in to the node, if that is said. It does not place.
    pub login: Written,
    /// Line number, from 1.
    pub line: u32,
}

/// What a hostfile line names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum HostfileWhat {
    /// A node.
    Name(NameRange),
    /// `rank INT=NAME`: one slot on the node.
    Ranked(NameRange),
    /// `^NAME`: excluded, wherever the line is in the file.
    Exclude(NameRange),
    /// `+nK`.
    Nth(u32),
    /// `+e`, `+e:N`.
    Empty(Option<u32>),
}

define_id! {
    /// A hostfile: a row of [`Hosts::hostfiles`].
    HostfileId
}

/// A hostfile, read whole.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Hostfile {
    /// The path as given.
    pub path: String,
    /// Its lines with content, in file order.
    pub lines: Vec<HostfileLine>,
    /// Whether it began with a byte order mark, which is passed over.
    pub mark: bool,
}

define_id! {
    /// A distinct host list: a row of [`Hosts::lists`].
    HostListId
}

/// Which nodes each app names. Shape of the columns by app: `[apps]`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Hosts {
    /// The app's `-H` lists, joined in order; `None` when it has none.
    pub list: Column<AppId, Option<HostListId>>,
    /// Distinct host lists, in the order of the apps that first say them.
    pub lists: Column<HostListId, Vec<HostEntry>>,
    /// The app's hostfiles, in order (a union, `semantics` Q14).
    pub files: Column<AppId, Vec<HostfileId>>,
    /// Distinct hostfiles.
    pub hostfiles: Column<HostfileId, Hostfile>,
    /// The nodes of LSF's affinity file, with a slot per line. They make the pool when no app names a node or a
    /// hostfile (`per-app` 9.1). Empty without one.
    pub lsf_pool: Vec<HostEntry>,
}

impl Hosts {
    /// The entries of an app's `-H`, if it has one.
    #[must_use]
    pub fn entries(&self, app: AppId) -> Option<&[HostEntry]> {
        let list = self.list.get(app).copied().flatten()?;
        Some(&self.lists[list])
    }

    /// The app's hostfiles.
    pub(crate) fn own_files(&self, app: AppId) -> &[HostfileId] {
        self.files.get(app).map_or(&[], Vec::as_slice)
    }
}
