//! Notes that many apps share.

use stowplan_engine::error::Note;
use stowplan_engine::error::fold::fold;
use stowplan_engine::error::spec::Owner;

#[test]
fn many_are_one_and_few_are_few() {
    let key = |app, key: &str| Note::UnknownKey {
        key: key.to_owned(),
        owner: Owner::App(app),
    };
    let mut notes = vec![Note::UnknownKey {
        key: "a".to_owned(),
        owner: Owner::Job,
    }];
    notes.extend((0..9).flat_map(|app| [key(app * 2, "a"), key(app, "b")]));
    notes.push(key(3, "c"));
    let told: Vec<String> = fold(&notes).iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 4);
    assert!(told[0].starts_with("a of the job"), "{}", told[0]);
    assert!(told[1].starts_with("apps 0,2,4,6,8,10,12,14 and 1 more: a of "));
    assert!(told[2].starts_with("apps 0-8: b of "));
    assert!(told[3].starts_with("c of "));
}
