//! How many processes go to each node: jobs with few patterns and many counts. Throughput in nodes.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use stowplan_engine::map::map_resolved;
use stowplan_scale_tests::shapes::{self, Shape};
// For its allocator.
use stowplan_bench as _;

fn split(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("split");
    let shapes: Vec<Shape> = vec![
        shapes::regular("even", "core:64 pu:1", 16_384, 64, "node"),
        shapes::named("crumbs", 4).expect("a named shape"),
    ];
    for shape in shapes {
        group.throughput(Throughput::Elements(u64::from(shape.nodes)));
        group.bench_function(&shape.name, |bencher| {
            bencher.iter_batched(
                || (shape.resolved.clone(), shape.machine.clone()),
                |(resolved, machine)| map_resolved(resolved, machine),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, split);
criterion_main!(benches);
