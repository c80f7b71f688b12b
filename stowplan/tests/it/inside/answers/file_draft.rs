//! Drafts that take the place of files.

use std::fs;
use std::io::Write as _;
use stowplan::answers::file_draft::Draft;

#[test]
fn drafts_of_many_threads_in_one_folder_leave_each_other_alone() {
    let folder = std::env::temp_dir().join(format!("stowplan-draft-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let target = folder.join(thread.to_string());
            scope.spawn(move || {
                for round in 0..200 {
                    let draft = Draft::beside(&target).unwrap();
                    write!(draft.file(), "{round}").unwrap();
                    draft.take_place().unwrap();
                    assert_eq!(fs::read_to_string(&target).unwrap(), round.to_string());
                }
            });
        }
    });
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 8);
    fs::remove_dir_all(&folder).unwrap();
}
