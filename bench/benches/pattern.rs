//! Objects and cpus of each process of a node: jobs with few nodes and large patterns. Throughput in nodes.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use stowplan_engine::map::map_resolved;
use stowplan_scale_tests::shapes::{self, Shape};
// For its allocator.
use stowplan_bench as _;

fn pattern(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pattern");
    let shapes: Vec<Shape> = vec![
        shapes::regular("4,096 cores", "package:8 core:512 pu:1", 2, 4096, "core"),
        shapes::regular("l3cache of 176", "builtin:hbv4", 2, 176, "l3cache"),
        shapes::named("hetero-worst", 16).expect("a named shape"),
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

criterion_group!(benches, pattern);
criterion_main!(benches);
