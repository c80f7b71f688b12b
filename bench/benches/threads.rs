//! One thread beside two, around the sizes at which work starts to be shared. The thresholds are chosen from these numbers.
//! Throughput in nodes or apps.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use stowplan_engine::map::map_resolved;
use stowplan_scale_tests::shapes::{Shape, apart, apart_torn, named};
// For its allocator.
use stowplan_bench as _;

/// The largest number of distinct nodes and apps that is measured, and how often it is halved.
const MOST: u32 = 4096;
const HALVED: u32 = 8;

fn sized(criterion: &mut Criterion, what: &str, shape: impl Fn(u32) -> Option<Shape>) {
    let mut group = criterion.benchmark_group(format!("threads/{what}"));
    group.sample_size(20);
    let sizes = (0..HALVED).rev().map(|halved| MOST >> halved);
    for (size, shape) in sizes.filter_map(|size| Some((size, shape(size)?))) {
        group.throughput(Throughput::Elements(u64::from(size)));
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let Ok(pool) = pool else { continue };
            group.bench_function(format!("{size}/{threads}"), |bencher| {
                bencher.iter_batched(
                    || (shape.resolved.clone(), shape.machine.clone()),
                    |(resolved, machine)| pool.install(|| map_resolved(resolved, machine)),
                    BatchSize::LargeInput,
                );
            });
        }
    }
    group.finish();
}

fn threads(criterion: &mut Criterion) {
    sized(criterion, "distinct-nodes", |nodes| {
        named("hetero-worst", 16_384 / nodes)
    });
    sized(criterion, "apps", |apps| Some(apart("apart", apps)));
    sized(criterion, "apps-on-distinct-nodes", |apps| {
        Some(apart_torn("apart, torn", apps))
    });
}

criterion_group!(benches, threads);
criterion_main!(benches);
