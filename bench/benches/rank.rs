//! Questions to a plan: where a rank is, which rank has a place, what is on a node.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use stowplan_bench::lines::Lines;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::map::map_resolved;
use stowplan_engine::table::names::NodeId;
use stowplan_scale_tests::shapes::titled;

fn rank(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rank");
    group.throughput(Throughput::Elements(1));
    for name in [
        "elcap-1M",
        "mpmd-64apps",
        "apps-10k-mixed",
        "hetero-worst",
        "hetero-worst core/node",
        "hetero-worst numa/span",
        "crumbs",
        "crumbs numa/node",
        "crumbs numa/span",
    ] {
        let Some(plan) = titled(name, 1)
            .and_then(|shape| map_resolved(shape.resolved, shape.machine).ok())
            .map(|mapped| mapped.plan)
        else {
            continue;
        };
        let mut at = 0_u32;
        let mut next = |below: u32| {
            at = at.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            (at >> 3) % below.max(1)
        };
        let (ranks, nodes) = (plan.ranks(), plan.world().names.len());
        group.bench_function(format!("place/{name}"), |bencher| {
            bencher.iter(|| black_box(plan.place(Rank(next(ranks)))));
        });
        group.bench_function(format!("view/{name}"), |bencher| {
            bencher
                .iter(|| black_box(plan.on_node(NodeId::from_row(next(nodes) as usize)).count()));
        });
    }
    // For comparison with `place/hetero-worst`: its places take eight megabytes, and no earlier question has read the line that a
    // question needs.
    for lines in [1 << 15, 1 << 17] {
        let mut lines_read = Lines::new(lines);
        group.bench_function(format!("line/{} MB", lines / (1 << 14)), |bencher| {
            bencher.iter(|| black_box(lines_read.step()));
        });
    }
    group.finish();
}

criterion_group!(benches, rank);
criterion_main!(benches);
