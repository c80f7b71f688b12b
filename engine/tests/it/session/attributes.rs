//! All 32 combinations of the five attributes a PMIx may lack (S-76 … S-81, S-88, A-30).

use super::generate::Generator;
use super::picture;
use super::random::begin;
use stowplan_engine::session::{
    Config, Dvm, Event, FEATURES, Feature, Features, Inheritance, Status, Value, check_step, step,
};

fn combinations() -> impl Iterator<Item = Features> {
    (0..32_u8).map(|bits| {
        let there = FEATURES
            .iter()
            .enumerate()
            .filter(move |row| bits & (1 << row.0) != 0);
        there.fold(Features::none(), |set, (_, row)| set.with(row.1))
    })
}

#[test]
fn random_events_do_what_the_model_does_whatever_is_lacking() {
    for (seed, available) in combinations().enumerate() {
        let config = Config {
            available,
            ..Config::default()
        };
        let (mut state, mut model, _) = begin(config);
        let mut generator = Generator::new(1000 + seed as u64);
        for _ in 0..600 {
            let event = generator.event(&model);
            let before = state.clone();
            let (status, effects) = step(&mut state, &event);
            let (expected, mut facts) = model.step(&event);
            facts.sort();
            assert_eq!(
                (status, picture::facts(&state, &effects)),
                (expected, facts),
                "{available:?} {event:?}"
            );
            check_step(&before, &event, (status, &effects), &state).unwrap();
            if model.down {
                (state, model, _) = begin(config);
            }
        }
        assert_eq!(picture::of_state(&state), picture::of_model(&model));
    }
}

#[test]
fn each_lacking_attribute_is_ignored_but_for_inheritance() {
    for available in combinations() {
        let (mut state, ..) = begin(Config {
            available,
            ..Config::default()
        });
        let ask = |key, value| Event::Alloc {
            from: "t0",
            directive: Value::Text("PMIX_ALLOC_NEW"),
            attrs: vec![(key, value)],
        };
        for (key, feature, nonsense) in [
            ("PMIX_ALLOC_TARGET", Feature::Target, Value::Int(1)),
            ("PMIX_ALLOC_SHARE", Feature::Share, Value::Int(1)),
            (
                "PMIX_ALLOC_WARN_TIMEOUT",
                Feature::WarnTimeout,
                Value::Text("soon"),
            ),
        ] {
            let expected = if available.has(feature) {
                Status::BadParam
            } else {
                Status::InProgress
            };
            assert_eq!(
                step(&mut state, &ask(key, nonsense)).0,
                expected,
                "{key} {available:?}"
            );
        }
        let refused = if available.has(Feature::Inheritance) {
            Status::BadParam
        } else {
            Status::NotSupported
        };
        assert_eq!(
            step(
                &mut state,
                &ask("PMIX_ALLOC_INHERITANCE", Value::Bool(true))
            )
            .0,
            refused
        );
        let none = if available.has(Feature::Inheritance) {
            Status::InProgress
        } else {
            Status::NotSupported
        };
        assert_eq!(
            step(
                &mut state,
                &ask("PMIX_ALLOC_INHERITANCE", Value::Text("NONE"))
            )
            .0,
            none
        );
        let default = ask(
            "PMIX_ALLOC_INHERITANCE",
            Value::Text(Inheritance::Default.name()),
        );
        assert_eq!(step(&mut state, &default).0, Status::InProgress);
        let spawn = Event::Spawn {
            from: "t0",
            job: "j",
            target: Value::Text("nothing"),
            hosts: Value::Absent,
        };
        let expected = if available.has(Feature::SpawnTarget) {
            Status::NotFound
        } else {
            Status::Success
        };
        assert_eq!(step(&mut state, &spawn).0, expected, "{available:?}");
        assert_eq!(state.dvm(), Dvm::Up);
    }
}
