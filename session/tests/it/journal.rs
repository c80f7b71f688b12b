//! Journals: what is written comes back, whichever way it is read.

use super::generate::Generator;
use super::random::begin;
use stowplan_session::{
    Config, Event, EventValue, Frames, Initial, Journal, JournalError, Mode, Recovered,
    ReplayError, State, Store, Tail, recover, scan,
};

pub(super) fn replay(bytes: &[u8], mode: Mode) -> Result<Recovered, ReplayError> {
    recover::<ReplayError>(bytes, mode, |_, _, _| Ok(()))
}

/// A journal of random events with some snapshots, and the canonical state after each event.
pub(super) fn written(seed: u64, events: usize, snapshot_every: u64) -> (Vec<u8>, Vec<Vec<u8>>) {
    let mut generator = Generator::new(seed);
    let (mut state, mut model, initial) = begin(Config::default());
    let mut journal = Journal::begin(Vec::new(), &Config::default(), &initial).unwrap();
    let mut states = vec![state.canonical()];
    for _ in 0..events {
        let event = generator.event(&model);
        if matches!(event, Event::DvmEnd) {
            continue;
        }
        model.step(&event);
        journal.submit(&mut state, &event).unwrap();
        states.push(state.canonical());
        if journal.events() % snapshot_every == 0 {
            journal.snapshot(&state).unwrap();
        }
    }
    journal.commit().unwrap();
    (journal.into_store(), states)
}

#[test]
fn with_or_without_snapshots_the_state_is_the_same() {
    for seed in 0..6 {
        let (with, states) = written(seed, 120, 7);
        let (without, _) = written(seed, 120, u64::MAX);
        for (bytes, mode) in [
            (&with, Mode::Fast),
            (&with, Mode::Verify),
            (&without, Mode::Fast),
        ] {
            let recovered = replay(bytes, mode).unwrap();
            assert_eq!(Some(&recovered.state.canonical()), states.last());
            assert_eq!(
                (recovered.events, recovered.tail),
                (states.len() as u64 - 1, Tail::Clean)
            );
        }
    }
}

#[test]
fn a_compacted_journal_goes_on_where_it_was() {
    let (bytes, states) = written(4, 100, u64::MAX);
    let whole = replay(&bytes, Mode::Fast).unwrap();
    let compact = Journal::compact(Vec::new(), &whole.initial, &whole.state, whole.events).unwrap();
    let compact = compact.into_store();
    for mode in [Mode::Fast, Mode::Verify] {
        let mut again = replay(&compact, mode).unwrap();
        assert_eq!(Some(&again.state.canonical()), states.last());
        assert_eq!(again.events, whole.events);
        let mut journal = Journal::resume(compact.clone(), &again);
        let event = Event::Alloc {
            from: "t0",
            directive: EventValue::Text("PMIX_ALLOC_NEW"),
            attrs: Vec::new(),
        };
        journal.submit(&mut again.state, &event).unwrap();
        journal.commit().unwrap();
        let third = replay(&journal.into_store(), mode).unwrap();
        assert_eq!(third.state.canonical(), again.state.canonical());
        assert_eq!(third.events, whole.events + 1);
    }
}

#[test]
fn the_same_events_give_the_same_bytes() {
    assert_eq!(written(9, 80, 11).0, written(9, 80, 11).0);
}

/// Takes this many bytes. Then it takes a part of a write and fails.
#[derive(Debug)]
struct Full {
    bytes: Vec<u8>,
    room: usize,
}

#[derive(Debug, thiserror::Error)]
#[error("no space left")]
struct NoSpace;

impl Store for Full {
    type Error = NoSpace;
    fn append(&mut self, bytes: &[u8]) -> Result<(), NoSpace> {
        let fits = self.room.min(bytes.len());
        self.bytes.extend_from_slice(&bytes[..fits]);
        self.room -= fits;
        if fits == bytes.len() {
            Ok(())
        } else {
            Err(NoSpace)
        }
    }
    fn sync(&mut self) -> Result<(), NoSpace> {
        Ok(())
    }
}

#[test]
fn on_a_full_disk_nothing_is_answered_that_is_not_there() {
    for room in (0..4000).step_by(37) {
        let (mut state, mut model, initial) = begin(Config::default());
        let mut generator = Generator::new(21);
        let store = Full {
            bytes: Vec::new(),
            room,
        };
        let Ok(mut journal) = Journal::begin(store, &Config::default(), &initial) else {
            continue;
        };
        let mut answered = 0;
        for _ in 0..200 {
            let event = generator.event(&model);
            model.step(&event);
            journal.submit(&mut state, &event).unwrap();
            match journal.commit() {
                Ok(()) => answered += 1,
                Err(JournalError::Store(_)) => break,
                Err(error) => panic!("{error}"),
            }
        }
        let after = journal.submit(&mut state, &Event::DvmEnd);
        assert!(
            matches!(after, Err(JournalError::Failed)),
            "a journal that failed takes nothing more"
        );
        let recovered = replay(&journal.into_store().bytes, Mode::Fast).unwrap();
        assert_eq!(
            recovered.events, answered,
            "every answer is on disk, with room for {room} bytes"
        );
    }
}

#[test]
fn an_event_larger_than_a_frame_changes_nothing() {
    let (mut state, _, initial) = begin(Config::default());
    let mut journal = Journal::begin(Vec::new(), &Config::default(), &initial).unwrap();
    let before = (state.canonical(), journal.waiting());
    let long = "x".repeat(65 << 20);
    let refused = journal.submit(&mut state, &Event::JobEnd { ns: &long });
    assert!(matches!(refused, Err(JournalError::TooLarge { .. })));
    assert_eq!((state.canonical(), journal.waiting()), before);
}

#[test]
fn frames_are_numbered_without_gaps() {
    let (bytes, _) = written(2, 60, 9);
    let found = scan(&bytes);
    let numbers: Vec<u64> = Frames::new(&bytes, &found).map(|frame| frame.seq).collect();
    assert_eq!(numbers, (0..found.frames).collect::<Vec<_>>());
}

#[test]
fn a_long_chain_of_generations_ends_without_recursion() {
    let initial = Initial {
        nodes: vec!["n".into()],
        tools: vec!["t".into()],
        scheduler: None,
    };
    let mut config = Config::default();
    config.limits.max_namespaces = u64::MAX;
    let mut state = State::new(config, &initial).unwrap();
    let names: Vec<String> = (0..100_000).map(|number| format!("j{number}")).collect();
    let mut parent = "t";
    for name in &names {
        let spawn = Event::Spawn {
            from: parent,
            job: name,
            target: EventValue::Absent,
            hosts: EventValue::Absent,
        };
        stowplan_session::step(&mut state, &spawn);
        parent = name;
    }
    for name in &names {
        stowplan_session::step(&mut state, &Event::JobEnd { ns: name });
    }
    assert_eq!(
        state.namespace_count(),
        1,
        "the whole chain is freed when its last job ends"
    );
}
