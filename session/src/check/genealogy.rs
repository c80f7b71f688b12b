//! Who descends from whom: I-09 and I-12.

use super::broken::{Held, hold};
use crate::derived::Derived;
use crate::name::Name;
use crate::state::State;
use crate::tables::{NsId, SpaceKind};
use stowplan_engine::id::Id;

pub(super) fn check(state: &State, derived: &Derived) -> Held {
    let table = &state.spaces;
    let none = Name::default();
    for ns in table.rows() {
        let name = &table.row[ns].name;
        let text = name.as_str();
        let holds = !text.is_empty() && !text.contains(':');
        hold(holds, "I-09 a name that is none", name)?;
        let holds = table.find(text) == Some(ns);
        hold(holds, "index the name finds another row", name)?;
        if let Some(parent) = table.row[ns].parent {
            let there = table
                .row
                .get(parent)
                .is_some_and(|row| !row.name.as_str().is_empty());
            hold(there, "I-09 a parent that is not there", name)?;
        }
        let scheduler = table.row[ns].live && table.row[ns].kind == SpaceKind::Scheduler;
        let holds = scheduler == (state.scheduler == Some(ns));
        hold(holds, "I-12 a scheduler too many, or dead", name)?;
    }
    let holds = table.len() == table.rows().count() as u64;
    hold(holds, "index names of rows that are not there", &none)?;
    let known = state.scheduler.is_none_or(|ns| {
        table
            .row
            .get(ns)
            .is_some_and(|row| row.kind == SpaceKind::Scheduler)
    });
    hold(known, "I-12 a scheduler that is not there", &none)?;
    for ns in table.rows() {
        let count = derived.children[ns.row()];
        hold(
            count == table.row[ns].children,
            "index a wrong number of children",
            &table.row[ns].name,
        )?;
        let holds = table.row[ns].live || count > 0;
        hold(holds, "I-09 a row that is not active", &table.row[ns].name)?;
    }
    no_cycle(state, derived.children.clone())
}

/// Takes away rows without children until there are none. Rows that stay form a cycle.
fn no_cycle(state: &State, mut children: Vec<u32>) -> Held {
    let table = &state.spaces;
    let mut leaves: Vec<NsId> = table.rows().filter(|ns| children[ns.row()] == 0).collect();
    let mut left = table.rows().count();
    while let Some(ns) = leaves.pop() {
        left -= 1;
        if let Some(parent) = table.row[ns].parent {
            children[parent.row()] -= 1;
            if children[parent.row()] == 0 {
                leaves.push(parent);
            }
        }
    }
    hold(
        left == 0,
        "I-09 a namespace that descends from itself",
        &Name::default(),
    )
}
