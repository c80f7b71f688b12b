//! The arguments of apps in a plan as bytes.

use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{Placed, Plan, World};
use stowplan_engine::table::apps::{AppId, AppTable};
use stowplan_engine::table::patterns::Patterns;

fn plan(arguments: &[(usize, &[&str])]) -> Plan {
    let mut table = AppTable::default();
    table.push_hole();
    table.push_hole();
    for &(app, words) in arguments {
        let words = words.iter().map(|&word| word.to_owned()).collect();
        table.set_arguments(AppId::from_row(app), words);
    }
    let placed = vec![Placed::default(), Placed::default()];
    Plan::assemble(World::default(), table, Patterns::default(), placed)
}

#[test]
fn arguments_come_back_and_their_absence_costs_nothing() {
    let given: [(usize, &[&str]); 2] = [(0, &["-x", "", "a b\n"]), (1, &["%t"])];
    let bytes = plan(&given).to_bytes();
    let read = Plan::from_bytes(&bytes).unwrap();
    for (app, words) in given {
        assert_eq!(read.resolved_apps().arguments(AppId::from_row(app)), words);
    }
    assert_eq!(read.to_bytes(), bytes);
    let without = plan(&[(1, &[])]).to_bytes();
    assert_eq!(without, plan(&[]).to_bytes());
    assert!(without.len() < bytes.len());
}

#[test]
fn arguments_of_apps_that_are_not_there_are_refused() {
    let bytes = plan(&[(2, &["x"])]).to_bytes();
    assert_eq!(Plan::from_bytes(&bytes).unwrap_err().class(), "bad-plan");
}
