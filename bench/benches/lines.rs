//! Lines of launchers beside one of prterun with as many words: reading one costs at most twice as much. A million ranks of srun
//! cost at most three times what `--map-by core` costs for as many.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan_engine::stage::resolve::NoFiles;
// For its allocator.
use stowplan_bench as _;

/// Lines with nine words behind the launcher's.
const LINES: [(&str, &str); 9] = [
    (
        "our words",
        "-n 512 --map-by core --bind-to core --rank-by slot ./ocean",
    ),
    (
        "mpirun",
        "mpirun -n 512 --map-by core --bind-to core --rank-by slot ./ocean",
    ),
    (
        "mpiexec.hydra",
        "mpiexec.hydra -n 512 -ppn 128 -bind-to core -map-by socket ./ocean",
    ),
    (
        "mpirun of Intel MPI",
        "--as intel mpirun -n 512 -ppn 128 -print-rank-map ./ocean",
    ),
    ("srun", "srun -n 512 -N 4 -c 1 -m block:cyclic ./ocean"),
    (
        "flux run",
        "flux run -n 512 -N 4 -c 1 -o cpu-affinity=per-task ./ocean",
    ),
    (
        "mpiexec of PALS",
        "--as pals mpiexec -n 512 -ppn 128 --cpu-bind depth ./ocean",
    ),
    ("aprun", "aprun -n 512 -N 128 -d 1 -cc depth ./ocean"),
    ("jsrun", "jsrun -n 256 -a 1 -c 1 -d packed ./ocean"),
];

/// A million ranks on 16,384 nodes.
const MILLIONS: [(&str, &str); 4] = [
    ("map --map-by core", "-n 1048576 --map-by core ./ocean"),
    (
        "srun",
        "srun -N 16384 -n 1048576 -c 2 -m cyclic:cyclic ./ocean",
    ),
    (
        "mpiexec.hydra",
        "mpiexec.hydra -n 1048576 -bind-to core ./ocean",
    ),
    (
        "mpirun of Intel MPI",
        "--as intel mpirun -n 1048576 ./ocean",
    ),
];

fn millions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a million ranks");
    group.sample_size(20);
    for (name, line) in MILLIONS {
        let ours = ["--topo", "package:2 core:64 pu:2", "-H", "n[0-16383]:64"];
        let ours = ours.into_iter().map(str::to_owned);
        let words: Vec<String> = ours.chain(line.split(' ').map(str::to_owned)).collect();
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let asked = map_args(black_box(&words)).ok()?;
                place(asked, &FilesAlone(&NoFiles)).ok()
            });
        });
    }
    group.finish();
}

fn lines(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lines");
    for (name, line) in LINES {
        let hosts = ["-H", "n[0-3]:128"].map(str::to_owned);
        let machine = ["--topo", "package:2 core:64 pu:2"].map(str::to_owned);
        let line = line.split(' ').map(str::to_owned);
        let words: Vec<String> = machine.into_iter().chain(hosts).chain(line).collect();
        group.bench_function(format!("{name}, read"), |bencher| {
            bencher.iter(|| map_args(black_box(&words)));
        });
        group.bench_function(format!("{name}, placed"), |bencher| {
            bencher.iter(|| {
                let asked = map_args(black_box(&words)).ok()?;
                place(asked, &FilesAlone(&NoFiles)).ok()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, lines, millions);
criterion_main!(benches);
