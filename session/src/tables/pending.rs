//! Requests that were forwarded to the scheduler and wait for its answer.

use super::allocs::Process;
use super::ids::NsId;
use crate::config::Inheritance;
use crate::event::Directive;
use crate::name::Name;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What a request wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Wanted {
    /// A fresh allocation.
    #[serde(rename = "PMIX_ALLOC_NEW")]
    New,
    /// More of a record.
    #[serde(rename = "PMIX_ALLOC_EXTEND")]
    Extend,
    /// Lent nodes of a record.
    #[serde(rename = "PMIX_ALLOC_REAQUIRE")]
    Reaquire,
}

impl Wanted {
    /// The directive.
    #[must_use]
    pub fn name(self) -> &'static str {
        let directive = match self {
            Self::New => Directive::New,
            Self::Extend => Directive::Extend,
            Self::Reaquire => Directive::Reaquire,
        };
        directive.name()
    }
}

/// A record as a request refers to it. It may have ended since, and its id may be that of another record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) id: Name,
    pub(crate) session: u32,
}

/// One pending request. A snapshot has the fields in this order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) from: Process,
    pub(crate) wanted: Wanted,
    /// The record it is about; none for a fresh one.
    pub(crate) record: Option<Record>,
    pub(crate) req_id: Option<Name>,
    /// The owner of the present or future record. A name, because its namespace may be gone.
    pub(crate) owner: Name,
    /// `PMIX_ALLOC_TARGET` as given.
    pub(crate) target: Option<Name>,
    /// Whether the namespace that was meant died since.
    pub(crate) target_gone: bool,
    pub(crate) shared: bool,
    pub(crate) inheritance: Option<Inheritance>,
    /// Unit: seconds.
    pub(crate) warn_timeout: Option<u32>,
}

/// Who asked with which request id: NEW first, then the others, each by its number.
pub(crate) type Asker = (NsId, Option<Name>, u8, u64);

impl Request {
    /// Its place among all requests of its sender.
    pub(crate) fn asker(&self, number: u64) -> Asker {
        let kind = u8::from(self.record.is_some());
        (self.from.ns, self.req_id.clone(), kind, number)
    }
}

/// The pending table, by request number.
#[derive(Clone, Default)]
pub(crate) struct PendingTable {
    /// Boxed, because the map moves its rows.
    rows: BTreeMap<u64, Box<Request>>,
    askers: BTreeSet<Asker>,
}

impl PendingTable {
    pub(crate) fn add(&mut self, number: u64, request: Box<Request>) {
        self.askers.insert(request.asker(number));
        self.rows.insert(number, request);
    }
    pub(crate) fn remove(&mut self, number: u64) -> Option<Box<Request>> {
        let request = self.rows.remove(&number)?;
        self.askers.remove(&request.asker(number));
        Some(request)
    }
    pub(crate) fn get(&self, number: u64) -> Option<&Request> {
        self.rows.get(&number).map(Box::as_ref)
    }
    pub(crate) fn forget_target(&mut self, number: u64) {
        if let Some(request) = self.rows.get_mut(&number) {
            request.target_gone = true;
        }
    }
    pub(crate) fn len(&self) -> u64 {
        self.rows.len() as u64
    }
    /// Requests by number, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &Request)> + Clone {
        self.rows
            .iter()
            .map(|(&number, request)| (number, request.as_ref()))
    }
    /// Requests of a namespace, by number.
    pub(crate) fn of(&self, ns: NsId) -> Vec<u64> {
        let all = self.askers.range((ns, None, 0, 0)..);
        let mut all: Vec<u64> = all.take_while(|row| row.0 == ns).map(|row| row.3).collect();
        all.sort_unstable();
        all
    }
    /// Requests of a namespace that carry this id.
    pub(crate) fn carrying<'a>(
        &'a self,
        ns: NsId,
        id: &Name,
    ) -> impl Iterator<Item = u64> + use<'a> {
        let place = |kind, number| (ns, Some(id.clone()), kind, number);
        let all = self.askers.range(place(0, 0)..=place(u8::MAX, u64::MAX));
        all.map(|row| row.3)
    }
    /// Whether a NEW of a namespace carries this id. It is before all others.
    pub(crate) fn has_new(&self, ns: NsId, id: &Name) -> bool {
        let first = self.carrying(ns, id).next();
        first.is_some_and(|number| self.rows[&number].record.is_none())
    }
    /// The requests as they are indexed, for the check.
    pub(crate) fn askers(&self) -> &BTreeSet<Asker> {
        &self.askers
    }
}
