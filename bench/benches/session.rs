//! Sessions: events, journals and replays at three sizes.
//!
//! Throughput is in events. After criterion's own groups one line says how the time of an event grows with the tables:
//! the exponent of a power law through the three sizes, 0 when it does not grow.

use criterion::{BatchSize, Criterion, Throughput, criterion_group};
use std::hint::black_box;
use std::io::Write as _;
use std::time::Instant;
use stowplan_bench::session_mix::{Mix, Said, Source, run};
use stowplan_engine::session::{
    By, Frames, Journal, Mode, Payload, ReplayError, State, apply, candidates, judge, payload,
    recover, scan,
};

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const EVENTS: usize = 200_000;

fn journaled(state: &mut State, mix: &Mix, stream: &[Said]) -> Vec<u8> {
    let (initial, start) = (&mix.initial, &mix.state);
    let mut journal = Journal::compact(Vec::new(), initial, start, 0).expect("in memory");
    for (at, said) in stream.iter().enumerate() {
        journal.submit(state, &said.event()).expect("in memory");
        if at % 64 == 63 {
            journal.commit().expect("in memory");
        }
    }
    journal.commit().expect("in memory");
    journal.into_store()
}

fn events(c: &mut Criterion) {
    for source in [Source::Granted, Source::Carved] {
        let mut group = c.benchmark_group(format!("session/{source:?}"));
        group
            .sample_size(10)
            .throughput(Throughput::Elements(EVENTS as u64));
        for size in SIZES {
            let mut mix = Mix::new(size, source);
            let stream = mix.stream(EVENTS);
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

fn borrowed(c: &mut Criterion) {
    let mix = Mix::new(100_000, Source::Granted);
    c.bench_function("session/candidates/100000", |b| {
        b.iter(|| {
            candidates(black_box(&mix.state), By::Scheduler, &[])
                .expect("the default session is always there")
        });
    });
}

/// Nanoseconds this thread was on a core, where the kernel tells; else those that went by.
fn on_core(since: Instant) -> u128 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let first = told
        .as_deref()
        .and_then(|line| line.split_whitespace().next()?.parse().ok());
    first.unwrap_or_else(|| since.elapsed().as_nanos())
}

/// Nanoseconds of an event, the best of some runs, in memory and replayed.
fn nanoseconds(size: usize, source: Source) -> (u128, u128, u128) {
    let mut mix = Mix::new(size, source);
    let stream = mix.stream(EVENTS);
    let events = stream.len() as u128;
    let start = Instant::now();
    let timed = |work: &mut dyn FnMut()| {
        let before = on_core(start);
        work();
        (on_core(start) - before) / events
    };
    let mut best = (u128::MAX, u128::MAX, u128::MAX);
    for _ in 0..5 {
        let mut state = mix.state.clone();
        best.0 = best.0.min(timed(&mut || {
            black_box(run(&mut state, &stream));
        }));
        let mut state = mix.state.clone();
        let mut journal = Journal::begin(Vec::new(), &mix.config, &mix.initial).expect("in memory");
        best.1 = best.1.min(timed(&mut || {
            for said in &stream {
                journal
                    .submit(&mut state, &said.event())
                    .expect("in memory");
            }
        }));
        journal.commit().expect("in memory");
        let bytes = journal.into_store();
        let mut state = mix.state.clone();
        best.2 = best.2.min(timed(&mut || replay(&bytes, &mut state)));
    }
    best
}

/// Replays the event frames of a journal on a state: what `recover` does behind a snapshot.
fn replay(bytes: &[u8], state: &mut State) {
    let found = scan(bytes);
    for frame in Frames::new(bytes, &found).skip(1) {
        if let Ok(Payload::Event(event, status)) = payload(&frame) {
            let judged = judge(state, &event);
            assert_eq!(judged.status(), status);
            black_box(apply(state, judged));
        }
    }
}

/// How the time of an event grows with the tables.
#[expect(
    clippy::float_arithmetic,
    reason = "an exponent for people; nothing is decided by it"
)]
fn growth() {
    for source in [Source::Granted, Source::Carved] {
        let times = SIZES.map(|size| nanoseconds(size, source));
        let decimal = |wide: u128| u32::try_from(wide).map_or(f64::INFINITY, f64::from).log10();
        // Sizes grow by 100 from first to last: the exponent is half the decimal logarithm of the ratio.
        let exponent = (decimal(times[2].0) - decimal(times[0].0)) / 2.0;
        let told = format!(
            "{times:?} ns an event (in memory, journaled, replayed) at {SIZES:?}, exponent {exponent:.3}"
        );
        let _ = writeln!(std::io::stdout(), "session/growth/{source:?}: {told}");
    }
}

criterion_group!(benches, events, borrowed);

fn main() {
    let said = |wanted: &str| std::env::args().any(|word| word == wanted);
    if !said("growth") {
        benches();
        Criterion::default().configure_from_args().final_summary();
    }
    if !said("--test") {
        growth();
    }
}
