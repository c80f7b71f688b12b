//! Words to a request: host lists and directives.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::fmt::Write as _;
use std::hint::black_box;
use stowplan_engine::text::hostlist::read_hosts;
// For its allocator.
use stowplan_bench as _;

fn parse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    let mut written = String::new();
    for node in 0..16_384 {
        let comma = if node == 0 { "" } else { "," };
        write!(written, "{comma}node{node:05}:{}", node % 64 + 1)
            .expect("a String takes every character");
    }
    for (name, text) in [
        ("range of 4M names", "n[0-4194303]:256"),
        ("16,384 names", &written),
    ] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| bencher.iter(|| read_hosts(black_box(text))));
    }
    group.finish();
}

criterion_group!(benches, parse);
criterion_main!(benches);
