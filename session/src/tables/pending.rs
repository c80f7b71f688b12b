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

impl Request {
    fn rank_of_kind(&self) -> u8 {
        // NEW sorts first, so that one look-up finds it.
        u8::from(self.record.is_some())
    }
}

/// The pending table, by request number.
#[derive(Clone, Default)]
pub(crate) struct PendingTable {
    /// Boxed, because the map moves its rows.
    rows: BTreeMap<u64, Box<Request>>,
    /// Who used which request id: NEW first, then the others.
    by_req: BTreeSet<(NsId, Name, u8, u64)>,
}

impl PendingTable {
    pub(crate) fn add(&mut self, number: u64, request: Box<Request>) {
        if let Some(id) = &request.req_id {
            self.by_req
                .insert((request.from.ns, id.clone(), request.rank_of_kind(), number));
        }
        self.rows.insert(number, request);
    }
    pub(crate) fn remove(&mut self, number: u64) -> Option<Box<Request>> {
        let request = self.rows.remove(&number)?;
        if let Some(id) = &request.req_id {
            self.by_req
                .remove(&(request.from.ns, id.clone(), request.rank_of_kind(), number));
        }
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
    /// Requests of a namespace that carry this id.
    pub(crate) fn carrying<'a>(
        &'a self,
        ns: NsId,
        id: &Name,
    ) -> impl Iterator<Item = u64> + use<'a> {
        let bounds = (ns, id.clone(), 0, 0)..=(ns, id.clone(), u8::MAX, u64::MAX);
        self.by_req.range(bounds).map(|row| row.3)
    }
    /// Whether a NEW of a namespace carries this id.
    pub(crate) fn has_new(&self, ns: NsId, id: &Name) -> bool {
        self.by_req
            .range((ns, id.clone(), 0, 0)..=(ns, id.clone(), 0, u64::MAX))
            .next()
            .is_some()
    }
    /// The requests that are indexed by request id, for the judge.
    pub(crate) fn indexed(&self) -> impl Iterator<Item = (NsId, &Name, u64)> {
        self.by_req.iter().map(|row| (row.0, &row.1, row.3))
    }
}
