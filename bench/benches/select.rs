//! Selects the nodes of a job, by class: in these jobs nearly all the work is choosing nodes. Throughput in nodes.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use stowplan_engine::map::map_resolved;
use stowplan_scale_tests::shapes::{self, Shape};
// For its allocator.
use stowplan_bench as _;

fn select(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("select");
    let shapes: Vec<Shape> = vec![
        shapes::regular("one range", "core:4 pu:1", 1 << 22, 1, "slot"),
        shapes::mpmd("64 apps", 16_384, 64),
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

criterion_group!(benches, select);
criterion_main!(benches);
