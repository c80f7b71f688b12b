//! `alloc`: a tool or a process asks for a new reservation, to extend or release one, or to cancel. `attrs.rs` checks its attributes;
//! the answer of the scheduler is judged in `grant.rs`, a denial in `mod.rs`.

use super::attrs::{Attrs, read, value};
use super::change::{Change, Verdict, requester};
use crate::config::Feature;
use crate::effects::Why;
use crate::event::{Attr, Directive, EventValue};
use crate::name::Name;
use crate::state::State;
use crate::status::Status;
use crate::tables::{AllocId, NodeSet, Process, Record, Request, Wanted};

pub(super) fn judge<'a>(
    state: &State,
    from: &str,
    directive: &EventValue<'_>,
    attrs: &[Attr<'_>],
) -> Verdict<'a> {
    let from = requester(state, from)?;
    let has_target = state.has(Feature::Target) && value(attrs, "PMIX_ALLOC_TARGET").is_present();
    if has_target && state.spaces.is_job(from.ns) {
        return Err(Status::NoPermissions);
    }
    let directive = directive
        .text()
        .and_then(Directive::named)
        .ok_or(Status::NotSupported)?;
    let attrs = read(state, directive, attrs)?;
    match directive {
        Directive::New => ask_new(state, from, &attrs),
        Directive::Extend => ask_extend(state, from, &attrs),
        Directive::Release => release(state, from, &attrs),
        Directive::Reaquire => ask_reaquire(state, from, &attrs),
        Directive::Cancel => cancel(state, from, &attrs),
    }
}

fn ask_new<'a>(state: &State, from: Process, attrs: &Attrs<'_, '_>) -> Verdict<'a> {
    let target_ns = match attrs.target {
        None => None,
        Some(target) => Some(state.spaces.find_live(target).ok_or(Status::NotFound)?),
    };
    if state.allocs.len() >= state.config.limits.max_allocations {
        return Err(Status::OutOfResource);
    }
    let req_id = attrs.req_id.map(Name::new);
    if let Some(id) = &req_id {
        let held = state.holders.contains_key(&(from.ns, id.clone()));
        if held || state.pending.has_new(from.ns, id) {
            return Err(Status::Exists);
        }
    }
    let inheritance = Some(attrs.inheritance.unwrap_or_default());
    let owner = state.spaces.name(target_ns.unwrap_or(from.ns)).clone();
    let asked = request(state, from, attrs, Wanted::New)?;
    Ok(Change::Ask(Box::new(Request {
        owner,
        inheritance,
        ..asked
    })))
}

/// A request that waits for the scheduler, if one more may; what it is about is left out.
fn request(
    state: &State,
    from: Process,
    attrs: &Attrs<'_, '_>,
    wanted: Wanted,
) -> Result<Request, Status> {
    let full = state.pending.len() >= state.config.limits.max_pending;
    if full || state.next_request == u64::MAX {
        return Err(Status::OutOfResource);
    }
    Ok(Request {
        from,
        wanted,
        record: None,
        req_id: attrs.req_id.map(Name::new),
        owner: Name::default(),
        target: attrs.target.map(Name::new),
        target_gone: false,
        shared: attrs.share.unwrap_or(false),
        inheritance: attrs.inheritance,
        warn_timeout: attrs.warn_timeout,
    })
}

/// A request about a record.
fn ask_about<'a>(
    state: &State,
    from: Process,
    attrs: &Attrs<'_, '_>,
    (wanted, alloc): (Wanted, AllocId),
) -> Verdict<'a> {
    let asked = request(state, from, attrs, wanted)?;
    let row = &state.allocs.row[alloc];
    let (id, session) = (row.id.clone(), row.session);
    Ok(Change::Ask(Box::new(Request {
        record: Some(Record { id, session }),
        owner: row.owner.clone(),
        ..asked
    })))
}

fn ask_extend<'a>(state: &State, from: Process, attrs: &Attrs<'_, '_>) -> Verdict<'a> {
    let alloc = named(state, from, attrs)?.ok_or(Status::BadParam)?;
    let entitled = match attrs.target {
        None => state.may_act(alloc, from.ns),
        // The target must own the record, whoever asks, the scheduler included.
        Some(target) => {
            let ns = state.spaces.find_live(target).ok_or(Status::NotFound)?;
            state.is_owner(alloc, ns)
        }
    };
    if !entitled {
        return Err(Status::NoPermissions);
    }
    if attrs
        .share
        .is_some_and(|share| share != state.allocs.row[alloc].shared)
    {
        return Err(Status::BadParam);
    }
    ask_about(state, from, attrs, (Wanted::Extend, alloc))
}

fn ask_reaquire<'a>(state: &State, from: Process, attrs: &Attrs<'_, '_>) -> Verdict<'a> {
    let alloc = named(state, from, attrs)?.ok_or(Status::BadParam)?;
    if !state.may_act(alloc, from.ns) {
        return Err(Status::NoPermissions);
    }
    if state.allocs.row[alloc].lent.is_empty() {
        return Err(Status::NotFound);
    }
    ask_about(state, from, attrs, (Wanted::Reaquire, alloc))
}

fn release<'a>(state: &State, from: Process, attrs: &Attrs<'_, '_>) -> Verdict<'a> {
    let Some(alloc) = named(state, from, attrs)? else {
        return release_loose(state, from, attrs);
    };
    if !state.may_act(alloc, from.ns) {
        return Err(Status::NoPermissions);
    }
    let listed = match attrs.node_list {
        None => None,
        Some(list) => {
            let mut chosen = NodeSet::new();
            for name in list {
                let node = state
                    .nodes
                    .find(name)
                    .filter(|&node| state.nodes.alloc(node) == Some(alloc));
                chosen.insert(node.ok_or(Status::NotFound)?);
            }
            Some(chosen)
        }
    };
    if attrs.lend.is_none() {
        return Ok(listed.map_or(Change::End(alloc, Why::Request), |nodes| {
            Change::Part(alloc, nodes)
        }));
    }
    let chosen = listed.unwrap_or_else(|| state.allocs.row[alloc].nodes.clone());
    if chosen.is_empty() || !chosen.is_disjoint(state.nodes.startup()) {
        return Err(Status::BadParam);
    }
    Ok(Change::Lend(alloc, chosen))
}

/// Nodes that a `*DEFAULT` disposition left behind go back by name.
fn release_loose<'a>(state: &State, from: Process, attrs: &Attrs<'_, '_>) -> Verdict<'a> {
    let Some(list) = attrs.node_list.filter(|_| attrs.lend.is_none()) else {
        return Err(Status::BadParam);
    };
    if state.scheduler != Some(from.ns) {
        return Err(Status::NoPermissions);
    }
    let mut chosen = NodeSet::new();
    for name in list {
        let node = state.nodes.find(name).ok_or(Status::NotFound)?;
        if state.nodes.alloc(node).is_some() {
            return Err(Status::ResourceBusy);
        }
        if state.nodes.startup().contains(node) {
            return Err(Status::BadParam);
        }
        chosen.insert(node);
    }
    Ok(Change::Loose(chosen))
}

fn cancel<'a>(state: &State, from: Process, attrs: &Attrs<'_, '_>) -> Verdict<'a> {
    let id = Name::new(attrs.req_id.ok_or(Status::BadParam)?);
    let all: Vec<u64> = state.pending.carrying(from.ns, &id).collect();
    if all.is_empty() {
        Err(Status::NotFound)
    } else {
        Ok(Change::Withdraw(all))
    }
}

/// The record that a request names, by its id or by the requester's own request id; `None` if it names none.
fn named(state: &State, from: Process, attrs: &Attrs<'_, '_>) -> Result<Option<AllocId>, Status> {
    let found = match (attrs.alloc_id, attrs.req_id) {
        (Some(id), _) => state.allocs.find(id),
        (None, Some(id)) => state.holders.get(&(from.ns, Name::new(id))).copied(),
        (None, None) => return Ok(None),
    };
    found.map(Some).ok_or(Status::NotFound)
}
