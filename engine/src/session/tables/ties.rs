//! What hangs on a namespace: the rows that its end changes, found without looking at any others.

use super::NsId;
use std::collections::BTreeSet;

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

/// All ties: (namespace, how, row of an allocation or number of a request).
#[derive(Clone, Default)]
pub(crate) struct Ties(BTreeSet<(NsId, Tie, u64)>);

impl Ties {
    /// Ties; true when it is new.
    pub(crate) fn add(&mut self, ns: NsId, tie: Tie, to: u64) -> bool {
        self.0.insert((ns, tie, to))
    }
    /// Unties; true when it was there.
    pub(crate) fn remove(&mut self, ns: NsId, tie: Tie, to: u64) -> bool {
        self.0.remove(&(ns, tie, to))
    }
    /// What a namespace is tied to in one way.
    pub(crate) fn of(&self, ns: NsId, tie: Tie) -> impl Iterator<Item = u64> + '_ {
        self.0
            .range((ns, tie, 0)..=(ns, tie, u64::MAX))
            .map(|row| row.2)
    }
    /// All of them, for the judge.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NsId, Tie, u64)> + '_ {
        self.0.iter().copied()
    }
}
