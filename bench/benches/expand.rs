//! The explicit table, beside a copy of as many bytes and the least that one can take. Throughput in bytes.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use stowplan_bench::floor::Floor;
use stowplan_engine::map::map_resolved;
use stowplan_engine::plan::expand::{ExpandScratch, ProcTable};
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
        let (mut table, mut scratch) = (ProcTable::default(), ExpandScratch::default());
        plan.expand_into(&mut table, &mut scratch);
        group.throughput(Throughput::Bytes(table.bytes() as u64));
        group.bench_function(format!("table/{name}"), |bencher| {
            bencher.iter(|| plan.expand_into(black_box(&mut table), &mut scratch));
        });
        let from = vec![1_u8; table.bytes()];
        let mut to = vec![0_u8; table.bytes()];
        group.bench_function(format!("memcpy/{name}"), |bencher| {
            bencher.iter(|| black_box(&mut to).copy_from_slice(black_box(&from)));
        });
    }
    // Beside `table/hetero-worst core/node` and `table/crumbs numa/node`: as many nodes, as many ranks or nearly so.
    let floors = [
        ("equal", Floor::equal(16_384, 64)),
        ("unequal", Floor::unequal(16_384, 64)),
    ];
    for (name, mut floor) in floors {
        group.throughput(Throughput::Bytes(floor.bytes() as u64));
        group.bench_function(format!("floor/{name}"), |bencher| {
            bencher.iter(|| black_box(&mut floor).write());
        });
    }
    group.finish();
}

criterion_group!(benches, expand);
criterion_main!(benches);
