//! Requests that were forwarded to the scheduler and wait for its answer.

use super::allocs::Process;
use super::ids::{AllocId, NsId};
use crate::config::Inheritance;
use crate::name::Name;
use std::collections::{BTreeMap, BTreeSet};

/// What a request wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    /// A fresh allocation.
    New,
    /// More of a record, named by its row and session number: the id may mean another record by the time of the grant.
    Extend(Record),
    /// Lent nodes of a record.
    Reaquire(Record),
}

/// A record as a request refers to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Record {
    /// The row, while the record of this session number is there.
    pub(crate) row: Option<AllocId>,
    pub(crate) session: u32,
    pub(crate) id: Name,
}

/// One pending request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) from: Process,
    pub(crate) wanted: Wanted,
    pub(crate) req_id: Option<Name>,
    /// The owner of the present or future record. A name, because its namespace may be gone.
    pub(crate) owner: Name,
    /// `PMIX_ALLOC_TARGET` as given.
    pub(crate) target: Option<Name>,
    /// The namespace of that name at the time of the request; `None` when there is no target or it died since.
    pub(crate) target_ns: Option<NsId>,
    pub(crate) shared: bool,
    pub(crate) inheritance: Option<Inheritance>,
    /// Unit: seconds.
    pub(crate) warn_timeout: Option<u32>,
}

impl Request {
    /// Whether the target died since the request.
    pub(crate) fn target_gone(&self) -> bool {
        self.target.is_some() && self.target_ns.is_none()
    }
    /// The record it is about.
    pub(crate) fn record(&self) -> Option<&Record> {
        match &self.wanted {
            Wanted::New => None,
            Wanted::Extend(record) | Wanted::Reaquire(record) => Some(record),
        }
    }
    fn rank_of_kind(&self) -> u8 {
        // NEW sorts first, so that one look-up finds it.
        u8::from(self.record().is_some())
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
            request.target_ns = None;
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
