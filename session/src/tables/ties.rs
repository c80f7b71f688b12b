//! What hangs on a namespace: the rows that its end changes, found without looking at any others.

use super::ids::{AllocId, NsId};
use crate::id_set::IdSet;
use std::collections::{BTreeMap, BTreeSet};
use stowplan_engine::id::Id;

/// How something hangs on a namespace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Tie {
    /// It owns the record.
    Owns,
    /// The record is not drained while it is active.
    Root,
    /// It holds the record's request id.
    Holds,
    /// It gets the record's warning.
    Warned,
    /// It asked the pending request.
    Asked,
    /// It is the target of the pending request.
    Target,
}

/// All ties: to rows of allocations, and to numbers of requests.
#[derive(Clone, Default)]
pub(crate) struct Ties {
    /// One owner may have thousands of records: a set each, so that a tie more costs no search among the others.
    records: BTreeMap<(NsId, Tie), IdSet<AllocId>>,
    requests: BTreeSet<(NsId, Tie, u64)>,
}

impl Ties {
    /// Ties to a record; true when it is new.
    pub(crate) fn add(&mut self, ns: NsId, tie: Tie, to: AllocId) -> bool {
        self.records.entry((ns, tie)).or_default().insert(to)
    }
    /// Unties from a record; true when it was there.
    pub(crate) fn remove(&mut self, ns: NsId, tie: Tie, to: AllocId) -> bool {
        let Some(set) = self.records.get_mut(&(ns, tie)) else {
            return false;
        };
        let was = set.remove(to);
        if set.is_empty() {
            self.records.remove(&(ns, tie));
        }
        was
    }
    /// Unties from all records in one way, and gives them.
    pub(crate) fn take(&mut self, ns: NsId, tie: Tie) -> IdSet<AllocId> {
        self.records.remove(&(ns, tie)).unwrap_or_default()
    }
    /// Ties to a request; true when it is new.
    pub(crate) fn add_request(&mut self, ns: NsId, tie: Tie, number: u64) -> bool {
        self.requests.insert((ns, tie, number))
    }
    /// Unties from a request; true when it was there.
    pub(crate) fn remove_request(&mut self, ns: NsId, tie: Tie, number: u64) -> bool {
        self.requests.remove(&(ns, tie, number))
    }
    /// The requests a namespace is tied to in one way.
    pub(crate) fn requests(&self, ns: NsId, tie: Tie) -> impl Iterator<Item = u64> + '_ {
        self.requests
            .range((ns, tie, 0)..=(ns, tie, u64::MAX))
            .map(|row| row.2)
    }
    /// All of them, for the judge: rows and numbers.
    pub(crate) fn all(&self) -> BTreeSet<(NsId, Tie, u64)> {
        let records = self.records.iter().flat_map(|(&(ns, tie), set)| {
            set.iter().map(move |alloc| (ns, tie, alloc.row() as u64))
        });
        records.chain(self.requests.iter().copied()).collect()
    }
}
