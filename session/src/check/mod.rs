//! Checks states and transitions. It checks the numbered invariants from the tables alone, and uses none of the code
//! that changes the tables. Source: reservations "Invariants".

mod broken;
mod genealogy;
mod index;
mod step;
mod users;

pub use broken::Broken;
pub use step::check_step;

use super::config::Inheritance;
use super::name::Name;
use super::state::{Dvm, State};
use super::tables::{NsSet, Session, Wanted};
use broken::{Held, hold};
use std::collections::BTreeSet;

/// Judges a state by the invariants I-01 to I-15 and I-21, and its derived columns.
///
/// # Errors
/// The first invariant that is broken.
///
/// Cost: linear in the tables and in the nodes of every set.
pub fn check(state: &State) -> Held {
    index::check(state)?;
    check_read(state)
}

/// The same for a state that was just read, whose derived columns were made from its rows.
pub(crate) fn check_read(state: &State) -> Held {
    records(state)?;
    genealogy::check(state)?;
    owners(state)?;
    dispositions(state)?;
    seats(state)?;
    requests(state)?;
    leaks(state)
}

/// I-03, I-07.
fn records(state: &State) -> Held {
    let mut ids = BTreeSet::new();
    let mut sessions = BTreeSet::new();
    for alloc in state.allocs.rows() {
        let record = &state.allocs.row[alloc];
        let id = &record.id;
        let session = record.session;
        hold(ids.insert(id), "I-03 an id twice", id)?;
        let given = (1..state.next_session).contains(&session);
        let holds = sessions.insert(session) && given;
        hold(holds, "I-03 a session number twice, or never given", id)?;
        for lent in &record.lent {
            let held = state
                .nodes
                .find(lent.as_str())
                .and_then(|node| state.nodes.alloc(node));
            hold(held != Some(alloc), "I-07 a node lent and held", lent)?;
        }
    }
    Ok(())
}

/// I-04, I-05, I-08.
fn owners(state: &State) -> Held {
    let rows: NsSet = state.spaces.rows().collect();
    for alloc in state.allocs.rows() {
        let record = &state.allocs.row[alloc];
        let id = &record.id;
        let owner = state.owner(alloc);
        let holds = owner.is_some() == record.owner_live;
        hold(holds, "I-04 an owner that does not live", id)?;
        let owners = &record.owners;
        let alone = owners.iter().all(|ns| owner == Some(ns));
        let holds = !record.shared || alone;
        hold(holds, "I-04 a job in a shared allocation", id)?;
        let roots = &record.roots;
        let holds = owners.is_subset(roots) && roots.is_subset(&rows);
        hold(holds, "I-05 roots lack an owner or a row", id)?;
        let warned = record.requestor.map(|to| to.ns);
        for ns in warned.into_iter().chain(record.req_ns) {
            let holds = rows.contains(ns) && state.spaces.row[ns].live;
            hold(holds, "I-08 a recipient or id holder that is gone", id)?;
        }
    }
    Ok(())
}

/// I-06.
fn dispositions(state: &State) -> Held {
    for alloc in state.allocs.rows() {
        let record = &state.allocs.row[alloc];
        let at_owner = !record.owner_live;
        let at_last = at_owner && record.roots.is_empty();
        let due = match record.inheritance {
            Inheritance::None | Inheritance::Default => at_owner,
            Inheritance::Child | Inheritance::ChildDefault => at_last,
        };
        hold(!due, "I-06 a disposition that is due", &record.id)?;
    }
    Ok(())
}

/// I-10, I-11.
fn seats(state: &State) -> Held {
    for ns in state.spaces.rows() {
        let name = &state.spaces.row[ns].name;
        let sessions = &state.spaces.row[ns].sessions;
        let run = state.spaces.row[ns].run;
        if !(state.spaces.row[ns].live && state.spaces.is_job(ns)) {
            let holds = sessions.is_empty() && run.is_none();
            hold(holds, "I-10 sessions or nodes without a live job", name)?;
            continue;
        }
        let distinct: BTreeSet<_> = sessions.iter().collect();
        let holds = !sessions.is_empty() && distinct.len() == sessions.len();
        hold(holds, "I-10 no session, or one twice", name)?;
        for session in sessions {
            if let Session::Reserved(alloc) = *session {
                let holds = state.allocs.has(alloc) && !state.allocs.row[alloc].shared;
                hold(holds, "I-10 a session that is no live reservation", name)?;
            }
        }
        hold(run.is_some(), "I-11 a job without nodes", name)?;
    }
    users::check(state)
}

/// I-13, I-14.
fn requests(state: &State) -> Held {
    let mut carried = BTreeSet::new();
    for alloc in state.allocs.rows() {
        let record = &state.allocs.row[alloc];
        if let (Some(ns), Some(id)) = (record.req_ns, &record.req_id) {
            let holds = carried.insert((ns, id));
            hold(holds, "I-14 a request id of two records", id)?;
        }
    }
    for (number, request) in state.pending.iter() {
        let from = request.from.ns;
        let name = &request.owner;
        let live = state.spaces.has(from) && state.spaces.row[from].live;
        hold(live, "I-13 a request of somebody who is gone", name)?;
        let holds = number > 0 && number < state.next_request;
        hold(holds, "I-13 a request from the future", name)?;
        let holds = request.record.is_none() == (request.wanted == Wanted::New);
        hold(holds, "I-13 a request without its record", name)?;
        if let (None, Some(id)) = (&request.record, &request.req_id) {
            let holds = carried.insert((from, id));
            hold(holds, "I-14 a request id of two requests", id)?;
        }
        let lives = request.target.is_some() && !request.target_gone;
        let holds = state.target(request).is_some() == lives;
        hold(holds, "I-13 a target that is gone", name)?;
    }
    Ok(())
}

/// I-15, I-21.
fn leaks(state: &State) -> Held {
    let none = Name::default();
    let empty = state.spaces.len() == 0 && state.allocs.len() == 0 && state.pending.len() == 0;
    let someone = state.spaces.rows().any(|ns| state.spaces.row[ns].live);
    let free = state.nodes.pool() == state.nodes.all();
    let holds = someone || (empty && free);
    hold(holds, "I-15 something is left though nobody lives", &none)?;
    let down = state.dvm == Dvm::Down;
    hold(
        !down || (empty && state.nodes.all().is_empty()),
        "I-21 the DVM is down and a table is not empty",
        &none,
    )
}
