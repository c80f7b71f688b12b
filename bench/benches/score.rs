//! How long scoring and advice take: a million ranks, a 3-D halo or a matrix, all levels.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::io::{BufRead, Write as _};
use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan::score::advise::{Policy, Reorder, advise};
use stowplan::score::figures::{Matrices, NoMatrices, score};
use stowplan::score::matrix::Matrix;
use stowplan::score::pattern::Part;
use stowplan::score::weight::Weight;
use stowplan_engine::plan::Plan;
use stowplan_engine::stage::resolve::NoFiles;

/// 2^20 ranks, placed with these further words.
fn million(more: &[&str]) -> Option<Plan> {
    placed(1 << 20, more)
}

/// Ranks on nodes of 128 cores, placed with these further words.
fn placed(ranks: u32, more: &[&str]) -> Option<Plan> {
    let hosts = format!("n[0-{}]:128", ranks / 128 - 1);
    let ranks = ranks.to_string();
    let words = [
        "--topo",
        "package:2 numa:4 l3cache:4 core:4 pu:1",
        "-H",
        &hosts,
        "-n",
        &ranks,
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

/// Patterns of 2^20 ranks.
const PATTERNS: [&str; 3] = [
    "halo:128x128x64",
    "halo:128x128x64:periodic",
    "halo:128x128x64:box",
];

fn scores(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("score");
    group.sample_size(20);
    // Regular; periodic in rounds; in a given order; in an order that must be walked rank by rank.
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
        for pattern in PATTERNS {
            let Ok(part) = Part::read(pattern) else {
                continue;
            };
            let parts = [part];
            group.bench_function(format!("{pattern} {name}, all levels"), |bencher| {
                bencher.iter(|| black_box(score(&plan, &parts, &NoMatrices)));
            });
        }
    }
    group.finish();
}

/// Entries of the matrix that is streamed.
const ENTRIES: u32 = 1_000_000;

/// A matrix of lines, in memory.
struct Written(Vec<u8>);

impl Matrices for Written {
    fn open(&self, _: &str) -> Result<Box<dyn BufRead + Send + '_>, String> {
        Ok(Box::new(&self.0[..]))
    }
}

/// The order of the senders in neighbouring entries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Senders {
    /// Sorted by sender, as profilers write them.
    InTurn,
    /// Random.
    Mixed,
}

/// Entries between this many ranks.
fn entries(ranks: u32, senders: Senders) -> Vec<u8> {
    let mut text = Vec::new();
    for entry in 0..ENTRIES {
        let mixed = entry.wrapping_mul(2_654_435_761) >> 8;
        let from = if senders == Senders::InTurn {
            u64::from(entry) * u64::from(ranks) / u64::from(ENTRIES)
        } else {
            u64::from(mixed.wrapping_mul(40_503) % ranks)
        };
        let _ = writeln!(text, "{from},{},{}", mixed % ranks, entry % 8192);
    }
    text
}

/// Parsing alone beside parsing and counting, in one run: the ratio shows the cost of counting.
fn matrices(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("matrix");
    group.sample_size(10);
    group.throughput(Throughput::Elements(u64::from(ENTRIES)));
    for (ranks, senders) in [
        (1 << 12, Senders::InTurn),
        (1 << 16, Senders::InTurn),
        (1 << 20, Senders::InTurn),
        (1 << 20, Senders::Mixed),
    ] {
        let order = match senders {
            Senders::InTurn => "senders in turn",
            Senders::Mixed => "no order",
        };
        let name = format!("10^6 entries, {ranks} ranks, {order}");
        let (Some(plan), Ok(part)) = (placed(ranks, &["--map-by", "slot"]), Part::read("file:m"))
        else {
            return;
        };
        let (parts, matrix) = ([part], Written(entries(ranks, senders)));
        group.bench_function(format!("{name}: parsing alone"), |bencher| {
            bencher.iter(|| {
                let mut sum = Weight::default();
                let text = Box::new(&matrix.0[..]);
                let read = Matrix::open("file:m", ranks, text);
                let end = read.and_then(|read| read.each(&mut |entry| sum += entry.weight));
                black_box((sum, end))
            });
        });
        group.bench_function(format!("{name}: all levels"), |bencher| {
            bencher.iter(|| black_box(score(&plan, &parts, &matrix)));
        });
    }
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
    let on = None;
    let policies = [Policy { plan, reorder, on }];
    group.bench_function("some 170 orders of 2^20 ranks", |bencher| {
        bencher
            .iter(|| black_box(advise(&policies, &parts, &NoMatrices).map(|advice| advice.tried)));
    });
    group.finish();
}

criterion_group!(benches, scores, matrices, advice);
criterion_main!(benches);
