//! What is kept beside the rows repeats what they say: here it is worked out again and compared. A state that was just read has it from
//! there, and needs no such check.

use super::broken::{Held, hold};
use crate::derived::Derived;
use crate::name::Name;
use crate::state::State;
use crate::tables::Asker;
use std::collections::BTreeSet;

pub(super) fn check(state: &State) -> Held {
    let none = Name::default();
    let (spaces, allocs) = (&state.spaces, &state.allocs);
    let derived = Derived::of(state);
    for ns in spaces.rows() {
        let holds = derived.children[ns] == spaces.row[ns].children;
        hold(holds, "index a wrong number of children", spaces.name(ns))?;
    }
    for alloc in allocs.row.ids() {
        let holds = derived.nodes[alloc] == allocs.row[alloc].nodes;
        let told = "I-01 a record with other nodes than those that name it";
        hold(holds, told, allocs.name(alloc))?;
        let holds = derived.owners[alloc] == allocs.row[alloc].owners;
        let told = "I-04 an owner set with one too many or too few";
        hold(holds, told, allocs.name(alloc))?;
    }
    let holds = state.ties == derived.ties;
    hold(holds, "index ties that do not match the columns", &none)?;
    let holds = state.holders == derived.holders;
    hold(holds, "index request ids of other records", &none)?;
    let asked = state.pending.iter();
    let askers: BTreeSet<Asker> = asked.map(|(number, row)| row.asker(number)).collect();
    let holds = *state.pending.askers() == askers;
    hold(holds, "index a request that is not found", &none)?;
    let holds = spaces.is_found();
    hold(holds, "index a namespace that is not found", &none)?;
    let holds = allocs.is_found();
    hold(holds, "index a record that is not found", &none)?;
    let table = &state.nodes;
    let holds = *table.pool() == derived.pool;
    let told = "I-02 the nodes of no reservation are not the default session";
    hold(holds, told, &none)?;
    let holds = **table.pool_up() == table.pool().and(table.up());
    hold(holds, "index the kept candidates are stale", &none)?;
    let holds = table.up().is_subset(table.all());
    hold(holds, "index up nodes that are not there", &none)?;
    let holds = table.startup().is_subset(table.all());
    hold(holds, "index startup nodes that are not there", &none)?;
    for node in table.all().iter() {
        let holds = table.find(table.name(node).as_str()) == Some(node);
        hold(holds, "index a node not found", table.name(node))?;
    }
    let holds = table.len() == table.all().len();
    hold(holds, "index names of nodes that are not there", &none)
}
