//! What scoring and advice take: a million ranks, a 3-D halo or a matrix, all levels.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::io::{BufRead, Write as _};
use stowplan_engine::plan::Plan;
use stowplan_engine::stage::resolve::NoFiles;
use stowplan_job::args::map_args;
use stowplan_job::outside::FilesAlone;
use stowplan_job::place::place;
use stowplan_score::advise::{Policy, Reorder, advise};
use stowplan_score::pattern::Part;
use stowplan_score::score::{Matrices, NoMatrices, score};

/// 2^20 ranks on nodes of 128 cores, with such words more.
fn million(more: &[&str]) -> Option<Plan> {
    let words = [
        "--topo",
        "package:2 numa:4 l3cache:4 core:4 pu:1",
        "-H",
        "n[0-8191]:128",
        "-n",
        "1048576",
        "--bind-to",
        "core",
    ];
    let words: Vec<String> = words
        .iter()
        .chain(more)
        .map(|word| (*word).to_owned())
        .collect();
    let asked = map_args(&words).ok()?;
    Some(place(asked, &FilesAlone(&NoFiles)).ok()?.mapped.plan)
}

fn scores(criterion: &mut Criterion) {
    let Ok(part) = Part::read("halo:128x128x64") else {
        return;
    };
    let parts = [part];
    let mut group = criterion.benchmark_group("score");
    group.sample_size(20);
    // Regular; periodic in rounds; as an order has it; one that is walked rank by rank.
    for (name, more) in [
        ("by slot", &["--map-by", "slot"][..]),
        ("by node", &["--map-by", "node", "--rank-by", "node"]),
        ("by span", &["--map-by", "package", "--rank-by", "span"]),
        (
            "by cells",
            &["--map-by", "slot", "--rank-order", "cells:128x128x64:4x4x8"],
        ),
        (
            "by k-d tree",
            &["--map-by", "slot", "--rank-order", "kdtree:128x128x64"],
        ),
    ] {
        let Some(plan) = million(more) else {
            continue;
        };
        let name = format!("halo 3-D, 2^20 ranks {name}, all levels");
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(score(&plan, &parts, &NoMatrices)));
        });
    }
    group.finish();
}

/// Entries of the matrix that is streamed.
const ENTRIES: u32 = 1_000_000;

/// A matrix of lines, in memory.
struct Written(Vec<u8>);

impl Matrices for Written {
    fn open(&self, _: &str) -> Result<Box<dyn BufRead + '_>, String> {
        Ok(Box::new(&self.0[..]))
    }
}

fn matrices(criterion: &mut Criterion) {
    let (Some(plan), Ok(part)) = (million(&["--map-by", "slot"]), Part::read("file:m")) else {
        return;
    };
    let mut text = Vec::new();
    for entry in 0..ENTRIES {
        let (from, to) = (entry.wrapping_mul(2_654_435_761) >> 12, entry & 0xf_ffff);
        let _ = writeln!(text, "{from},{to},{}", entry % 8192);
    }
    let mut group = criterion.benchmark_group("matrix");
    group.sample_size(10);
    group.throughput(Throughput::Elements(u64::from(ENTRIES)));
    let (parts, matrix) = ([part], Written(text));
    group.bench_function("10^6 entries, 2^20 ranks, all levels", |bencher| {
        bencher.iter(|| black_box(score(&plan, &parts, &matrix)));
    });
    group.finish();
}

fn advice(criterion: &mut Criterion) {
    let (Some(plan), Ok(part)) = (
        million(&["--map-by", "slot"]),
        Part::read("halo:128x128x64"),
    ) else {
        return;
    };
    let mut group = criterion.benchmark_group("advise");
    group.sample_size(10);
    let (parts, reorder) = ([part], Reorder::Yes);
    let policies = [Policy { plan, reorder }];
    group.bench_function("some 170 orders of 2^20 ranks", |bencher| {
        bencher
            .iter(|| black_box(advise(&policies, &parts, &NoMatrices).map(|advice| advice.tried)));
    });
    group.finish();
}

criterion_group!(benches, scores, matrices, advice);
criterion_main!(benches);
