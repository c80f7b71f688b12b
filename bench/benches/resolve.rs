//! From a request to resolved apps, with every default decided.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use stowplan_scale_tests::job::{App, Job};
// For its allocator.
use stowplan_bench as _;

fn resolve(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("resolve");
    for apps in [1_u32, 64, 10_000] {
        let job = Job {
            apps: (0..apps)
                .map(|app| App {
                    hosts: (app == 0).then(|| "n[0-16383]:64".to_owned()),
                    np: Some(100),
                    map: Some("core".to_owned()),
                    ..App::default()
                })
                .collect(),
            ..Job::default()
        };
        group.throughput(Throughput::Elements(u64::from(apps)));
        group.bench_function(format!("{apps} apps"), |bencher| {
            bencher.iter(|| black_box(&job).resolve());
        });
    }
    group.finish();
}

criterion_group!(benches, resolve);
criterion_main!(benches);
