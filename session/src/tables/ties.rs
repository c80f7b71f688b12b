//! Ties of a namespace: they lead to the rows that its end changes, without looking at any others.

use super::ids::{AllocId, NsId};
use crate::id_set::IdSet;
use std::collections::{BTreeMap, BTreeSet};
use stowplan_engine::id::Id;

/// How a row is tied to a namespace.
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
    /// The namespace sent the pending request.
    Asked,
    /// The namespace is the target of the pending request.
    Target,
}

/// All ties: to rows of allocations, and to numbers of requests.
#[derive(Clone, Default)]
pub(crate) struct Ties {
    /// One owner may have thousands of records. They are in a set, so that one more tie costs no search among the others.
    records: BTreeMap<(NsId, Tie), IdSet<AllocId>>,
    requests: BTreeSet<(NsId, Tie, u64)>,
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
    /// Adds a tie to a request.
    pub(crate) fn add_request(&mut self, ns: NsId, tie: Tie, number: u64) {
        self.requests.insert((ns, tie, number));
    }
    /// Removes a tie to a request.
    pub(crate) fn remove_request(&mut self, ns: NsId, tie: Tie, number: u64) {
        self.requests.remove(&(ns, tie, number));
    }
    /// The requests to which a namespace has one kind of tie.
    pub(crate) fn requests(&self, ns: NsId, tie: Tie) -> Vec<u64> {
        let range = (ns, tie, 0)..=(ns, tie, u64::MAX);
        self.requests.range(range).map(|row| row.2).collect()
    }
    /// All ties, for the judge, to rows and to request numbers.
    pub(crate) fn all(&self) -> BTreeSet<(NsId, Tie, u64)> {
        let records = self.records.iter().flat_map(|(&(ns, tie), set)| {
            set.iter().map(move |alloc| (ns, tie, alloc.row() as u64))
        });
        records.chain(self.requests.iter().copied()).collect()
    }
}

/// From namespaces to rows of records and to numbers of requests.
impl FromIterator<(NsId, Tie, u64)> for Ties {
    fn from_iter<T: IntoIterator<Item = (NsId, Tie, u64)>>(all: T) -> Self {
        let mut ties = Self::default();
        for (ns, tie, to) in all {
            match tie {
                Tie::Asked | Tie::Target => ties.add_request(ns, tie, to),
                Tie::Owns | Tie::Root | Tie::Holds | Tie::Warned => {
                    ties.add(
                        ns,
                        tie,
                        AllocId::from_row(usize::try_from(to).unwrap_or(usize::MAX)),
                    );
                }
            }
        }
        ties
    }
}
