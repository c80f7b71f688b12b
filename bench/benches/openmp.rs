//! Where the threads of a job run: one process by the rules of each runtime, and a million ranks with four masks, beside the plan alone.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use stowplan::answers::openmp::{Machine, Process, Runtime, Variables, job_notes, threads};
use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan_engine::plan::Plan;
use stowplan_engine::stage::resolve::NoFiles;
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::topologies::Topologies;
// For its allocator.
use stowplan_bench as _;

const WORDS: [(&str, &str); 3] = [
    ("OMP_NUM_THREADS", "24"),
    ("OMP_PLACES", "cores"),
    ("OMP_PROC_BIND", "spread"),
];

/// 1,069,056 ranks on the 11,136 nodes of El Capitan, by numa.
fn million(more: &[String]) -> Option<Plan> {
    let words = "--topo builtin:elcap -H n[0-11135]:96 -n 1069056 --map-by numa";
    let words = words.split(' ').map(str::to_owned);
    let words: Vec<String> = words.chain(more.iter().cloned()).collect();
    let asked = map_args(&words).ok()?;
    Some(place(asked, &FilesAlone(&NoFiles)).ok()?.mapped.plan)
}

fn one_process(criterion: &mut Criterion) {
    let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
    let draft = stowplan_topo::synthetic::parse("package:4 numa:1 core:24 pu:2").ok();
    let id = draft.and_then(|draft| topologies.add(draft, &mut cpusets).ok());
    let Some(id) = id else { return };
    let machine = Machine::new(&topologies, &cpusets, id);
    let (mask, variables) = (
        machine.all().clone(),
        WORDS.into_iter().collect::<Variables>(),
    );
    let process = Process::uncaged(&machine, &mask, &variables, None);
    let mut group = criterion.benchmark_group("openmp");
    for word in ["gnu", "llvm", "intel"] {
        let Ok(runtime) = word.parse::<Runtime>() else {
            continue;
        };
        group.bench_function(BenchmarkId::new("192 cpus", word), |bencher| {
            bencher.iter(|| black_box(threads(&process, runtime)));
        });
    }
    group.finish();
}

fn of_job(criterion: &mut Criterion) {
    let words: Vec<String> = WORDS
        .iter()
        .flat_map(|(name, value)| ["-x".to_owned(), format!("{name}={value}")])
        .collect();
    let mut group = criterion.benchmark_group("openmp, 1,069,056 ranks");
    group.bench_function("the plan alone", |bencher| {
        bencher.iter(|| black_box(million(&[])));
    });
    group.bench_function("the plan, with words", |bencher| {
        bencher.iter(|| black_box(million(&words)));
    });
    if let Some(plan) = million(&words) {
        group.bench_function("threads and notes", |bencher| {
            bencher.iter(|| black_box(job_notes::notes(&plan)));
        });
    }
    group.finish();
}

criterion_group!(benches, one_process, of_job);
criterion_main!(benches);
