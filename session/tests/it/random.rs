//! Runs engine and model side by side.

use super::generate::{Generator, NODES, TOOLS, names};
use super::model::Model;
use super::picture;
use std::collections::BTreeMap;
use stowplan_session::{Config, Initial, State, Status, check, check_step, judge, step};

/// Number of events in the normal run, and in the long one (`STOWPLAN_LONG=1`).
const EVENTS: (u32, u32) = (100_000, 1_000_000);
/// Number of events of one DVM.
const LIFE: u32 = 250;

fn events() -> u32 {
    let long = std::env::var_os("STOWPLAN_LONG").is_some_and(|word| word == "1");
    if long { EVENTS.1 } else { EVENTS.0 }
}

/// A DVM in both state machines.
pub(super) fn begin(config: Config) -> (State, Model, Initial) {
    let initial = Initial {
        nodes: names(&NODES),
        tools: names(&TOOLS),
        scheduler: Some("sched".into()),
    };
    let state = State::new(config, &initial).unwrap();
    (
        state,
        Model::new(config, &NODES, &TOOLS, Some("sched")),
        initial,
    )
}

#[test]
fn random_events_do_what_the_model_does() {
    let mut generator = Generator::new(8);
    let (mut state, mut model, _) = begin(Config::default());
    let mut seen: BTreeMap<(&str, Status), u32> = BTreeMap::new();
    for number in 0..events() {
        if number % LIFE == 0 {
            (state, model, _) = begin(generator.config());
        }
        let event = generator.event(&model);
        let before = state.clone();
        let judged = judge(&state, &event).status();
        let (status, effects) = step(&mut state, &event);
        let (expected, mut facts) = model.step(&event);
        facts.sort();
        assert_eq!(judged, status, "event {number} {event:?}");
        assert_eq!(status, expected, "event {number} {event:?}\n{before:#?}");
        assert_eq!(
            picture::facts(&state, &effects),
            facts,
            "event {number} {event:?}"
        );
        // Status and effects are compared after each event, all rows only every few events: a row that differs stays different.
        if number % 5 == 0 || number % LIFE == LIFE - 1 {
            let (engine, plain) = (state.dump(), picture::of_model(&model));
            assert_eq!(engine, plain, "event {number} {event:?}");
        }
        *seen.entry((event.name(), status)).or_insert(0) += 1;
        if let Err(broken) = check_step(&before, &event, status, &effects, &state) {
            panic!("event {number} {event:?}: {broken}");
        }
    }
    let done = |name| seen.get(&(name, Status::Success)).copied().unwrap_or(0);
    for name in [
        "alloc",
        "grant",
        "spawn",
        "job_end",
        "tool_attach",
        "tool_detach",
        "warn",
        "reclaim",
        "node_down",
    ] {
        assert!(
            done(name) > 200,
            "{name} succeeds too rarely to say anything: {seen:#?}"
        );
    }
}

#[test]
fn a_rejected_event_leaves_the_state_byte_identical() {
    let mut generator = Generator::new(17);
    let (mut state, mut model, _) = begin(Config::default());
    let mut rejected = 0;
    for _ in 0..3000 {
        let event = generator.event(&model);
        let before = state.canonical();
        let (status, effects) = step(&mut state, &event);
        model.step(&event);
        if status.is_error() && effects.answered.is_none() {
            rejected += 1;
            assert!(effects.is_empty());
            assert_eq!(state.canonical(), before);
        }
        if model.down {
            (state, model, _) = begin(Config::default());
        }
    }
    assert!(
        rejected > 500,
        "{rejected} rejected events are too few to say anything"
    );
    check(&state).unwrap();
}
