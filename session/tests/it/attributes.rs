//! All 32 combinations of the five attributes that a PMIx may lack (S-76 … S-81, S-88, A-30).

use super::generate::Generator;
use super::picture;
use super::random::begin;
use stowplan_session::{
    Config, Dvm, Event, EventValue, FEATURES, Feature, Features, Inheritance, Status, check_step,
    step,
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
            check_step(&before, &event, status, &effects, &state).unwrap();
            if model.down {
                (state, model, _) = begin(config);
            }
        }
        assert_eq!(state.dump(), picture::of_model(&model));
    }
}

/// A NEW with one attribute.
fn ask(key: &'static str, value: EventValue<'static>) -> Event<'static> {
    let directive = EventValue::Text("PMIX_ALLOC_NEW");
    let attrs = vec![(key, value)];
    Event::Alloc {
        from: "t0",
        directive,
        attrs,
    }
}

#[test]
fn each_lacking_attribute_is_ignored_but_for_inheritance() {
    for available in combinations() {
        let (mut state, ..) = begin(Config {
            available,
            ..Config::default()
        });
        let either = |feature, there, lacking| {
            if available.has(feature) {
                there
            } else {
                lacking
            }
        };
        for (key, feature, nonsense) in [
            ("PMIX_ALLOC_TARGET", Feature::Target, EventValue::Int(1)),
            ("PMIX_ALLOC_SHARE", Feature::Share, EventValue::Int(1)),
            (
                "PMIX_ALLOC_WARN_TIMEOUT",
                Feature::WarnTimeout,
                EventValue::Text("soon"),
            ),
        ] {
            let expected = either(feature, Status::BadParam, Status::InProgress);
            assert_eq!(
                step(&mut state, &ask(key, nonsense)).0,
                expected,
                "{key} {available:?}"
            );
        }
        let feature = Feature::Inheritance;
        let key = "PMIX_ALLOC_INHERITANCE";
        for (value, there, lacking) in [
            (
                EventValue::Bool(true),
                Status::BadParam,
                Status::NotSupported,
            ),
            (
                EventValue::Text("NONE"),
                Status::InProgress,
                Status::NotSupported,
            ),
            (
                EventValue::Text(Inheritance::Default.name()),
                Status::InProgress,
                Status::InProgress,
            ),
        ] {
            let status = step(&mut state, &ask(key, value)).0;
            assert_eq!(status, either(feature, there, lacking), "{available:?}");
        }
        let target = EventValue::Text("nothing");
        let spawn = Event::Spawn {
            from: "t0",
            job: "j",
            target,
            hosts: EventValue::Absent,
        };
        let expected = either(Feature::SpawnTarget, Status::NotFound, Status::Success);
        assert_eq!(step(&mut state, &spawn).0, expected, "{available:?}");
        assert_eq!(state.dvm(), Dvm::Up);
    }
}
