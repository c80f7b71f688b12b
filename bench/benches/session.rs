//! Sessions: events, journals and replays at three sizes.
//!
//! Throughput is in events. `-- growth` prints a table instead, with how the time of an event grows with the tables: the
//! exponent of a power law through the three sizes, 0 when it does not grow. Words behind it choose rows:
//! `-- growth carved 100000 replay`.

mod session_growth;

use criterion::{BatchSize, Criterion, Throughput, criterion_group};
use std::hint::black_box;
use stowplan_bench::session_mix::{Mix, Source, events, run};
use stowplan_engine::session::{
    By, Effects, Event, Journal, Mode, ReplayError, State, candidates, recover, step_into,
};

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const EVENTS: usize = 200_000;

fn journaled(state: &mut State, mix: &Mix, events: &[Event<'_>]) -> Vec<u8> {
    let (initial, start) = (&mix.initial, &mix.state);
    let mut journal = Journal::compact(Vec::new(), initial, start, 0).expect("in memory");
    let mut effects = Effects::default();
    for batch in events.chunks(64) {
        for event in batch {
            journal
                .submit_into(state, event, &mut effects)
                .expect("in memory");
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
            let stream = mix.stream(EVENTS);
            let stream = events(&stream);
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
                candidates(black_box(&mix.state), By::Scheduler, &[])
                    .expect("the default session is always there")
            });
        });
        let mut state = mix.state.clone();
        let mut effects = Effects::default();
        // A node of a reservation that no job is in: nobody is killed.
        let node = "node000003";
        group.bench_function("node_down_and_up", |b| {
            b.iter(|| {
                step_into(&mut state, &Event::NodeDown { node }, &mut effects);
                step_into(&mut state, &Event::NodeUp { node }, &mut effects)
            });
        });
        group.finish();
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
