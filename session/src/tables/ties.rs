//! Ties of a namespace: they lead to the rows that its end changes, without looking at any others. Those to the requests that it sent are
//! in their table.

use super::ids::{AllocId, NsId};
use crate::id_set::IdSet;
use std::collections::{BTreeMap, BTreeSet};

/// How a record is tied to a namespace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Tie {
    /// The namespace owns the record.
    Owns,
    /// The record is not drained while the namespace is active.
    Root,
    /// The namespace holds the record's request id.
    Holds,
    /// The namespace gets the record's warning.
    Warned,
}

/// All ties: to rows of allocations, and to numbers of requests.
#[derive(Clone, PartialEq, Default)]
pub(crate) struct Ties {
    /// One owner may have thousands of records. They are in a set, so that one more tie costs no search among the others.
    records: BTreeMap<(NsId, Tie), IdSet<AllocId>>,
    /// The requests whose target a namespace is.
    pub(crate) targets: BTreeSet<(NsId, u64)>,
}

impl Ties {
    /// Adds a tie to a record.
    pub(crate) fn add(&mut self, ns: NsId, tie: Tie, to: AllocId) {
        self.records.entry((ns, tie)).or_default().insert(to);
    }
    /// Removes a tie to a record.
    pub(crate) fn remove(&mut self, ns: NsId, tie: Tie, to: AllocId) {
        if let Some(set) = self.records.get_mut(&(ns, tie)) {
            set.remove(to);
            if set.is_empty() {
                self.records.remove(&(ns, tie));
            }
        }
    }
    /// Removes all ties of one kind to records, and gives the records.
    pub(crate) fn take(&mut self, ns: NsId, tie: Tie) -> IdSet<AllocId> {
        self.records.remove(&(ns, tie)).unwrap_or_default()
    }
    /// The requests whose target a namespace is.
    pub(crate) fn targeting(&self, ns: NsId) -> Vec<u64> {
        let range = (ns, 0)..=(ns, u64::MAX);
        self.targets.range(range).map(|row| row.1).collect()
    }
}
