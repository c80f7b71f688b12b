//! Words about threads in a plan as bytes.

use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{Placed, Plan, World};
use stowplan_engine::table::apps::{AppId, AppTable};
use stowplan_engine::table::patterns::Patterns;
use stowplan_engine::table::thread_words::ThreadWords;

fn plan(words: ThreadWords) -> Plan {
    let mut table = AppTable::default();
    table.push_hole();
    table.thread_words = words;
    let placed = vec![Placed::default()];
    Plan::assemble(World::default(), table, Patterns::default(), placed)
}

#[test]
fn words_come_back_and_their_absence_costs_nothing() {
    let pair = ("OMP_PLACES".to_owned(), "cores".to_owned());
    let words = ThreadWords {
        apps: std::iter::once((AppId::from_row(0), vec![pair])).collect(),
        runtime: Some("gnu".to_owned()),
        levels: Some(2),
    };
    let bytes = plan(words.clone()).to_bytes();
    let read = Plan::from_bytes(&bytes).unwrap();
    assert_eq!(*read.thread_words(), words);
    assert_eq!(read.to_bytes(), bytes);
    let silent = plan(ThreadWords::default()).to_bytes();
    assert!(silent.len() < bytes.len());
}
