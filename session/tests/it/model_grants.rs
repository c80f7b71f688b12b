//! The model's grants: the scheduler's answer is checked again.

use super::model::{Alloc, Facts, Model, Node, Request, Said};
use super::model_asks::Keys;
use std::collections::BTreeSet;
use stowplan_session::{EventValue, NodeOrigin, Status};

impl Model {
    pub(super) fn deny(&mut self, number: u64, status: &str) -> (Status, Facts) {
        if !self.pending.contains_key(&number) {
            return (Status::NotFound, Vec::new());
        }
        let Some(status) = Status::error_named(status) else {
            return (Status::BadParam, Vec::new());
        };
        self.pending.remove(&number);
        (status, vec![format!("answered {number}")])
    }

    pub(super) fn grant(
        &mut self,
        number: u64,
        nodes: &EventValue<'_>,
        id: &EventValue<'_>,
    ) -> (Status, Facts) {
        let Some(request) = self.pending.remove(&number) else {
            return (Status::NotFound, Vec::new());
        };
        let mut facts = vec![format!("answered {number}")];
        match self.granted(&request, nodes, id, &mut facts) {
            Ok(()) => (Status::Success, facts),
            Err(status) => (status, vec![format!("answered {number}")]),
        }
    }

    fn granted(
        &mut self,
        request: &Request,
        nodes: &EventValue<'_>,
        id: &EventValue<'_>,
        facts: &mut Facts,
    ) -> Said<()> {
        let list = self.list_at(Some(nodes))?.unwrap_or_default();
        if list.is_empty() && request.directive != "PMIX_ALLOC_EXTEND" {
            return Err(Status::BadParam);
        }
        let mut given = Keys::new();
        if id.is_present() {
            given.insert("id", id.clone());
        }
        let id = self.name_at(&given, "id")?.map(str::to_owned);
        if request
            .target
            .as_ref()
            .is_some_and(|target| !self.is_live(target.0))
        {
            return Err(Status::NotFound);
        }
        let record = self.still(request, id.as_deref())?;
        for name in &list {
            self.free_for(request, record, name)?;
        }
        let fresh = list
            .iter()
            .filter(|name| !self.nodes.contains_key(*name))
            .count();
        if fresh > 0 && (self.nodes.len() + fresh) as u64 > self.config.limits.max_nodes {
            return Err(Status::OutOfResource);
        }
        let session = match record {
            Some(session) => session,
            None => self.make(request, id)?,
        };
        self.put(request, session, &list, facts);
        Ok(())
    }

    /// The record of the request, checked again; `None` for NEW.
    fn still(&self, request: &Request, id: Option<&str>) -> Said<Option<u32>> {
        let Some((session, _)) = &request.record else {
            if self.allocs.len() as u64 >= self.config.limits.max_allocations {
                return Err(Status::OutOfResource);
            }
            return if id.is_some_and(|id| self.by_id(id).is_some()) {
                Err(Status::Exists)
            } else {
                Ok(None)
            };
        };
        let alloc = self.allocs.get(session).ok_or(Status::NotFound)?;
        match &request.target {
            Some((uid, _)) if !self.owners(*session).contains(uid) => {
                return Err(Status::NoPermissions);
            }
            Some(_) => {}
            None => self.may(request.from.0, *session)?,
        }
        if id.is_some_and(|id| id != alloc.id) {
            Err(Status::BadParam)
        } else {
            Ok(Some(*session))
        }
    }

    fn free_for(&self, request: &Request, record: Option<u32>, name: &str) -> Said<()> {
        let there = self.nodes.get(name);
        if request.directive == "PMIX_ALLOC_REAQUIRE" {
            if !record.is_some_and(|session| self.allocs[&session].lent.contains(name)) {
                return Err(Status::BadParam);
            }
            return if there.is_some() {
                Err(Status::ResourceBusy)
            } else {
                Ok(())
            };
        }
        let holder = there.and_then(|node| node.alloc);
        if holder.is_some() && holder != record {
            Err(Status::ResourceBusy)
        } else {
            Ok(())
        }
    }

    fn make(&mut self, request: &Request, id: Option<String>) -> Said<u32> {
        let mut session = self.next_session;
        let id = loop {
            if session == u32::MAX {
                return Err(Status::OutOfResource);
            }
            if let Some(id) = &id {
                break id.clone();
            }
            let id = format!("{}.{session}", request.owner);
            if self.by_id(&id).is_none() {
                break id;
            }
            session += 1;
        };
        self.next_session = session + 1;
        let alloc = Alloc {
            id,
            owner: request
                .target
                .as_ref()
                .map_or(request.from.0, |target| target.0),
            owner_name: request.owner.clone(),
            shared: request.shared,
            inheritance: request.inheritance.unwrap(),
            warn: request.warn,
            requestor: request.from,
            asker: request.from.0,
            req_id: request.req_id.clone(),
            lent: BTreeSet::new(),
            spawned: BTreeSet::new(),
        };
        self.allocs.insert(session, alloc);
        Ok(session)
    }

    fn put(&mut self, request: &Request, session: u32, list: &[String], facts: &mut Facts) {
        let alloc = self.allocs.get_mut(&session).unwrap();
        if request.directive == "PMIX_ALLOC_EXTEND" {
            alloc.inheritance = request.inheritance.unwrap_or(alloc.inheritance);
            if request.warn.is_some() {
                alloc.warn = request.warn;
                alloc.requestor = request.from;
            }
        }
        for name in list {
            alloc.lent.remove(name);
            let fresh = Node {
                origin: NodeOrigin::Granted,
                up: true,
                alloc: None,
            };
            if !self.nodes.contains_key(name) {
                facts.push(format!("joined {name}"));
            }
            let node = self.nodes.entry(name.clone()).or_insert(fresh);
            if node.alloc.is_none() && !alloc.shared {
                facts.push(format!("reserved {name}"));
            }
            node.alloc = Some(session);
        }
        facts.push(format!("reply {} {:?}", alloc.id, request.req_id));
        self.settle(facts);
    }
}
