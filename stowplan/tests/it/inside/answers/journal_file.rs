//! Files of journals: damaged, locked, full.

use std::io;
use stowplan::answers::journal_file::inside::{held, left_by_a_copy, with_bytes};
use stowplan::answers::journal_file::{FileError, JOURNAL_BYTES_MAX, JournalFile, StartError};
use stowplan_session::{Config, Event, Frames, Initial, ReplayError, Store as _, scan};

/// What follows the damage is whole, and would be lost.
#[test]
fn a_journal_that_is_damaged_in_the_middle_is_refused_and_stays_as_it_is() {
    let path = std::env::temp_dir().join(format!("stowplan-damaged-{}", std::process::id()));
    let initial = Initial {
        nodes: vec!["n0".into()],
        ..Initial::default()
    };
    let begun = JournalFile::start(&path, &Config::default(), &initial);
    let (mut journal, mut state) = begun.unwrap();
    for _ in 0..3 {
        let event = Event::NodeDown { node: "n0" };
        journal.record(&mut state, &event).unwrap();
    }
    drop(journal);
    let mut bytes = std::fs::read(&path).unwrap();
    let second = Frames::new(&bytes, &scan(&bytes)).nth(1).unwrap().offset;
    bytes[second + 20] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let again = JournalFile::start(&path, &Config::default(), &initial);
    let told = again.unwrap_err();
    assert!(
        matches!(told, StartError::Replay(ReplayError::Damaged { offset }) if offset == second),
        "{told}"
    );
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    std::fs::remove_file(&path).unwrap();
}

/// What a process that another thread starts has until it is another program: the same open file.
#[test]
fn a_journal_that_was_closed_is_free_though_a_new_process_still_has_it_open() {
    let path = std::env::temp_dir().join(format!("stowplan-closed-{}", std::process::id()));
    let (journal, _) = JournalFile::open(&path).unwrap();
    let started = held(&journal).unwrap();
    assert!(matches!(JournalFile::open(&path), Err(FileError::InUse)));
    let journal = journal.replace(b"").unwrap();
    assert!(matches!(JournalFile::open(&path), Err(FileError::InUse)));
    let again = held(&journal).unwrap();
    drop(journal);
    drop(JournalFile::open(&path).unwrap());
    // A copy of the process that ends leaves the lock to its parent.
    let (copy, _) = JournalFile::open(&path).unwrap();
    let parent = held(&copy).unwrap();
    drop(left_by_a_copy(copy));
    assert!(matches!(JournalFile::open(&path), Err(FileError::InUse)));
    drop((started, again, parent));
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn what_would_not_be_read_again_is_not_written() {
    let path = std::env::temp_dir().join(format!("stowplan-journal-{}", std::process::id()));
    let (journal, _) = JournalFile::open(&path).unwrap();
    let mut journal = with_bytes(journal, JOURNAL_BYTES_MAX - 3);
    journal.append(b"one").unwrap();
    let full = journal.append(b"more").unwrap_err();
    assert_eq!(full.kind(), io::ErrorKind::FileTooLarge);
    assert_eq!(std::fs::read(&path).unwrap(), b"one");
    std::fs::remove_file(&path).unwrap();
}
