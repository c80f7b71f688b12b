//! From a resolved job to its plan, on the named shapes. Throughput in ranks.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use stowplan_engine::map::map_resolved;
use stowplan_scale_tests::shapes::{NAMES, named};
// For its allocator.
use stowplan_bench as _;

fn whole(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("whole");
    group.sample_size(10);
    for shape in NAMES.iter().filter_map(|name| named(name, 1)) {
        let (resolved, machine) = (shape.resolved.clone(), shape.machine.clone());
        let Ok(mapped) = map_resolved(resolved, machine) else {
            continue;
        };
        group.throughput(Throughput::Elements(u64::from(mapped.plan.ranks())));
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

criterion_group!(benches, whole);
criterion_main!(benches);
