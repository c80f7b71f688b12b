//! Sessions: events, journals and replays at three sizes.
//!
//! Throughput is in events. After criterion's own groups one line says how the time of an event grows with the tables:
//! the exponent of a power law through the three sizes, 0 when it does not grow.

use criterion::{BatchSize, Criterion, Throughput, criterion_group};
use std::hint::black_box;
use std::io::Write as _;
use std::time::Instant;
use stowplan_bench::session_mix::{Mix, Said, Source, run};
use stowplan_engine::session::{By, Journal, Mode, ReplayError, State, candidates, recover};

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

/// Nanoseconds of an event, the best of some runs.
fn nanoseconds(size: usize) -> u128 {
    let mut mix = Mix::new(size, Source::Granted);
    let stream = mix.stream(EVENTS);
    let once = || {
        let mut state = mix.state.clone();
        let start = Instant::now();
        black_box(run(&mut state, &stream));
        start.elapsed().as_nanos() / stream.len() as u128
    };
    (0..5).map(|_| once()).min().expect("some runs")
}

/// How the time of an event grows with the tables.
fn growth() {
    let times = SIZES.map(nanoseconds);
    // Sizes grow by 100 from first to last: the exponent is half the decimal logarithm of the ratio.
    let thousandths = |wide: u128| u32::try_from(wide).map_or(f64::INFINITY, f64::from);
    let exponent = (thousandths(times[2]).log10() - thousandths(times[0]).log10()).midpoint(0.0);
    let _ = writeln!(
        std::io::stdout(),
        "session/growth: {times:?} ns an event at {SIZES:?}, exponent {exponent:.3}"
    );
}

criterion_group!(benches, events, borrowed);

fn main() {
    let smoke = std::env::args().any(|word| word == "--test");
    benches();
    Criterion::default().configure_from_args().final_summary();
    if !smoke {
        growth();
    }
}
