//! Applies a grant that `judge/grant.rs` accepted: nodes join, records are made or grow.

use super::ending::settled;
use super::request::forget;
use crate::config::Inheritance;
use crate::effects::{Effects, Reply};
use crate::judge::{Granted, GrantedTo};
use crate::name::Name;
use crate::state::State;
use crate::tables::{Alloc, AllocId, NodeOrigin, NodeSet, Process, Request, Tie};

/// Applies a grant that was judged to hold. Source: reservations "Clauses".
pub(super) fn grant(state: &mut State, effects: &mut Effects, granted: Granted<'_>) {
    let Some(mut request) = forget(state, granted.req) else {
        return;
    };
    effects.answered = Some(granted.req);
    let req_id = request.req_id.clone();
    let alloc = match granted.record {
        GrantedTo::New { id, session } => make(state, &mut request, id, session),
        GrantedTo::Old(alloc) => {
            renew(state, alloc, &request);
            alloc
        }
    };
    if !state.allocs.row[alloc].lent.is_empty() {
        for name in &granted.fresh {
            state.allocs.row[alloc].lent.remove(&Name::new(name));
        }
        for node in granted.known.iter() {
            state.allocs.row[alloc].lent.remove(state.nodes.name(node));
        }
    }
    let fresh = granted.fresh.iter().copied();
    effects.joined = state.nodes.add(fresh, NodeOrigin::Granted, Some(alloc));
    place(state, effects, alloc, &granted.known);
    effects.reply = Some(Reply {
        alloc_id: state.allocs.row[alloc].id.clone(),
        req_id,
    });
    settled(state, effects, |work| work.suspect(alloc));
}

/// Puts the nodes that joined and the nodes known before into the record and its pool.
fn place(state: &mut State, effects: &mut Effects, alloc: AllocId, known: &NodeSet) {
    let mut added = known.minus(&state.allocs.row[alloc].nodes);
    state.nodes.set_alloc(&added, Some(alloc));
    if !state.allocs.row[alloc].shared {
        state.nodes.leave_pool(&added);
    }
    added.add_all(&effects.joined);
    state.allocs.row[alloc].nodes.add_all(&added);
    state.allocs.row[alloc].kept = None;
    if state.allocs.row[alloc].shared {
        state.nodes.enter_pool(&added);
    } else {
        effects.reserved = added;
    }
}

fn make(state: &mut State, request: &mut Request, id: Name, session: u32) -> AllocId {
    let owner = state.target(request).unwrap_or(request.from.ns);
    let asker = request.from.ns;
    let alloc = state.allocs.put(Alloc {
        id,
        session,
        owner: std::mem::take(&mut request.owner),
        owner_live: true,
        shared: request.shared,
        inheritance: request.inheritance.unwrap_or(Inheritance::Default),
        warn_timeout: request.warn_timeout,
        requestor: None,
        req_ns: Some(asker),
        req_id: request.req_id.take(),
        ..Alloc::default()
    });
    state.next_session = session + 1;
    state.allocs.row[alloc].owners.insert(owner);
    state.allocs.row[alloc].roots.insert(owner);
    state.ties.add(owner, Tie::Owns, alloc);
    state.ties.add(owner, Tie::Root, alloc);
    state.ties.add(asker, Tie::Holds, alloc);
    if let Some(req_id) = &state.allocs.row[alloc].req_id {
        state.holders.insert((asker, req_id.clone()), alloc);
    }
    warn(state, alloc, request.from);
    alloc
}

/// The attributes that an EXTEND gives replace the recorded ones; the others stay.
fn renew(state: &mut State, alloc: AllocId, request: &Request) {
    if let Some(inheritance) = request.inheritance {
        state.allocs.row[alloc].inheritance = inheritance;
    }
    if request.warn_timeout.is_some() {
        state.allocs.row[alloc].warn_timeout = request.warn_timeout;
        warn(state, alloc, request.from);
    }
}

/// This process gets the warning from now on.
fn warn(state: &mut State, alloc: AllocId, to: Process) {
    if let Some(old) = state.allocs.row[alloc].requestor.replace(to) {
        state.ties.remove(old.ns, Tie::Warned, alloc);
    }
    state.ties.add(to.ns, Tie::Warned, alloc);
}
