//! Fuzz bodies for sessions: scenario files, journals, and journals with sound frames around arbitrary payloads.

use stowplan::answers::session_json::event_json;
use stowplan_cli::command::session::{scenario, state_json};
use stowplan_session::{
    Event, EventValue, Journal, MAGIC, Mode, Recovered, ReplayError, State, check, check_step,
    recover, step,
};

fn replay(bytes: &[u8], mode: Mode) -> Result<Recovered, ReplayError> {
    recover::<ReplayError>(bytes, mode, |_, _, _| Ok(()))
}

/// A scenario file is refused; or each of its steps keeps the invariants, and its journal gives the same state.
///
/// # Panics
/// When a promise is broken.
pub fn scenario(bytes: &[u8]) {
    let Ok(scenarios) = scenario::read(bytes) else {
        return;
    };
    for scenario in scenarios {
        let mut state = State::new(scenario.config, &scenario.initial).expect("read means judged");
        let journal = Journal::begin(Vec::new(), &scenario.config, &scenario.initial);
        let mut journal = journal.expect("a store in memory takes what fits a frame");
        for json in &scenario.steps {
            let event = event_json::event(json).expect("read means judged");
            let before = state.clone();
            let (status, effects) = journal
                .submit(&mut state, &event)
                .expect("shorter than a frame");
            check_step(&before, &event, status, &effects, &state).expect("invariants hold");
            let again = event_json::to_json(&event);
            let same = event_json::event(&again).expect("what we write we read");
            assert_eq!(same, event, "an event survives its JSON");
        }
        journal.commit().expect("a store in memory");
        let replayed = replay(&journal.into_store(), Mode::Fast).expect("what was written is read");
        assert_eq!(replayed.state.canonical(), state.canonical(), "I-23");
        if scenario.config == stowplan_session::Config::default() {
            let dump = serde_json::to_value(&state).expect("rows become JSON");
            let read = state_json::from_json(&dump, scenario.config).expect("what we dump we read");
            assert_eq!(read.dump(), state.dump(), "a dump is complete");
        }
    }
}

/// Bytes are refused, or they give a sound state that can go on. The state is the same with and without snapshots.
///
/// # Panics
/// When a promise is broken.
pub fn journal(bytes: &[u8]) {
    let Ok(fast) = replay(bytes, Mode::Fast) else {
        return;
    };
    check(&fast.state).expect("a recovered state is sound");
    assert_eq!(fast.end + fast.discarded, bytes.len());
    if let Ok(whole) = replay(bytes, Mode::Verify) {
        assert_eq!(
            whole.state.canonical(),
            fast.state.canonical(),
            "snapshots only make it faster"
        );
        assert_eq!(whole.events, fast.events);
    }
    let mut state = fast.state.clone();
    if fast.next_seq == 0 {
        return;
    }
    let mut journal = Journal::resume(bytes[..fast.end].to_vec(), &fast);
    let attach = Event::Spawn {
        from: "t",
        job: "fresh",
        target: EventValue::Absent,
        hosts: EventValue::Absent,
    };
    journal
        .submit(&mut state, &attach)
        .expect("shorter than a frame");
    journal.commit().expect("a store in memory");
    let again = replay(&journal.into_store(), Mode::Fast).expect("a recovered journal goes on");
    assert_eq!(again.state.canonical(), state.canonical());
}

/// The same with correct checksums around arbitrary payloads: what a forger could write.
///
/// The bytes give the frames: a byte for the kind, a byte for the length, and the payload. The first frame is an open frame of ours.
///
/// # Panics
/// When a promise is broken.
pub fn forged(bytes: &[u8]) {
    let config = stowplan_session::Config::default();
    let initial = stowplan_session::Initial {
        nodes: vec!["a".into(), "b".into()],
        tools: vec!["t".into()],
        scheduler: Some("s".into()),
    };
    let journal = Journal::begin(Vec::new(), &config, &initial).expect("a store in memory");
    let mut forged = journal.into_store();
    assert!(forged.starts_with(MAGIC));
    let mut rest = bytes;
    let mut seq = 1_u64;
    while let [kind, len, after @ ..] = rest {
        let (payload, left) = after.split_at(usize::from(*len).min(after.len()));
        rest = left;
        let frame_len = u32::try_from(payload.len())
            .expect("a byte's worth")
            .to_le_bytes();
        let mut body = seq.to_le_bytes().to_vec();
        body.push(1 + kind % 2);
        body.extend_from_slice(payload);
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&frame_len);
        hasher.update(&body);
        forged.extend_from_slice(&frame_len);
        forged.extend_from_slice(&hasher.finalize().to_le_bytes());
        forged.extend_from_slice(&body);
        seq += 1;
    }
    self::journal(&forged);
}

/// A stream of events from bytes: each two bytes choose an event on a few names. Every step is checked.
///
/// # Panics
/// When a promise is broken.
pub fn events(bytes: &[u8]) {
    let initial = stowplan_session::Initial {
        nodes: vec!["n0".into(), "n1".into()],
        tools: vec!["t".into(), "u".into()],
        scheduler: Some("s".into()),
    };
    let mut state = State::new(stowplan_session::Config::default(), &initial).expect("well-formed");
    for pair in bytes.chunks_exact(2) {
        let event = small_event(pair[0], pair[1]);
        let before = state.clone();
        let (status, effects) = step(&mut state, &event);
        check_step(&before, &event, status, &effects, &state).expect("invariants hold");
    }
}

const SPACES: [&str; 8] = ["t", "u", "s", "j0", "j1", "j2", "j3", "t:7"];
const NODES: [&str; 4] = ["n0", "n1", "g0", "g1"];
const IDS: [&str; 4] = ["a0", "a1", "t.1", ""];
const DISPOSITIONS: [&str; 4] = ["NONE", "CHILD", "DEFAULT", "CHILD_DEFAULT"];

fn small_event(kind: u8, data: u8) -> Event<'static> {
    let pick = |list: &[&'static str], shift: u32| list[usize::from(data >> shift) % list.len()];
    let from = pick(&SPACES, 0);
    let directive = |name| EventValue::Text(name);
    match kind % 12 {
        0..3 => {
            let mut attrs = vec![(
                "PMIX_ALLOC_INHERITANCE",
                EventValue::Text(pick(&DISPOSITIONS, 3)),
            )];
            attrs.push(("PMIX_ALLOC_SHARE", EventValue::Bool(data & 64 != 0)));
            Event::Alloc {
                from,
                directive: directive("PMIX_ALLOC_NEW"),
                attrs,
            }
        }
        3 => {
            let attrs = vec![("PMIX_ALLOC_ID", EventValue::Text(pick(&IDS, 3)))];
            let name = [
                "PMIX_ALLOC_RELEASE",
                "PMIX_ALLOC_EXTEND",
                "PMIX_ALLOC_REAQUIRE",
            ][usize::from(data >> 5) % 3];
            Event::Alloc {
                from,
                directive: directive(name),
                attrs,
            }
        }
        4..7 => {
            let nodes = NODES
                .iter()
                .enumerate()
                .filter(|row| data & (16 << row.0) != 0)
                .map(|row| *row.1)
                .collect();
            let alloc_id = if kind & 16 != 0 {
                EventValue::Text(pick(&IDS[..2], 3))
            } else {
                EventValue::Absent
            };
            Event::Grant {
                req: u64::from(data % 16),
                nodes: EventValue::Texts(nodes),
                alloc_id,
            }
        }
        7 | 8 => {
            let target = if kind & 16 != 0 {
                EventValue::Text(pick(&IDS, 5))
            } else {
                EventValue::Absent
            };
            Event::Spawn {
                from,
                job: pick(&SPACES[3..7], 3),
                target,
                hosts: EventValue::Absent,
            }
        }
        9 => Event::JobEnd { ns: from },
        10 => Event::NodeDown {
            node: pick(&NODES, 0),
        },
        _ => Event::NodeUp {
            node: pick(&NODES, 0),
        },
    }
}
