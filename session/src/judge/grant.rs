//! `grant`: the scheduler gives nodes. The request is judged again, on the present state.

use super::attrs::{are_distinct, are_well_formed, given, name};
use super::change::{Change, Granted, GrantedTo, Judged, refused};
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
        Ok(granted) => Ok(Change::Grant(Box::new(granted))).into(),
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
    if !are_well_formed(state, list) || (list.is_empty() && !may_be_empty) {
        return Err(Status::BadParam);
    }
    // A name given twice counts before all other errors, but is looked for last: nodes found in the order of joining have
    // distinct names anyway.
    match found(state, request, list, alloc_id) {
        Ok((granted, Order::Ascends)) => Ok(Granted { req, ..granted }),
        Ok((granted, Order::Unknown)) if are_distinct(list) => Ok(Granted { req, ..granted }),
        Err(status) if are_distinct(list) => Err(status),
        Ok((_, Order::Unknown)) | Err(_) => Err(Status::BadParam),
    }
}

/// What is known about a list of names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Each is a node that joined after the one before it.
    Ascends,
    Unknown,
}

/// The nodes of a well-formed list. All is checked except that the names are distinct. The request's number is left out.
fn found<'a>(
    state: &State,
    request: &Request,
    list: &[&'a str],
    alloc_id: &EventValue<'_>,
) -> Result<(Granted<'a>, Order), Status> {
    let alloc_id = name(state, alloc_id)?;
    if request.target_gone {
        return Err(Status::NotFound);
    }
    let record = match &request.record {
        None => new_record(state, alloc_id)?,
        Some(record) => GrantedTo::Old(old_record(state, request, record, alloc_id)?),
    };
    let mut known = NodeSet::new();
    let mut fresh = Vec::new();
    let mut order = Order::Ascends;
    // The first and last of the nodes found last that joined one after the other.
    let mut run: Option<(NodeId, NodeId)> = None;
    for &node in list {
        let found = state.nodes.find_near(node, run.map(|(_, last)| last));
        check_node(state, request.wanted, &record, node, found)?;
        let Some(id) = found else {
            order = Order::Unknown;
            fresh.push(node);
            continue;
        };
        run = match run {
            Some((first, last)) if last.row() + 1 == id.row() => Some((first, id)),
            Some((first, last)) => {
                known.insert_range(first.number()..=last.number());
                if id <= last {
                    order = Order::Unknown;
                }
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
    let record = match record {
        GrantedTo::New { id, .. } => mint(state, request, id)?,
        GrantedTo::Old(alloc) => GrantedTo::Old(alloc),
    };
    let granted = Granted {
        req: 0,
        known,
        fresh,
        record,
    };
    Ok((granted, order))
}

/// Checks that a fresh record may be made. An id that is not given is empty until minted; the number is unset.
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

/// One node of the list. Source: reservations "Clauses".
fn check_node(
    state: &State,
    wanted: Wanted,
    record: &GrantedTo,
    name: &str,
    known: Option<NodeId>,
) -> Result<(), Status> {
    let own = match record {
        GrantedTo::New { .. } => None,
        GrantedTo::Old(alloc) => Some(*alloc),
    };
    match wanted {
        Wanted::New | Wanted::Extend => {
            let holder = known.and_then(|node| state.nodes.alloc(node));
            if holder.is_some() && holder != own {
                Err(Status::ResourceBusy)
            } else {
                Ok(())
            }
        }
        Wanted::Reaquire => {
            if !own.is_some_and(|alloc| state.allocs.row[alloc].lent.contains(&Name::new(name))) {
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
