//! The index of names.

use stowplan_engine::id::Column;
use stowplan_session::Name;
use stowplan_session::inside::NameIndex;

stowplan_engine::define_id! {
    /// A row of these tests.
    RowId
}

#[test]
fn names_come_and_go_without_losing_others() {
    let mut names: Column<RowId, Name> = Column::new();
    let mut index: NameIndex<RowId> = NameIndex::default();
    let ids: Vec<RowId> = (0..500)
        .map(|n| names.push(Name::new(&format!("n{n}"))))
        .collect();
    for &id in &ids {
        index.insert(id, |id| &names[id]);
    }
    for &id in ids.iter().step_by(3) {
        index.remove(&names[id], id);
    }
    for (n, &id) in ids.iter().enumerate() {
        let found = index.find(names[id].as_str(), |id| &names[id]);
        assert_eq!(found, (n % 3 != 0).then_some(id));
    }
    assert_eq!(index.count(), 333);
}
