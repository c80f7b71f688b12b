//! How long it takes to explain and to compare plans of a million ranks.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use stowplan::answers::diff::diff;
use stowplan::answers::explain::explain;
use stowplan::answers::explain::instead::Alternatives;
use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan_engine::count::Rank;
use stowplan_engine::plan::Plan;
use stowplan_engine::stage::resolve::NoFiles;

/// Words that place 2^20 ranks, with a name: regular, in rounds, in an order given by the user.
const JOBS: [(&str, &str); 4] = [
    ("slot", "--map-by slot"),
    ("node", "--map-by node --rank-by node"),
    ("span", "--map-by package --rank-by span"),
    ("k-d tree", "--map-by slot --rank-order kdtree:128x128x64"),
];

fn placed(more: &str) -> Option<Plan> {
    let topo = "package:2 numa:4 l3cache:4 core:4 pu:1";
    let words = [
        "--topo",
        topo,
        "-H",
        "n[0-8191]:128",
        "-n",
        "1048576",
        "--bind-to",
        "core",
    ];
    let words = words.into_iter().chain(more.split(' '));
    let words: Vec<String> = words.map(str::to_owned).collect();
    let asked = map_args(&words).ok()?;
    Some(place(asked, &FilesAlone(&NoFiles)).ok()?.mapped.plan)
}

fn answers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("answers");
    group.sample_size(10);
    let plans: Vec<(&str, Plan)> = JOBS
        .iter()
        .filter_map(|(name, more)| Some((*name, placed(more)?)))
        .collect();
    for (name, plan) in &plans {
        group.bench_function(format!("explain a rank of 2^20 by {name}"), |bencher| {
            bencher.iter(|| {
                let others = Alternatives::of_plan(plan);
                black_box(explain(plan, Rank(777_777), &others))
            });
        });
        let others = plans.iter().filter(|(other, _)| other != name);
        for (other, there) in others {
            let name = format!("compare 2^20 ranks by {name} and by {other}");
            group.bench_function(name, |bencher| {
                bencher.iter(|| black_box(diff(plan, there)));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, answers);
criterion_main!(benches);
