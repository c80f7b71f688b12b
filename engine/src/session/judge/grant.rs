//! `grant`: the scheduler gives nodes. The request is judged again, on the present state.

use super::attrs::{are_names, name};
use super::{Change, Granted, GrantedTo, Judged, refused};
use crate::limit::NODES_MAX;
use crate::session::event::Value;
use crate::session::name::Name;
use crate::session::state::State;
use crate::session::status::Status;
use crate::session::tables::{AllocId, NodeId, NodeSet, Record, Request, Wanted};

pub(super) fn judge<'a>(
    state: &State,
    req: u64,
    nodes: &Value<'a>,
    alloc_id: &Value<'_>,
) -> Judged<'a> {
    let Some(request) = state.pending.get(req) else {
        return refused(Status::NotFound);
    };
    match granted(state, req, request, nodes, alloc_id) {
        Ok(granted) => Judged {
            status: Status::Success,
            change: Change::Grant(Box::new(granted)),
        },
        // Whatever is wrong with the answer, the request is answered.
        Err(status) => Judged {
            status,
            change: Change::Refuse(req),
        },
    }
}

fn granted<'a>(
    state: &State,
    req: u64,
    request: &Request,
    nodes: &Value<'a>,
    alloc_id: &Value<'_>,
) -> Result<Granted<'a>, Status> {
    let list: &[&'a str] = match nodes {
        Value::Absent => &[],
        Value::Texts(list) => list,
        Value::Text(_) | Value::Bool(_) | Value::Int(_) | Value::Other(_) => {
            return Err(Status::BadParam);
        }
    };
    let may_be_empty = matches!(request.wanted, Wanted::Extend(_));
    if !are_names(state, list) || (list.is_empty() && !may_be_empty) {
        return Err(Status::BadParam);
    }
    let alloc_id = name(state, alloc_id)?;
    if request.target_gone() {
        return Err(Status::NotFound);
    }
    let record = match &request.wanted {
        Wanted::New => new_record(state, alloc_id)?,
        Wanted::Extend(record) | Wanted::Reaquire(record) => {
            GrantedTo::Old(old_record(state, request, record, alloc_id)?)
        }
    };
    let mut known = NodeSet::new();
    let mut fresh = Vec::new();
    let mut last = None;
    for &node in list {
        let found = state.nodes.find_near(node, last);
        check_node(state, &request.wanted, &record, (node, found))?;
        match found {
            None => fresh.push(node),
            Some(id) => {
                known.insert(id);
                last = Some(id);
            }
        }
    }
    // Node ids are never used twice: after four thousand million joins there are no more.
    let ids_left = (NODES_MAX as usize).saturating_sub(state.nodes.next());
    let too_many = state.nodes.len() + fresh.len() as u64 > state.config.limits.max_nodes;
    if !fresh.is_empty() && (too_many || fresh.len() > ids_left) {
        return Err(Status::OutOfResource);
    }
    let record = match record {
        GrantedTo::New { id, .. } => mint(state, request, id)?,
        GrantedTo::Old(alloc) => GrantedTo::Old(alloc),
    };
    Ok(Granted {
        req,
        known,
        fresh,
        record,
    })
}

/// A fresh record may be made; its id is empty until minted, its number unset.
fn new_record(state: &State, alloc_id: Option<&str>) -> Result<GrantedTo, Status> {
    if state.allocs.len() >= state.config.limits.max_allocations {
        return Err(Status::OutOfResource);
    }
    if alloc_id.is_some_and(|id| state.allocs.find(id).is_some()) {
        return Err(Status::Exists);
    }
    Ok(GrantedTo::New {
        id: alloc_id.map(Name::new).unwrap_or_default(),
        session: 0,
    })
}

/// The record of the request is still there and the request still has a right to it.
fn old_record(
    state: &State,
    request: &Request,
    record: &Record,
    alloc_id: Option<&str>,
) -> Result<AllocId, Status> {
    let live = |&row: &AllocId| state.allocs.session[row] == record.session;
    let alloc = record.row.filter(live).ok_or(Status::NotFound)?;
    let entitled = match request.target_ns {
        Some(target) => state.is_owner(alloc, target),
        None => state.may_act(alloc, request.from.ns),
    };
    if !entitled {
        return Err(Status::NoPermissions);
    }
    if alloc_id.is_some_and(|id| id.as_bytes() != state.allocs.id[alloc].as_bytes()) {
        return Err(Status::BadParam);
    }
    Ok(alloc)
}

/// One node of the list. Source: `reservations.md` 3.2 check 5.
fn check_node(
    state: &State,
    wanted: &Wanted,
    record: &GrantedTo,
    (name, known): (&str, Option<NodeId>),
) -> Result<(), Status> {
    let own = match record {
        GrantedTo::New { .. } => None,
        GrantedTo::Old(alloc) => Some(*alloc),
    };
    match wanted {
        Wanted::New | Wanted::Extend(_) => {
            let holder = known.and_then(|node| state.nodes.alloc(node));
            if holder.is_some() && holder != own {
                Err(Status::ResourceBusy)
            } else {
                Ok(())
            }
        }
        Wanted::Reaquire(_) => {
            if !own.is_some_and(|alloc| state.allocs.lent[alloc].contains(&Name::new(name))) {
                return Err(Status::BadParam);
            }
            if known.is_some() {
                Err(Status::ResourceBusy)
            } else {
                Ok(())
            }
        }
    }
}

/// Session number and id of a fresh record: `OWNER.s`, stepping over ids that are taken.
///
/// Cost: one look-up per taken id stepped over, and each is stepped over once in a DVM's life.
fn mint(state: &State, request: &Request, given: Name) -> Result<GrantedTo, Status> {
    let mut session = state.next_session;
    loop {
        if session == u32::MAX {
            return Err(Status::OutOfResource);
        }
        if !given.as_bytes().is_empty() {
            return Ok(GrantedTo::New { id: given, session });
        }
        let id = format!("{}.{session}", request.owner);
        if state.allocs.find(&id).is_none() {
            return Ok(GrantedTo::New {
                id: Name::new(&id),
                session,
            });
        }
        session += 1;
    }
}
