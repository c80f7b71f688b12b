//! How long networks take: reading Slurm's file, scores by level, advice; each beside the same without a network.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;
use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan::score::advise::on_network::{By, advise_on};
use stowplan::score::advise::{Nodes, Policy, Reorder, advise};
use stowplan::score::figures::{NoMatrices, score, score_on};
use stowplan::score::network::{Asked, Network, OnNetwork, read};
use stowplan::score::pattern::Part;
use stowplan_engine::plan::Plan;
use stowplan_engine::stage::resolve::NoFiles;

/// 160,000 nodes below 5,000 leaves of 32, 100 of them below a switch.
fn topology_conf() -> String {
    let mut text = String::new();
    for leaf in 0..5000 {
        let first = leaf * 32;
        let _ = writeln!(
            text,
            "SwitchName=l{leaf} Nodes=n[{first:06}-{:06}]",
            first + 31
        );
    }
    for spine in 0..50 {
        let first = spine * 100;
        let _ = writeln!(
            text,
            "SwitchName=s{spine} Switches=l[{first}-{}]",
            first + 99
        );
    }
    text.push_str("SwitchName=root Switches=s[0-49]\n");
    text
}

fn network(text: &str, file: &str) -> Option<Network> {
    let asked = Asked {
        text: text.to_owned(),
        levels: None,
    };
    read(&asked, None, &|_| Ok(file.as_bytes().to_vec())).ok()
}

/// 2^20 ranks on 16,384 nodes of 64.
fn million(more: &[&str]) -> Option<Plan> {
    let words = [
        "--topo",
        "core:64 pu:1",
        "-H",
        "n[0-16383]:64",
        "-n",
        "1048576",
        "--map-by",
        "slot",
    ];
    let words = words.iter().chain(more).map(|word| (*word).to_owned());
    let asked = map_args(&words.collect::<Vec<String>>()).ok()?;
    Some(place(asked, &FilesAlone(&NoFiles)).ok()?.mapped.plan)
}

fn reading(criterion: &mut Criterion) {
    let text = topology_conf();
    let mut group = criterion.benchmark_group("network");
    group.sample_size(20);
    group.bench_function("160,000 nodes of topology.conf", |bencher| {
        bencher.iter(|| black_box(network("net", &text)));
    });
    group.bench_function("the bytes alone, copied", |bencher| {
        bencher.iter(|| black_box(text.as_bytes().to_vec()));
    });
    group.finish();
}

/// Three levels above 16,384 nodes.
const TREE: &str = "tree pod:4 group:2 switch:16 node:128 n[0-16383]";

/// The place of each rank, far from its neighbours' places.
fn anywhere() -> Vec<u32> {
    let place = |rank: u64| (rank * 710_647 + 12_345) % (1 << 20);
    (0..1 << 20)
        .map(|rank| u32::try_from(place(rank)).unwrap_or(0))
        .collect()
}

fn scores(criterion: &mut Criterion) {
    let (Some(network), Ok(part)) = (network(TREE, ""), Part::read("halo:128x128x64")) else {
        return;
    };
    let (network, parts) = (Arc::new(network), [part]);
    let mut group = criterion.benchmark_group("score of 2^20 ranks on a network");
    group.sample_size(20);
    let kdtree = million(&["--rank-order", "kdtree:128x128x64"]);
    let random = million(&[]).and_then(|plan| plan.reordered(&anywhere()).ok());
    for (name, plan) in [
        ("by slot", million(&[])),
        ("in the order of a k-d tree", kdtree),
        ("in any order", random),
    ] {
        let Some(plan) = plan else {
            continue;
        };
        let Ok(on) = OnNetwork::of(Arc::clone(&network), &plan.world().names) else {
            continue;
        };
        group.bench_function(BenchmarkId::new(name, "node alone"), |bencher| {
            bencher.iter(|| black_box(score(&plan, &parts, &NoMatrices)));
        });
        group.bench_function(BenchmarkId::new(name, "three levels above"), |bencher| {
            bencher.iter(|| black_box(score_on(&plan, &parts, &NoMatrices, Some(&on))));
        });
    }
    group.finish();
}

fn advice(criterion: &mut Criterion) {
    let (Some(network), Some(plan)) = (network(TREE, ""), million(&[])) else {
        return;
    };
    let (Ok(part), Ok(on)) = (
        Part::read("halo:128x128x64"),
        OnNetwork::of(Arc::new(network), &plan.world().names),
    ) else {
        return;
    };
    let (parts, reorder) = ([part], Reorder::Yes);
    let on = Some((Arc::new(on), Nodes::Asked));
    let policies = [Policy { plan, reorder, on }];
    let mut group = criterion.benchmark_group("advice for 2^20 ranks on a network");
    group.sample_size(10);
    group.bench_function("node alone", |bencher| {
        bencher.iter(|| black_box(advise(&policies, &parts, &NoMatrices).map(|own| own.tried)));
    });
    group.bench_function("three levels above", |bencher| {
        bencher.iter(|| {
            let advice = advise_on(&policies, &parts, &By::Default, &NoMatrices);
            black_box(advice.map(|own| own.tried))
        });
    });
    group.finish();
}

criterion_group!(benches, reading, scores, advice);
criterion_main!(benches);
