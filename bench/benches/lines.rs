//! Words to a job: lines of launchers beside one of prterun with as many words. Reading one costs at most twice as much.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use stowplan_engine::stage::resolve::NoFiles;
use stowplan_job::args::map_args;
use stowplan_job::outside::FilesAlone;
use stowplan_job::place::place;
// For its allocator.
use stowplan_bench as _;

/// Lines with nine words behind the launcher's.
const LINES: [(&str, &str); 7] = [
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
    ("srun", "srun -n 512 -N 4 -c 1 -m block:cyclic ./ocean"),
    (
        "flux run",
        "flux run -N 4 -n 512 -c 1 -o cpu-affinity=per-task ./ocean",
    ),
    ("aprun", "aprun -n 512 -N 128 -d 1 -cc depth ./ocean"),
    ("jsrun", "jsrun -n 256 -a 1 -c 1 -d packed ./ocean"),
];

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

criterion_group!(benches, lines);
criterion_main!(benches);
