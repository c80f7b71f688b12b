//! Sessions: events, journals and replays at three sizes.
//!
//! Throughput is in events. `-- growth` prints a table instead. It shows how the time of an event grows with the tables: the
//! exponent of a power law through the three sizes, which is 0 when the time does not grow. Further words choose rows: `-- growth
//! carved 100000 replay`.

mod session_growth;

use criterion::{BatchSize, Criterion, Throughput, criterion_group};
use std::hint::black_box;
use stowplan_bench::session_mix::{Mix, Source, events, run, written};
use stowplan_session::{
    Config, Event, EventValue, Initial, Journal, Mode, Name, ReplayError, SpawnedBy, State,
    candidates, recover, step,
};

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const EVENTS: usize = 200_000;

fn journaled(state: &mut State, mix: &Mix, events: &[Event<'_>]) -> Vec<u8> {
    let (initial, start) = (&mix.initial, &mix.state);
    let mut journal = Journal::compact(Vec::new(), initial, start, 0).expect("in memory");
    for batch in events.chunks(64) {
        for event in batch {
            journal.submit(state, event).expect("in memory");
        }
        journal.commit().expect("in memory");
    }
    journal.into_store()
}

fn mixes(c: &mut Criterion) {
    for source in [Source::Granted, Source::Carved] {
        let mut group = c.benchmark_group(format!("session/{source:?}"));
        group
            .sample_size(10)
            .throughput(Throughput::Elements(EVENTS as u64));
        for size in SIZES {
            let mut mix = Mix::new(size, source);
            let said = mix.stream(EVENTS);
            let bytes = written(&mix, &said);
            let stream = events(&bytes);
            let copy = || mix.state.clone();
            group.bench_function(format!("events/{size}"), |b| {
                b.iter_batched(
                    copy,
                    |mut state| (run(&mut state, &stream), state),
                    BatchSize::PerIteration,
                );
            });
            group.bench_function(format!("journaled/{size}"), |b| {
                b.iter_batched(
                    copy,
                    |mut state| journaled(&mut state, &mix, &stream),
                    BatchSize::PerIteration,
                );
            });
            let bytes = journaled(&mut mix.state.clone(), &mix, &stream);
            group.bench_function(format!("replay/{size}"), |b| {
                b.iter(|| {
                    recover::<ReplayError>(&bytes, Mode::Fast, |_, _, _| Ok(()))
                        .expect("just written")
                        .events
                });
            });
        }
    }
}

/// Single events that touch much or little, at three sizes.
fn single(c: &mut Criterion) {
    for size in SIZES {
        let mix = Mix::new(size, Source::Carved);
        let mut group = c.benchmark_group(format!("session/single/{size}"));
        group.bench_function("candidates", |b| {
            b.iter(|| {
                candidates(black_box(&mix.state), SpawnedBy::Scheduler, &[])
                    .expect("the default session is always there")
            });
        });
        let mut state = mix.state.clone();
        // A node of a reservation that has no job: nobody is killed.
        let node = "node000003";
        let all: Vec<&str> = mix.initial.nodes.iter().map(Name::as_str).collect();
        all_nodes(&mut group, &all);
        group.bench_function("node_down_and_up", |b| {
            b.iter(|| {
                step(&mut state, &Event::NodeDown { node });
                step(&mut state, &Event::NodeUp { node })
            });
        });
        group.finish();
    }
}

/// A reservation of all nodes, granted and released: with startup nodes, or with nodes that join.
fn all_nodes<M: criterion::measurement::Measurement>(
    group: &mut criterion::BenchmarkGroup<'_, M>,
    all: &[&str],
) {
    let initial = |nodes: &[&str]| Initial {
        nodes: nodes.iter().map(|name| Name::new(name)).collect(),
        tools: vec!["t".into()],
        scheduler: Some("s".into()),
    };
    let new = Event::Alloc {
        from: "t",
        directive: EventValue::Text("PMIX_ALLOC_NEW"),
        attrs: Vec::new(),
    };
    let grant = Event::Grant {
        req: 1,
        nodes: EventValue::Texts(all.to_vec()),
        alloc_id: EventValue::Text("all"),
    };
    let release = Event::Alloc {
        from: "t",
        directive: EventValue::Text("PMIX_ALLOC_RELEASE"),
        attrs: vec![("PMIX_ALLOC_ID", EventValue::Text("all"))],
    };
    for (kind, startup) in [("carve", all), ("join", &["other"][..])] {
        let mut asked = State::new(Config::default(), &initial(startup)).expect("well-formed");
        step(&mut asked, &new);
        let mut held = asked.clone();
        step(&mut held, &grant);
        for (what, from, event) in [("grant", &asked, &grant), ("release", &held, &release)] {
            group.bench_function(format!("{kind}_all/{what}"), |b| {
                b.iter_batched_ref(
                    || from.clone(),
                    |state| step(state, event),
                    BatchSize::PerIteration,
                );
            });
        }
    }
}

criterion_group!(benches, mixes, single);

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "growth") {
        return session_growth::tell(&words);
    }
    benches();
    Criterion::default().configure_from_args().final_summary();
}
