//! Derived columns: they repeat what the tables say. Here they are compared with the tables.

use super::broken::{Held, hold};
use crate::name::Name;
use crate::state::State;
use crate::tables::{NsId, Tie};
use std::collections::BTreeSet;
use stowplan_engine::id::Id;

pub(super) fn check(state: &State) -> Held {
    ties(state)?;
    let carried: BTreeSet<u64> = state.pending.indexed().map(|row| row.2).collect();
    for (number, request) in state.pending.iter() {
        let owner = &request.owner;
        let holds = request.req_id.is_some() == carried.contains(&number);
        hold(holds, "index a request id that is not found", owner)?;
    }
    let table = &state.nodes;
    for node in table.all().iter() {
        let holds = table.find(table.name(node).as_str()) == Some(node);
        hold(holds, "index a node not found", table.name(node))?;
    }
    hold(
        table.len() == table.all().len(),
        "index names of nodes that are not there",
        &Name::default(),
    )
}

fn ties(state: &State) -> Held {
    let mut expected: BTreeSet<(NsId, Tie, u64)> = BTreeSet::new();
    for alloc in state.allocs.live() {
        let (row, record) = (alloc.row() as u64, &state.allocs.row[alloc]);
        expected.extend(state.owner(alloc).map(|ns| (ns, Tie::Owns, row)));
        expected.extend(record.roots.iter().map(|ns| (ns, Tie::Root, row)));
        expected.extend(record.req_ns.map(|ns| (ns, Tie::Holds, row)));
        expected.extend(record.requestor.map(|to| (to.ns, Tie::Warned, row)));
    }
    for (number, request) in state.pending.iter() {
        expected.insert((request.from.ns, Tie::Asked, number));
        expected.extend(state.target(request).map(|ns| (ns, Tie::Target, number)));
    }
    let none = Name::default();
    let holds = state.ties.all() == expected;
    hold(holds, "index ties that do not match the columns", &none)
}
