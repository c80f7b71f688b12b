//! The model's requests and grants.

use super::model::{Alloc, Facts, Model, Request, Said, Uid};
use std::collections::{BTreeMap, BTreeSet};
use stowplan_session::{Attr, EventValue, Feature, NodeOrigin, SpaceKind, Status};

const DISPOSITIONS: [&str; 4] = ["NONE", "CHILD", "DEFAULT", "CHILD_DEFAULT"];

pub(super) type Keys<'a> = BTreeMap<&'a str, EventValue<'a>>;

impl Model {
    pub(super) fn name_at<'a>(&self, keys: &Keys<'a>, key: &str) -> Said<Option<&'a str>> {
        match keys.get(key) {
            None => Ok(None),
            Some(EventValue::Text(text)) if self.named(text) => Ok(Some(text)),
            Some(_) => Err(Status::BadParam),
        }
    }

    pub(super) fn list_at(&self, value: Option<&EventValue<'_>>) -> Said<Option<Vec<String>>> {
        match value {
            None | Some(EventValue::Absent) => Ok(None),
            Some(EventValue::Texts(list)) => {
                let distinct: BTreeSet<_> = list.iter().collect();
                if distinct.len() < list.len() || !list.iter().all(|name| self.named(name)) {
                    return Err(Status::BadParam);
                }
                Ok(Some(list.iter().map(|&name| name.to_owned()).collect()))
            }
            Some(_) => Err(Status::BadParam),
        }
    }

    fn disposition(&self, keys: &Keys<'_>) -> Said<Option<&'static str>> {
        let said = match keys.get("PMIX_ALLOC_INHERITANCE") {
            None => return Ok(None),
            Some(EventValue::Text(text)) => DISPOSITIONS
                .iter()
                .find(|name| *name == text)
                .copied()
                .ok_or(Status::BadParam),
            Some(EventValue::Int(number @ 1..=4)) => {
                Ok(DISPOSITIONS[usize::try_from(*number).unwrap() - 1])
            }
            Some(EventValue::Int(0..=255)) => Err(Status::NotSupported),
            Some(_) => Err(Status::BadParam),
        };
        if self.has(Feature::Inheritance) {
            said.map(Some)
        } else if said == Ok("DEFAULT") {
            Ok(None)
        } else {
            Err(Status::NotSupported)
        }
    }

    pub(super) fn alloc(
        &mut self,
        from: &str,
        directive: &EventValue<'_>,
        attrs: &[Attr<'_>],
    ) -> (Status, Facts) {
        let mut facts = Vec::new();
        let mut keys: Keys<'_> = attrs.iter().cloned().collect();
        keys.retain(|_, value| value.is_present());
        for (feature, key) in [
            (Feature::Target, "PMIX_ALLOC_TARGET"),
            (Feature::Share, "PMIX_ALLOC_SHARE"),
            (Feature::WarnTimeout, "PMIX_ALLOC_WARN_TIMEOUT"),
        ] {
            if !self.has(feature) {
                keys.remove(key);
            }
        }
        match self.asked(from, directive, &keys, &mut facts) {
            Ok(None) => (Status::Success, facts),
            Ok(Some(request)) => {
                let number = self.next_request;
                self.next_request += 1;
                self.pending.insert(number, request);
                (Status::InProgress, vec![format!("request {number}")])
            }
            Err(status) => (status, Vec::new()),
        }
    }

    fn asked(
        &mut self,
        from: &str,
        directive: &EventValue<'_>,
        keys: &Keys<'_>,
        facts: &mut Facts,
    ) -> Said<Option<Request>> {
        let from = self.who(from)?;
        if self.spaces[&from.0].kind == SpaceKind::Job && keys.contains_key("PMIX_ALLOC_TARGET") {
            return Err(Status::NoPermissions);
        }
        match directive.text() {
            Some("PMIX_ALLOC_NEW") => self.new_request(from, keys).map(Some),
            Some("PMIX_ALLOC_EXTEND") => self.extend(from, keys).map(Some),
            Some("PMIX_ALLOC_RELEASE") => self.release(from.0, keys, facts).map(|()| None),
            Some("PMIX_ALLOC_REAQUIRE") => self.reaquire(from, keys).map(Some),
            Some("PMIX_ALLOC_REQ_CANCEL") => self.cancel(from.0, keys, facts).map(|()| None),
            _ => Err(Status::NotSupported),
        }
    }

    /// What NEW and EXTEND honour besides their ids.
    fn wish(&self, from: (Uid, u32), directive: &'static str, keys: &Keys<'_>) -> Said<Request> {
        let target = self.name_at(keys, "PMIX_ALLOC_TARGET")?;
        let shared = match keys.get("PMIX_ALLOC_SHARE") {
            None => false,
            Some(EventValue::Bool(share)) => *share,
            Some(_) => return Err(Status::BadParam),
        };
        let warn = match keys.get("PMIX_ALLOC_WARN_TIMEOUT") {
            None => None,
            Some(EventValue::Int(seconds)) => {
                Some(u32::try_from(*seconds).map_err(|_| Status::BadParam)?)
            }
            Some(_) => return Err(Status::BadParam),
        };
        let req_id = self.name_at(keys, "PMIX_ALLOC_REQ_ID")?.map(str::to_owned);
        if directive == "PMIX_ALLOC_EXTEND" {
            self.name_at(keys, "PMIX_ALLOC_ID")?;
        }
        let inheritance = self.disposition(keys)?;
        // Whether the target is alive is checked later; 0 stands for nobody.
        let target = target.map(|name| (self.live(name).unwrap_or(0), name.to_owned()));
        Ok(Request {
            from,
            directive,
            record: None,
            req_id,
            owner: String::new(),
            target,
            shared,
            inheritance,
            warn,
        })
    }

    fn new_request(&self, from: (Uid, u32), keys: &Keys<'_>) -> Said<Request> {
        let mut request = self.wish(from, "PMIX_ALLOC_NEW", keys)?;
        if keys.contains_key("PMIX_ALLOC_ID") {
            return Err(Status::BadParam);
        }
        let owner = request.target.as_ref().map_or(from.0, |target| target.0);
        if owner == 0 {
            return Err(Status::NotFound);
        }
        if self.allocs.len() as u64 >= self.config.limits.max_allocations {
            return Err(Status::OutOfResource);
        }
        if request.req_id.is_some() && self.carries(from.0, request.req_id.as_deref()) {
            return Err(Status::Exists);
        }
        self.room()?;
        request.owner = self.spaces[&owner].name.clone();
        request.inheritance = request.inheritance.or(Some("DEFAULT"));
        Ok(request)
    }

    fn carries(&self, uid: Uid, id: Option<&str>) -> bool {
        let record = |alloc: &Alloc| alloc.asker == uid && alloc.req_id.as_deref() == id;
        let new = |row: &Request| {
            row.directive == "PMIX_ALLOC_NEW" && row.from.0 == uid && row.req_id.as_deref() == id
        };
        self.allocs.values().any(record) || self.pending.values().any(new)
    }

    pub(super) fn room(&self) -> Said<()> {
        if self.pending.len() as u64 >= self.config.limits.max_pending {
            Err(Status::OutOfResource)
        } else {
            Ok(())
        }
    }

    /// The record that the ids name; `None` when no id is given.
    fn meant(&self, uid: Uid, keys: &Keys<'_>) -> Said<Option<u32>> {
        let id = self.name_at(keys, "PMIX_ALLOC_ID")?;
        let req_id = self.name_at(keys, "PMIX_ALLOC_REQ_ID")?;
        if let Some(id) = id {
            return self.by_id(id).map(Some).ok_or(Status::NotFound);
        }
        let Some(req_id) = req_id else {
            return Ok(None);
        };
        let mine =
            |row: &(&u32, &Alloc)| row.1.asker == uid && row.1.req_id.as_deref() == Some(req_id);
        self.allocs
            .iter()
            .find(mine)
            .map(|row| Some(*row.0))
            .ok_or(Status::NotFound)
    }

    pub(super) fn may(&self, uid: Uid, session: u32) -> Said<()> {
        let may = self.scheduler() == Some(uid) || self.owners(session).contains(&uid);
        if may {
            Ok(())
        } else {
            Err(Status::NoPermissions)
        }
    }

    fn extend(&self, from: (Uid, u32), keys: &Keys<'_>) -> Said<Request> {
        let mut request = self.wish(from, "PMIX_ALLOC_EXTEND", keys)?;
        let session = self.meant(from.0, keys)?.ok_or(Status::BadParam)?;
        match &request.target {
            None => self.may(from.0, session)?,
            Some((0, _)) => return Err(Status::NotFound),
            Some((uid, _)) if self.owners(session).contains(uid) => {}
            Some(_) => return Err(Status::NoPermissions),
        }
        let alloc = &self.allocs[&session];
        if keys.contains_key("PMIX_ALLOC_SHARE") && request.shared != alloc.shared {
            return Err(Status::BadParam);
        }
        self.room()?;
        request.record = Some((session, alloc.id.clone()));
        request.owner = alloc.owner_name.clone();
        Ok(request)
    }

    fn reaquire(&self, from: (Uid, u32), keys: &Keys<'_>) -> Said<Request> {
        let session = self.meant(from.0, keys)?.ok_or(Status::BadParam)?;
        self.may(from.0, session)?;
        let alloc = &self.allocs[&session];
        if alloc.lent.is_empty() {
            return Err(Status::NotFound);
        }
        self.room()?;
        Ok(Request {
            from,
            directive: "PMIX_ALLOC_REAQUIRE",
            record: Some((session, alloc.id.clone())),
            req_id: self.name_at(keys, "PMIX_ALLOC_REQ_ID")?.map(str::to_owned),
            owner: alloc.owner_name.clone(),
            target: None,
            shared: false,
            inheritance: None,
            warn: None,
        })
    }

    fn cancel(&mut self, uid: Uid, keys: &Keys<'_>, facts: &mut Facts) -> Said<()> {
        let id = self
            .name_at(keys, "PMIX_ALLOC_REQ_ID")?
            .ok_or(Status::BadParam)?
            .to_owned();
        let before = self.pending.len();
        self.pending.retain(|number, row| {
            let mine = row.from.0 == uid && row.req_id.as_ref() == Some(&id);
            if mine {
                facts.push(format!("dropped {number}"));
            }
            !mine
        });
        if self.pending.len() < before {
            Ok(())
        } else {
            Err(Status::NotFound)
        }
    }

    fn release(&mut self, uid: Uid, keys: &Keys<'_>, facts: &mut Facts) -> Said<()> {
        let lend = self.name_at(keys, "PMIX_ALLOC_LEND")?.is_some();
        let list = self.list_at(keys.get("PMIX_ALLOC_NODE_LIST"))?;
        if list.as_ref().is_some_and(Vec::is_empty) {
            return Err(Status::BadParam);
        }
        // Forms are checked first, those of the ids too.
        self.name_at(keys, "PMIX_ALLOC_REQ_ID")?;
        let Some(session) = self.meant(uid, keys)? else {
            return self.release_loose(uid, list.filter(|_| !lend), facts);
        };
        self.may(uid, session)?;
        let held = self.held(session);
        if list.iter().flatten().any(|name| !held.contains(name)) {
            return Err(Status::NotFound);
        }
        let chosen: BTreeSet<String> = list.clone().map_or(held, |list| list.into_iter().collect());
        if lend {
            if chosen.is_empty()
                || chosen
                    .iter()
                    .any(|name| self.nodes[name].origin == NodeOrigin::Startup)
            {
                return Err(Status::BadParam);
            }
            for name in &chosen {
                facts.push(format!("lent {name}"));
                self.allocs
                    .get_mut(&session)
                    .unwrap()
                    .lent
                    .insert(name.clone());
            }
        }
        if lend || list.is_some() {
            self.give_back(session, &chosen, facts);
        } else {
            self.finish(session, "released", "request", facts);
        }
        self.settle(facts);
        Ok(())
    }

    fn release_loose(
        &mut self,
        uid: Uid,
        list: Option<Vec<String>>,
        facts: &mut Facts,
    ) -> Said<()> {
        let list = list.ok_or(Status::BadParam)?;
        if self.scheduler() != Some(uid) {
            return Err(Status::NoPermissions);
        }
        for name in &list {
            let node = self.nodes.get(name).ok_or(Status::NotFound)?;
            if node.alloc.is_some() {
                return Err(Status::ResourceBusy);
            }
            if node.origin == NodeOrigin::Startup {
                return Err(Status::BadParam);
            }
        }
        self.depart(&list.into_iter().collect(), facts);
        self.settle(facts);
        Ok(())
    }
}
