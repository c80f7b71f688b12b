//! Who descends from whom: I-09 and I-12.

use super::broken::{Held, hold};
use crate::name::Name;
use crate::state::State;
use crate::tables::{NsId, SpaceKind};
use stowplan_engine::id::Column;

pub(super) fn check(state: &State) -> Held {
    let table = &state.spaces;
    for ns in table.rows() {
        let (row, name) = (&table.row[ns], table.name(ns));
        let holds = !name.as_str().contains(':');
        hold(holds, "I-09 a name that is none", name)?;
        let holds = row.parent.is_none_or(|parent| table.has(parent));
        hold(holds, "I-09 a parent that is not there", name)?;
        let scheduler = row.live && row.kind == SpaceKind::Scheduler;
        let holds = scheduler == (state.scheduler == Some(ns));
        hold(holds, "I-12 a scheduler too many, or dead", name)?;
        let holds = row.live || row.children > 0;
        hold(holds, "I-09 a row that is not active", name)?;
    }
    let known = state.scheduler.is_none_or(|ns| table.has(ns));
    hold(
        known,
        "I-12 a scheduler that is not there",
        &Name::default(),
    )?;
    no_cycle(state)
}

/// Takes away rows without children until there are none. Rows that stay form a cycle.
fn no_cycle(state: &State) -> Held {
    let table = &state.spaces;
    let children = table.row.values().iter().map(|row| row.children);
    let mut children: Column<NsId, u32> = children.collect();
    let mut leaves: Vec<NsId> = table.rows().filter(|&ns| children[ns] == 0).collect();
    let mut left = table.rows().count();
    while let Some(ns) = leaves.pop() {
        left -= 1;
        if let Some(parent) = table.row[ns].parent {
            children[parent] -= 1;
            if children[parent] == 0 {
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
