//! Task maps: made from the planner's phases and from runs, asked, read and written. Compare ratios within one run, not seconds.

#![expect(clippy::unwrap_used, reason = "a bench that fails is to stop")]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use stowplan_engine::count::{ProcCount, Rank};
use stowplan_engine::taskmap::{Block, Encoder, Form, JobNode, Limits, TaskMap};
// For its allocator.
use stowplan_bench as _;

/// Tasks of the large maps.
const TASKS: u32 = 1 << 24;

/// Numbers from a seed, the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        u32::try_from(((self.0 >> 32) * u64::from(below)) >> 32).unwrap()
    }
}

/// The node of each of [`TASKS`] tasks, 256 tasks a node, in random order.
fn shuffled() -> Vec<u32> {
    let mut nodes: Vec<u32> = (0..TASKS).map(|task| task / 256).collect();
    let mut dice = Dice(1);
    for at in (1..TASKS).rev() {
        nodes.swap(at as usize, dice.roll(at + 1) as usize);
    }
    nodes
}

/// A list of phases with holes and odd ends, as a job on many kinds of nodes leaves it.
fn irregular(count: u32) -> Vec<Block> {
    let mut dice = Dice(2);
    let phase = |_| Block {
        first: dice.roll(4000),
        nodes: 1 + dice.roll(90),
        ppn: 1 + dice.roll(3),
        repeat: 1 + dice.roll(4),
    };
    (0..count).map(phase).collect()
}

fn runs(nodes: &[u32]) -> impl Iterator<Item = (JobNode, ProcCount)> + '_ {
    nodes.iter().map(|&node| (JobNode(node), ProcCount(1)))
}

fn from_bands(c: &mut Criterion) {
    let mut group = c.benchmark_group("taskmap/from-phases");
    let phases = |first, nodes, ppn, repeat| Block {
        first,
        nodes,
        ppn,
        repeat,
    };
    for (name, list) in [
        ("block-4096x256", vec![phases(0, 4096, 256, 1)]),
        ("cyclic-4096x256", vec![phases(0, 4096, 1, 256)]),
        (
            "cyclic-mixed-4096",
            vec![
                phases(0, 4096, 1, 128),
                phases(2048, 2048, 1, 128),
                phases(3000, 50, 1, 64),
            ],
        ),
    ] {
        group.bench_function(name, |b| {
            b.iter(|| {
                let map = TaskMap::from_blocks(black_box(&list).iter().copied()).unwrap();
                black_box(map.fewest_blocks())
            });
        });
    }
    for count in [1000, 10_000, 100_000] {
        let list = irregular(count);
        group.throughput(Throughput::Elements(u64::from(count)));
        group.bench_function(format!("irregular-{count}"), |b| {
            b.iter(|| {
                let map = TaskMap::from_blocks(black_box(&list).iter().copied()).unwrap();
                black_box(map.fewest_blocks())
            });
        });
    }
    group.finish();
}

fn from_runs(c: &mut Criterion) {
    let mut group = c.benchmark_group("taskmap/from-runs-16Mi-tasks");
    group.sample_size(10);
    group.throughput(Throughput::Elements(u64::from(TASKS)));
    let cases = [
        ("shuffled", shuffled()),
        (
            "cyclic-65536x256",
            (0..TASKS).map(|task| task % 65536).collect(),
        ),
        (
            "block-65536x256",
            (0..TASKS).map(|task| task / 256).collect(),
        ),
    ];
    for (name, nodes) in &cases {
        group.bench_function(format!("{name}/by-flux"), |b| {
            b.iter(|| black_box(TaskMap::from_runs(runs(nodes)).unwrap()));
        });
        let map = TaskMap::from_runs(runs(nodes)).unwrap();
        group.bench_function(format!("{name}/fewest"), |b| {
            b.iter(|| black_box(map.fewest_blocks()));
        });
    }
    // Many different counts on ascending nodes keep inner cuts alive for long.
    let mut dice = Dice(3);
    let ramps: Vec<(JobNode, ProcCount)> = (0..1 << 20)
        .map(|node| (JobNode(node), ProcCount(1 + dice.roll(64))))
        .collect();
    let map = TaskMap::from_runs(ramps).unwrap();
    group.throughput(Throughput::Elements(1 << 20));
    group.bench_function("million-odd-counts/fewest", |b| {
        b.iter(|| black_box(map.fewest_blocks()))
    });
    group.finish();
}

fn asked(c: &mut Criterion) {
    let mut group = c.benchmark_group("taskmap/asked");
    let mut map = TaskMap::from_blocks(irregular(100_000)).unwrap();
    for count in [1, 100_000] {
        if count == 1 {
            map = TaskMap::from_blocks([Block {
                first: 0,
                nodes: 4096,
                ppn: 1,
                repeat: 256,
            }])
            .unwrap();
        } else {
            map = TaskMap::from_blocks(irregular(count)).unwrap();
        }
        let tasks = map.task_count().unwrap().0;
        let mut dice = Dice(4);
        group.bench_function(format!("node-of-{}-blocks", map.flux_blocks().len()), |b| {
            b.iter_batched(
                || Rank(dice.roll(tasks)),
                |task| map.node_of(black_box(task)).unwrap(),
                BatchSize::SmallInput,
            );
        });
    }
    group.bench_function("tasks-of-all-blocks", |b| {
        b.iter(|| map.tasks_of(black_box(JobNode(77))).unwrap().count());
    });
    group.bench_function("forty-characters", |b| {
        b.iter(|| {
            let map =
                TaskMap::read(black_box(b"{\"version\":1,\"map\":[[0,65536,1,32767]]}")).unwrap();
            (
                map.task_count().unwrap(),
                map.node_of(Rank(2_000_000_000)).unwrap(),
            )
        });
    });
    group.finish();
}

fn texts(c: &mut Criterion) {
    let mut group = c.benchmark_group("taskmap/texts");
    group.sample_size(10);
    let nodes = shuffled();
    let map = TaskMap::from_runs(runs(&nodes[..1 << 20])).unwrap();
    let json = map
        .text(Form::Map, Encoder::Flux, Limits::default())
        .unwrap()
        .to_string();
    group.throughput(Throughput::Bytes(json.len() as u64));
    group.bench_function("read-million-runs", |b| {
        b.iter(|| TaskMap::read(black_box(json.as_bytes())).unwrap())
    });
    group.bench_function("write-million-runs", |b| {
        b.iter(|| {
            map.text(Form::Map, Encoder::Flux, Limits::default())
                .unwrap()
                .to_string()
        });
    });
    let cyclic = TaskMap::from_blocks([Block {
        first: 0,
        nodes: 4096,
        ppn: 1,
        repeat: 256,
    }])
    .unwrap();
    let raw = cyclic
        .text(Form::Raw, Encoder::Best, Limits::default())
        .unwrap()
        .to_string();
    group.throughput(Throughput::Bytes(raw.len() as u64));
    group.bench_function("read-raw-cyclic-4096x256", |b| {
        b.iter(|| TaskMap::read(black_box(raw.as_bytes())).unwrap());
    });
    group.bench_function("write-raw-cyclic-4096x256", |b| {
        b.iter(|| {
            cyclic
                .text(Form::Raw, Encoder::Best, Limits::default())
                .unwrap()
                .to_string()
        });
    });
    group.finish();
}

criterion_group!(benches, from_bands, from_runs, asked, texts);
criterion_main!(benches);
