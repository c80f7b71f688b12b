//! `grant`: the scheduler gives nodes. The request is judged again, on the present state.

use super::attrs::{are_names, given, name};
use super::change::{Change, Granted, GrantedTo, Judged, judged, refused};
use crate::event::EventValue;
use crate::name::Name;
use crate::state::State;
use crate::status::Status;
use crate::tables::{AllocId, NodeId, NodeSet, Record, Request, Wanted};
use stowplan_engine::id::Id as _;
use stowplan_engine::limit::NODES_MAX;

pub(super) fn judge<'a>(
    state: &State,
    req: u64,
    nodes: &EventValue<'a>,
    alloc_id: &EventValue<'_>,
) -> Judged<'a> {
    let Some(request) = state.pending.get(req) else {
        return refused(Status::NotFound);
    };
    match granted(state, req, request, nodes, alloc_id) {
        Ok(granted) => judged(Ok(Change::Grant(Box::new(granted)))),
        // A wrong grant answers the request too.
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
    nodes: &EventValue<'a>,
    alloc_id: &EventValue<'_>,
) -> Result<Granted<'a>, Status> {
    let list = given(nodes, EventValue::texts)?.unwrap_or_default();
    let may_be_empty = request.wanted == Wanted::Extend;
    if !are_names(state, list) || (list.is_empty() && !may_be_empty) {
        return Err(Status::BadParam);
    }
    let alloc_id = name(state, alloc_id)?;
    if request.target_gone {
        return Err(Status::NotFound);
    }
    let old = match &request.record {
        None => room_for_new(state, alloc_id).map(|()| None)?,
        Some(record) => Some(old_record(state, request, record, alloc_id)?),
    };
    let mut known = NodeSet::new();
    let mut fresh = Vec::new();
    // The first and last of the nodes found last that joined one after the other.
    let mut run: Option<(NodeId, NodeId)> = None;
    for &node in list {
        let found = state.nodes.find_near(node, run.map(|(_, last)| last));
        check_node(state, request.wanted, old, node, found)?;
        let Some(id) = found else {
            fresh.push(node);
            continue;
        };
        run = match run {
            Some((first, last)) if last.row() + 1 == id.row() => Some((first, id)),
            Some((first, last)) => {
                known.insert_range(first.number()..=last.number());
                Some((id, id))
            }
            None => Some((id, id)),
        };
    }
    if let Some((first, last)) = run {
        known.insert_range(first.number()..=last.number());
    }
    // Node ids are never used twice: after four thousand million joins none are left.
    let ids_left = (NODES_MAX as usize).saturating_sub(state.nodes.next());
    let too_many = state.nodes.len() + fresh.len() as u64 > state.config.limits.max_nodes;
    if !fresh.is_empty() && (too_many || fresh.len() > ids_left) {
        return Err(Status::OutOfResource);
    }
    let record = match old {
        None => mint(state, request, alloc_id)?,
        Some(alloc) => GrantedTo::Old(alloc),
    };
    Ok(Granted {
        req,
        known,
        fresh,
        record,
    })
}

/// Checks that a fresh record may be made.
fn room_for_new(state: &State, alloc_id: Option<&str>) -> Result<(), Status> {
    if state.allocs.len() >= state.config.limits.max_allocations {
        return Err(Status::OutOfResource);
    }
    if alloc_id.is_some_and(|id| state.allocs.find(id).is_some()) {
        return Err(Status::Exists);
    }
    Ok(())
}

/// The record of the request. It must still be there, and the request must still have a right to it.
fn old_record(
    state: &State,
    request: &Request,
    record: &Record,
    alloc_id: Option<&str>,
) -> Result<AllocId, Status> {
    // The id may be that of another record by now.
    let same = |&row: &AllocId| state.allocs.row[row].session == record.session;
    let found = state.allocs.find(record.id.as_str()).filter(same);
    let alloc = found.ok_or(Status::NotFound)?;
    let entitled = match state.target(request) {
        Some(target) => state.is_owner(alloc, target),
        None => state.may_act(alloc, request.from.ns),
    };
    if !entitled {
        return Err(Status::NoPermissions);
    }
    if alloc_id.is_some_and(|id| id.as_bytes() != state.allocs.row[alloc].id.as_bytes()) {
        return Err(Status::BadParam);
    }
    Ok(alloc)
}

/// One node of the list; `own`: the record that is there already. Source: reservations "Clauses".
fn check_node(
    state: &State,
    wanted: Wanted,
    own: Option<AllocId>,
    name: &str,
    known: Option<NodeId>,
) -> Result<(), Status> {
    let free = match wanted {
        Wanted::New | Wanted::Extend => {
            let holder = known.and_then(|node| state.nodes.alloc(node));
            holder.is_none() || holder == own
        }
        Wanted::Reaquire => {
            if !own.is_some_and(|alloc| state.allocs.row[alloc].lent.contains(&Name::new(name))) {
                return Err(Status::BadParam);
            }
            known.is_none()
        }
    };
    if free {
        Ok(())
    } else {
        Err(Status::ResourceBusy)
    }
}

/// Session number and id of a fresh record: `OWNER.s`, stepping over ids that are taken.
///
/// Cost: one look-up per taken id stepped over, and each is stepped over once in a DVM's life.
fn mint(state: &State, request: &Request, given: Option<&str>) -> Result<GrantedTo, Status> {
    let mut session = state.next_session;
    loop {
        if session == u32::MAX {
            return Err(Status::OutOfResource);
        }
        let id = given.map_or_else(|| format!("{}.{session}", request.owner), str::to_owned);
        if given.is_some() || state.allocs.find(&id).is_none() {
            let id = Name::new(&id);
            return Ok(GrantedTo::New { id, session });
        }
        session += 1;
    }
}
