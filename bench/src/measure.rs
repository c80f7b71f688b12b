//! What it costs to place a shape. Each time is the least of several runs. The table and a copy of as many bytes are measured
//! alternately in the same process, and their times are medians.

use rayon::prelude::*;
use std::hint::black_box;
use std::time::{Duration, Instant};
use stowplan_engine::count::{ProcCount, Rank};
use stowplan_engine::id::Id as _;
use stowplan_engine::map::map_resolved;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::names::NodeId;
use stowplan_judge::check;
use stowplan_scale_tests::shapes::Shape;

/// Questions asked per run.
const QUESTIONS: u32 = 4096;

/// One shape, measured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measured {
    /// The shape's name.
    pub name: String,
    /// Its nodes.
    pub nodes: u32,
    /// Its ranks.
    pub ranks: u32,
    /// Making the plan. Unit: nanoseconds.
    pub plan: u64,
    /// Writing the explicit table into existing columns, on one thread and on two. Unit: nanoseconds.
    pub expand: [u64; 2],
    /// Copying as many bytes, on as many threads. Unit: nanoseconds.
    pub memcpy: [u64; 2],
    /// Finding the node, object and cpus of one random rank. Unit: picoseconds.
    pub question: u64,
    /// Finding the apps on one random node. Unit: picoseconds.
    pub view: u64,
    /// Judging the plan. Unit: nanoseconds.
    pub check: u64,
    /// Size of the saved plan, in bytes.
    pub whole: u64,
    /// Size of its broadcast, in bytes.
    pub broadcast: u64,
}

/// The least time of some runs. The result of a run is dropped after the clock stops. Unit: nanoseconds.
pub fn least<T, R>(runs: u32, mut setup: impl FnMut() -> T, mut run: impl FnMut(T) -> R) -> u64 {
    let mut best = u64::MAX;
    let start = Instant::now();
    for turn in 0..runs {
        let input = setup();
        let begin = Instant::now();
        let result = black_box(run(input));
        best = best.min(nanos(begin.elapsed()));
        drop(result);
        // A long run is not repeated often: when it takes seconds, two runs are enough.
        if turn > 0 && start.elapsed() > Duration::from_secs(3) {
            break;
        }
    }
    best
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Measures a shape. `None` when it cannot be placed; every named shape can.
#[must_use]
pub fn shape(shape: &Shape, runs: u32) -> Option<Measured> {
    let input = || (shape.resolved.clone(), shape.machine.clone());
    let plan_time = least(runs, input, |(resolved, machine)| {
        map_resolved(resolved, machine)
    });
    let (resolved, machine) = input();
    let plan = map_resolved(resolved, machine).ok()?.plan;
    let (expand, memcpy) = expand(&plan, runs);
    Some(Measured {
        name: shape.name.clone(),
        nodes: shape.nodes,
        ranks: plan.ranks(),
        plan: plan_time,
        expand,
        memcpy,
        question: question(&plan, runs),
        view: view(&plan, runs),
        check: least(
            2,
            || (),
            |()| {
                black_box(check(&plan)).ok();
            },
        ),
        whole: plan.to_bytes().len() as u64,
        broadcast: plan.broadcast_bytes().len() as u64,
    })
}

/// Times the table, and a copy of as many bytes, both into memory that was written before, on one thread and on two. They
/// alternate, so that each finds the caches as the other left them. Each time is the median of `runs`: the least time could be one
/// where a run found its own data in the cache.
#[must_use]
pub fn expand(plan: &Plan, runs: u32) -> ([u64; 2], [u64; 2]) {
    let mut table = plan.expand();
    let from = vec![1_u8; table.bytes()];
    let mut to = vec![2_u8; table.bytes()];
    let both = THREADS.map(|threads| {
        on(threads, || {
            let each = (0..runs.max(1)).map(|_| {
                let begin = Instant::now();
                plan.expand_into(black_box(&mut table));
                let expand = nanos(begin.elapsed());
                let begin = Instant::now();
                copy(black_box(&from), &mut to, threads);
                black_box(&mut to);
                (expand, nanos(begin.elapsed()))
            });
            let (expand, memcpy): (Vec<u64>, Vec<u64>) = each.unzip();
            (middle(expand), middle(memcpy))
        })
    });
    (
        both.map(|(expand, _)| expand),
        both.map(|(_, memcpy)| memcpy),
    )
}

/// The median of some times.
///
/// # Panics
/// When there are none.
#[must_use]
pub fn middle(mut times: Vec<u64>) -> u64 {
    times.sort_unstable();
    times[times.len() / 2]
}

/// The numbers of threads with which tables are written.
const THREADS: [usize; 2] = [1, 2];

/// Runs on a pool of this many threads.
///
/// # Panics
/// When the system gives no threads.
pub fn on<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    pool(threads).install(run)
}

/// A pool of this many threads.
///
/// # Panics
/// When the system gives no threads.
#[must_use]
pub fn pool(threads: usize) -> rayon::ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("a system gives two threads")
}

fn copy(from: &[u8], to: &mut [u8], threads: usize) {
    if threads == 1 {
        to.copy_from_slice(from);
        return;
    }
    let part = from.len().div_ceil(threads).max(1);
    let parts = to.par_chunks_mut(part).zip(from.par_chunks(part));
    parts.for_each(|(to, from)| to.copy_from_slice(from));
}

/// Numbers that jump about; they are the same in every run.
fn jumps(below: u32) -> impl Iterator<Item = u32> {
    let mut state = 0x9e37_79b9_u32;
    (0..QUESTIONS).map(move |_| {
        state = state.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
        (state >> 3) % below.max(1)
    })
}

/// How many processes of the first app are left out.
const SPARE: u32 = 64 * 64;

/// The shape without some nodes' worth of processes of its first app, or without half of them. Then it still fits after a few nodes
/// are lost.
#[must_use]
pub fn with_room(mut shape: Shape) -> Shape {
    let np = &mut shape.resolved.apps.np[AppId::from_row(0)];
    *np = np.map(|np| ProcCount(np.0 - SPARE.min(np.0 / 2)));
    shape
}

/// Asks where some thousands of ranks are.
pub fn ask(plan: &Plan) {
    for rank in jumps(plan.ranks()) {
        black_box(plan.place(Rank(rank)));
    }
}

fn question(plan: &Plan, runs: u32) -> u64 {
    let time = least(runs.max(100), || (), |()| ask(plan));
    time * 1000 / u64::from(QUESTIONS)
}

fn view(plan: &Plan, runs: u32) -> u64 {
    let time = least(
        runs,
        || (),
        |()| {
            for node in jumps(plan.world().names.len()) {
                black_box(plan.on_node(NodeId::from_row(node as usize)).count());
            }
        },
    );
    time * 1000 / u64::from(QUESTIONS)
}
