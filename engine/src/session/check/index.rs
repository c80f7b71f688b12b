//! Derived columns: what the tables could be asked for, kept beside them. Compared with the columns here.

use super::{Held, hold};
use crate::id::Id;
use crate::session::name::Name;
use crate::session::state::State;
use crate::session::tables::{NsId, Tie};
use std::collections::BTreeSet;

pub(super) fn check(state: &State) -> Held {
    ties(state)?;
    users(state)?;
    let carried: BTreeSet<u64> = state.pending.indexed().map(|row| row.2).collect();
    for (number, request) in state.pending.iter() {
        let owner = &request.owner;
        hold(
            request.req_id.is_some() == carried.contains(&number),
            "index",
            "a request id that is not found",
            owner,
        )?;
    }
    let table = &state.nodes;
    for node in table.all().iter() {
        hold(
            table.find(table.name(node).as_str()) == Some(node),
            "index",
            "a node not found",
            table.name(node),
        )?;
    }
    hold(
        table.len() == table.all().len(),
        "index",
        "names of nodes that are not there",
        &Name::default(),
    )
}

fn ties(state: &State) -> Held {
    let mut expected: BTreeSet<(NsId, Tie, u64)> = BTreeSet::new();
    for alloc in state.allocs.live() {
        let row = alloc.row() as u64;
        expected.extend(state.allocs.owner[alloc].map(|ns| (ns, Tie::Owns, row)));
        expected.extend(
            state.allocs.roots[alloc]
                .iter()
                .map(|ns| (ns, Tie::Root, row)),
        );
        expected.extend(state.allocs.req_ns[alloc].map(|ns| (ns, Tie::Holds, row)));
        expected.extend(state.allocs.requestor[alloc].map(|to| (to.ns, Tie::Warned, row)));
    }
    for (number, request) in state.pending.iter() {
        expected.insert((request.from.ns, Tie::Asked, number));
        expected.extend(request.target_ns.map(|ns| (ns, Tie::Target, number)));
    }
    let none = Name::default();
    hold(
        state.ties.iter().eq(expected.iter().copied()),
        "index",
        "ties that do not match the columns",
        &none,
    )?;
    let mut counts = vec![0_u32; state.spaces.life.len()];
    for (ns, _, _) in &expected {
        counts[ns.row()] += 1;
    }
    hold(
        state
            .spaces
            .life
            .values()
            .iter()
            .map(|life| life.ties)
            .eq(counts),
        "index",
        "a wrong number of ties",
        &none,
    )
}

fn users(state: &State) -> Held {
    let mut listed = 0;
    let mut running = 0;
    for ns in state.spaces.rows() {
        let Some(uses) = &state.spaces.seat[ns].uses else {
            continue;
        };
        let run = state.spaces.seat[ns].run;
        let name = &state.spaces.name[ns];
        hold(
            state.users.knows(ns, uses, run),
            "index",
            "a user that is not found",
            name,
        )?;
        if run.is_some() {
            running += 1;
        } else {
            listed += uses.len();
        }
        // What was never in the default session is used by jobs of its own record only.
        for node in uses
            .iter()
            .filter(|&node| !state.nodes.shown().contains(node))
        {
            let holder = state
                .nodes
                .alloc(node)
                .filter(|&alloc| state.allocs.owners[alloc].contains(ns));
            hold(
                holder.is_some(),
                "index",
                "a user outside the record of a hidden node",
                name,
            )?;
        }
    }
    hold(
        state.users.entries() == (listed, running),
        "index",
        "users that do not match the jobs",
        &Name::default(),
    )
}
