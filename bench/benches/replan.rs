//! A plan after one of 16,384 nodes is lost, beside a first plan of the same job. The nodes are equal, or no two of them are alike.
//! Throughput in nodes.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use stowplan_engine::map::map_resolved;
use stowplan_engine::planner::Planner;
use stowplan_scale_tests::shapes::{named, regular};
// And its allocator.
use stowplan_bench::measure::with_room;

fn replan(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("replan");
    group.sample_size(10);
    let equal = regular(
        "equal-1M",
        "package:2 numa:2 l3:2 core:8 pu:1",
        16_384,
        64,
        "core",
    );
    for shape in [Some(equal), named("hetero-worst", 1)]
        .into_iter()
        .flatten()
    {
        let shape = with_room(shape);
        group.throughput(Throughput::Elements(u64::from(shape.nodes)));
        group.bench_function(format!("{}/first", shape.name), |bencher| {
            bencher.iter_batched(
                || (shape.resolved.clone(), shape.machine.clone()),
                |(resolved, machine)| map_resolved(resolved, machine),
                BatchSize::PerIteration,
            );
        });
        let Ok(mut planner) = Planner::new(shape.resolved.clone(), shape.machine.clone()) else {
            continue;
        };
        if planner.plan().is_err() {
            continue;
        }
        group.bench_function(format!("{}/again", shape.name), |bencher| {
            bencher.iter(|| planner.plan().map(|mapped| mapped.plan.ranks()));
        });
        group.bench_function(format!("{}/one-lost", shape.name), |bencher| {
            bencher.iter_batched(
                || planner.clone(),
                |mut planner| {
                    let lost = planner.lose("n77").is_ok();
                    let ranks = planner.plan().map(|mapped| mapped.plan.ranks());
                    (planner, lost, ranks)
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, replan);
criterion_main!(benches);
