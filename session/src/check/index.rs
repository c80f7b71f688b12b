//! Derived columns: they repeat what the tables say. Here they are compared with the tables.

use super::broken::{Held, hold};
use crate::derived::Derived;
use crate::name::Name;
use crate::state::State;
use std::collections::BTreeSet;

pub(super) fn check(state: &State, derived: &Derived) -> Held {
    let none = Name::default();
    let holds = state.ties.all() == derived.ties;
    hold(holds, "index ties that do not match the columns", &none)?;
    let holds = state.holders == derived.holders;
    hold(holds, "index request ids of other records", &none)?;
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
        &none,
    )
}
