//! Expands a plan into the explicit table, beside a copy of as many bytes. Throughput in bytes.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use stowplan_engine::map::map_resolved;
use stowplan_scale_tests::shapes::titled;

fn expand(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("expand");
    group.sample_size(20);
    for name in [
        "elcap-1M",
        "frontier-gpu-79k",
        "mpmd-64apps",
        "hetero-worst",
        "hetero-worst core/node",
        "hetero-worst numa/span",
        "crumbs",
        "crumbs numa/node",
        "apps-10k-mixed",
    ] {
        let Some(plan) = titled(name, 1)
            .and_then(|shape| map_resolved(shape.resolved, shape.machine).ok())
            .map(|mapped| mapped.plan)
        else {
            continue;
        };
        let mut table = plan.expand();
        group.throughput(Throughput::Bytes(table.bytes() as u64));
        group.bench_function(format!("table/{name}"), |bencher| {
            bencher.iter(|| plan.expand_into(black_box(&mut table)));
        });
        let from = vec![1_u8; table.bytes()];
        let mut to = vec![0_u8; table.bytes()];
        group.bench_function(format!("memcpy/{name}"), |bencher| {
            bencher.iter(|| black_box(&mut to).copy_from_slice(black_box(&from)));
        });
    }
    group.finish();
}

criterion_group!(benches, expand);
criterion_main!(benches);
