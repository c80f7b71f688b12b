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
use super::tables::{AllocId, NodeSet, NsSet, Session};
use broken::{Held, hold};
use std::collections::{BTreeMap, BTreeSet};
use stowplan_engine::id::Id;

/// Judges a state by the invariants I-01 to I-15 and I-21, and its derived columns.
///
/// # Errors
/// The first invariant that is broken.
///
/// Cost: linear in the tables and in the nodes of every set.
pub fn check(state: &State) -> Held {
    nodes(state)?;
    records(state)?;
    genealogy::check(state)?;
    index::check(state)?;
    owners(state)?;
    dispositions(state)?;
    seats(state)?;
    requests(state)?;
    leaks(state)
}

/// I-01, I-02.
fn nodes(state: &State) -> Held {
    let table = &state.nodes;
    let mut rest = table.all().clone();
    for alloc in state.allocs.live() {
        let id = &state.allocs.row[alloc].id;
        let nodes = &state.allocs.row[alloc].nodes;
        hold(
            nodes.is_subset(&rest),
            "I-01",
            "a node of two allocations, or of none",
            id,
        )?;
        rest.remove_all(nodes);
        for node in nodes.iter() {
            hold(
                table.alloc(node) == Some(alloc),
                "I-01",
                "the column names another allocation",
                table.name(node),
            )?;
        }
        if state.allocs.row[alloc].shared {
            hold(
                nodes.is_subset(table.pool()),
                "I-02",
                "a shared allocation outside the default session",
                id,
            )?;
        } else {
            hold(
                nodes.is_disjoint(table.pool()),
                "I-02",
                "a reserved node in the default session",
                id,
            )?;
        }
    }
    for node in rest.iter() {
        hold(
            table.alloc(node).is_none(),
            "I-01",
            "an allocation that lacks the node",
            table.name(node),
        )?;
    }
    pools(state, &rest)
}

/// I-02 for nodes that no allocation holds, and the derived sets of nodes.
fn pools(state: &State, rest: &NodeSet) -> Held {
    let table = &state.nodes;
    let none = Name::default();
    hold(
        rest.is_subset(table.pool()),
        "I-02",
        "a free node outside the default session",
        &none,
    )?;
    hold(
        table.pool().is_subset(table.all()),
        "I-02",
        "a pool with nodes that are not there",
        &none,
    )?;
    hold(
        table.up().is_subset(table.all()),
        "index",
        "up nodes that are not there",
        &none,
    )?;
    hold(
        table.startup().is_subset(table.all()),
        "index",
        "startup nodes that are not there",
        &none,
    )?;
    hold(
        **table.pool_up() == table.pool().and(table.up()),
        "index",
        "the kept candidates are stale",
        &none,
    )
}

/// I-03, I-07.
fn records(state: &State) -> Held {
    let mut ids = BTreeSet::new();
    let mut sessions = BTreeSet::new();
    for alloc in state.allocs.live() {
        let id = &state.allocs.row[alloc].id;
        let session = state.allocs.row[alloc].session;
        hold(
            !id.as_bytes().is_empty() && ids.insert(id),
            "I-03",
            "an id twice, or empty",
            id,
        )?;
        hold(
            sessions.insert(session) && session < state.next_session,
            "I-03",
            "a session number twice, or late",
            id,
        )?;
        hold(
            state.allocs.find(id.as_str()) == Some(alloc),
            "index",
            "the id finds another row",
            id,
        )?;
        for lent in &state.allocs.row[alloc].lent {
            let held = state
                .nodes
                .find(lent.as_str())
                .and_then(|node| state.nodes.alloc(node));
            hold(held != Some(alloc), "I-07", "a node lent and held", lent)?;
        }
    }
    hold(
        state.allocs.len() == ids.len() as u64,
        "index",
        "ids of records that are not there",
        &Name::default(),
    )
}

/// I-04, I-05, I-08.
fn owners(state: &State) -> Held {
    let mut rightful: BTreeMap<AllocId, NsSet> = BTreeMap::new();
    for ns in state.spaces.rows().filter(|&ns| state.spaces.row[ns].live) {
        for session in state.spaces.row[ns].seats.list() {
            if let Session::Reserved(alloc) = *session {
                rightful.entry(alloc).or_default().insert(ns);
            }
        }
    }
    let rows: NsSet = state.spaces.rows().collect();
    for alloc in state.allocs.live() {
        let id = &state.allocs.row[alloc].id;
        let mut expected = rightful.remove(&alloc).unwrap_or_default();
        if let Some(owner) = state.allocs.row[alloc].owner {
            let same = rows.contains(owner)
                && state.spaces.row[owner].name == state.allocs.row[alloc].owner_name;
            hold(
                same && state.spaces.row[owner].live,
                "I-04",
                "an owner that does not live",
                id,
            )?;
            expected.insert(owner);
        }
        let owners = &state.allocs.row[alloc].owners;
        hold(
            *owners == expected,
            "I-04",
            "an owner set with one too many or too few",
            id,
        )?;
        let alone = owners
            .iter()
            .all(|ns| state.allocs.row[alloc].owner == Some(ns));
        hold(
            !state.allocs.row[alloc].shared || alone,
            "I-04",
            "a job in a shared allocation",
            id,
        )?;
        let roots = &state.allocs.row[alloc].roots;
        hold(
            owners.is_subset(roots) && roots.is_subset(&rows),
            "I-05",
            "roots lack an owner or a row",
            id,
        )?;
        let warned = state.allocs.row[alloc].requestor.map(|to| to.ns);
        for ns in warned.into_iter().chain(state.allocs.row[alloc].req_ns) {
            hold(
                rows.contains(ns) && state.spaces.row[ns].live,
                "I-08",
                "a recipient or id holder that is gone",
                id,
            )?;
        }
    }
    hold(
        rightful.is_empty(),
        "I-10",
        "a session that is no live reservation",
        &Name::default(),
    )
}

/// I-06.
fn dispositions(state: &State) -> Held {
    for alloc in state.allocs.live() {
        let at_owner = state.allocs.row[alloc].owner.is_none();
        let at_last = at_owner && state.allocs.row[alloc].roots.is_empty();
        let due = match state.allocs.row[alloc].inheritance {
            Inheritance::None | Inheritance::Default => at_owner,
            Inheritance::Child | Inheritance::ChildDefault => at_last,
        };
        hold(
            !due,
            "I-06",
            "a disposition that is due",
            &state.allocs.row[alloc].id,
        )?;
    }
    Ok(())
}

/// I-10, I-11.
fn seats(state: &State) -> Held {
    for ns in state.spaces.rows() {
        let name = &state.spaces.row[ns].name;
        let sessions = state.spaces.row[ns].seats.list();
        let run = state.spaces.row[ns].run;
        if !(state.spaces.row[ns].live && state.spaces.is_job(ns)) {
            hold(
                sessions.is_empty() && run.is_none(),
                "I-10",
                "sessions or nodes without a live job",
                name,
            )?;
            continue;
        }
        let distinct: BTreeSet<_> = sessions.iter().collect();
        hold(
            !sessions.is_empty() && distinct.len() == sessions.len(),
            "I-10",
            "no session, or one twice",
            name,
        )?;
        for session in sessions {
            if let Session::Reserved(alloc) = *session {
                let seat = alloc.row() < state.allocs.row.len() && state.allocs.is_live(alloc);
                hold(
                    seat && !state.allocs.row[alloc].shared,
                    "I-10",
                    "a session that is no live reservation",
                    name,
                )?;
            }
        }
        hold(run.is_some(), "I-11", "a job without nodes", name)?;
    }
    users::check(state)
}

/// I-13, I-14.
fn requests(state: &State) -> Held {
    let mut carried = BTreeSet::new();
    for alloc in state.allocs.live() {
        if let (Some(ns), Some(id)) = (
            state.allocs.row[alloc].req_ns,
            &state.allocs.row[alloc].req_id,
        ) {
            hold(
                carried.insert((ns, id)),
                "I-14",
                "a request id of two records",
                id,
            )?;
            let held = state.holders.get(&(ns, id.clone()));
            hold(
                held == Some(&alloc),
                "index",
                "the request id finds another record",
                id,
            )?;
        }
    }
    hold(
        state.holders.len() == carried.len(),
        "index",
        "request ids of records that are gone",
        &Name::default(),
    )?;
    for (number, request) in state.pending.iter() {
        let from = request.from.ns;
        let name = &request.owner;
        let live = from.row() < state.spaces.row.len() && state.spaces.row[from].live;
        hold(live, "I-13", "a request of somebody who is gone", name)?;
        hold(
            number > 0 && number < state.next_request,
            "I-13",
            "a request from the future",
            name,
        )?;
        if let (None, Some(id)) = (request.record(), &request.req_id) {
            hold(
                carried.insert((from, id)),
                "I-14",
                "a request id of two requests",
                id,
            )?;
        }
        if let Some(target) = request.target_ns {
            let same = request.target.as_ref() == state.spaces.row.get(target).map(|row| &row.name);
            hold(
                same && state.spaces.row[target].live,
                "I-13",
                "a target that is gone",
                name,
            )?;
        }
    }
    Ok(())
}

/// I-15, I-21.
fn leaks(state: &State) -> Held {
    let none = Name::default();
    let empty = state.spaces.len() == 0 && state.allocs.len() == 0 && state.pending.len() == 0;
    let someone = state.spaces.rows().any(|ns| state.spaces.row[ns].live);
    let free = state.nodes.pool() == state.nodes.all();
    hold(
        someone || (empty && free),
        "I-15",
        "something is left though nobody lives",
        &none,
    )?;
    let down = state.dvm == Dvm::Down;
    hold(
        !down || (empty && state.nodes.all().is_empty()),
        "I-21",
        "the DVM is down and a table is not empty",
        &none,
    )
}
