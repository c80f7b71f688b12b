//! Sessions: the fuzz corpus replayed, and the fuzz bodies on bytes from a seed.

use proptest::prelude::*;
use stowplan_scale_tests::input::session;

/// The body of a fuzz target.
type Body = fn(&[u8]);

/// Fuzz targets, by the name of their corpus.
const TARGETS: &[(&str, Body)] = &[
    ("session_scenario", session::scenario),
    ("session_journal", session::journal),
    ("session_forged", session::forged),
    ("session_events", session::events),
];

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(name);
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|file| std::fs::read(file).unwrap())
        .collect()
}

#[test]
fn the_session_corpus_still_holds() {
    for (name, body) in TARGETS {
        let files = corpus(name);
        assert!(!files.is_empty(), "{name}");
        files.iter().for_each(|bytes| body(bytes));
    }
}

#[test]
fn damaged_journals_are_refused_or_sound() {
    for whole in corpus("session_journal") {
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] = damaged[at].wrapping_add(1 + u8::try_from(at % 250).unwrap());
            session::journal(&damaged);
            session::journal(&whole[..at]);
        }
    }
}

proptest! {
    #[test]
    fn any_small_events_keep_the_invariants(bytes in proptest::collection::vec(any::<u8>(), 0..240)) {
        session::events(&bytes);
    }

    #[test]
    fn forged_frames_are_refused_or_sound(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        session::forged(&bytes);
    }

    #[test]
    fn forged_small_numbers_are_refused_or_sound(bytes in proptest::collection::vec(0_u8..6, 0..120)) {
        session::forged(&bytes);
    }

    #[test]
    fn any_bytes_are_no_journal(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        session::journal(&[b"STOWJRN\x01", &bytes[..]].concat());
    }

    #[test]
    fn changed_scenarios_are_refused_or_hold(at in any::<prop::sample::Index>(), by in any::<u8>()) {
        for whole in corpus("session_scenario") {
            let mut changed = whole.clone();
            let place = at.index(changed.len());
            changed[place] = by;
            session::scenario(&changed);
        }
    }
}
