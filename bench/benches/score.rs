//! What scoring and advice take: a million ranks, a 3-D halo, all levels.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use stowplan_engine::plan::Plan;
use stowplan_engine::stage::resolve::NoFiles;
use stowplan_job::args::map_args;
use stowplan_job::outside::FilesAlone;
use stowplan_job::place::place;
use stowplan_score::advise::{Policy, Reorder, advise};
use stowplan_score::pattern::Part;
use stowplan_score::score::{NoMatrices, score};

/// 2^20 ranks on nodes of 128 cores.
fn million() -> Option<Plan> {
    let words = [
        "--topo",
        "package:2 numa:4 l3cache:4 core:4 pu:1",
        "-H",
        "n[0-8191]:128",
        "-n",
        "1048576",
        "--map-by",
        "slot",
        "--bind-to",
        "core",
    ];
    let asked = map_args(&words.map(str::to_owned)).ok()?;
    Some(place(asked, &FilesAlone(&NoFiles)).ok()?.mapped.plan)
}

fn scores(criterion: &mut Criterion) {
    let (Some(plan), Ok(part)) = (million(), Part::read("halo:128x128x64")) else {
        return;
    };
    let parts = [part];
    let mut group = criterion.benchmark_group("score");
    group.sample_size(20);
    group.bench_function("halo 3-D, 2^20 ranks, all levels", |bencher| {
        bencher.iter(|| black_box(score(&plan, &parts, &NoMatrices)));
    });
    group.sample_size(10);
    let policies = [Policy {
        plan,
        reorder: Reorder::Yes,
    }];
    group.bench_function("advice on 2^20 ranks", |bencher| {
        bencher
            .iter(|| black_box(advise(&policies, &parts, &NoMatrices).map(|advice| advice.tried)));
    });
}

criterion_group!(benches, scores);
criterion_main!(benches);
