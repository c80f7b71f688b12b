//! Measures how much longer a call of the C face takes than the engine's own: at most 100 ns. Run it optimized:
//! `cargo test --release -p stowplan-c --test it cost -- --nocapture`.

use face::{Job, Machine, Topology};
use std::ffi::c_char;
use std::hint::black_box;
use std::ptr::null_mut;
use std::time::Instant;
use stowplan::plan::{
    StowPlan, stow_plan_cpu_words, stow_plan_cpus, stow_plan_cpuset, stow_plan_free,
    stow_plan_from_bytes, stow_plan_gpus, stow_plan_node_find, stow_plan_node_name,
    stow_plan_node_ranks, stow_plan_proc,
};
use stowplan::proc::StowProc;
use stowplan::slice::{
    StowSlice, stow_slice_cpu_words, stow_slice_cpus, stow_slice_free, stow_slice_gpus,
    stow_slice_node_name, stow_slice_proc, stow_slice_read,
};
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::plan::slice::NodeSlice;
use stowplan_engine::table::cpusets::{CpusetId, list_form};
use stowplan_engine::table::names::NodeId;

/// The promised limit.
const ABOVE_NS: f64 = 100.0;
/// Calls in a round. Rounds are short and many, so that at least some of them run without interruption by other programs.
const CALLS: u32 = 20_000;
const ROUNDS: u32 = 100;
const RANKS: u32 = 1 << 20;

/// Nanoseconds per call in the fastest round, over ranks that are far apart.
fn cost(call: impl Fn(u32)) -> f64 {
    let rounds = (0..ROUNDS).map(|_| {
        let begin = Instant::now();
        (0..CALLS).for_each(|at| call(at.wrapping_mul(2_654_435_761) % RANKS));
        begin.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
    });
    rounds.fold(f64::INFINITY, f64::min)
}

/// A function, the cost of a call, and the cost of the engine's own call.
type Figure = (&'static str, f64, f64);

/// The cost of a call that gives several items.
fn items<T: Copy + Default>(call: impl Fn(u32, *mut T, usize, *mut usize) -> u32) -> f64 {
    cost(|at| {
        let (mut out, mut needed) = ([T::default(); 64], 0);
        let status = call(at, out.as_mut_ptr(), out.len(), &raw mut needed);
        assert_eq!(black_box((status, out)).0, 0);
    })
}

fn text(call: impl Fn(u32, *mut c_char, usize, *mut usize) -> u32) -> f64 {
    items(call)
}

/// The cost of a call that gives one process.
fn proc(call: impl Fn(u32, *mut StowProc) -> u32) -> f64 {
    cost(|at| {
        let mut proc = [size_of::<StowProc>(), 0, 0, 0, 0];
        let status = call(at, proc.as_mut_ptr().cast());
        assert_eq!(black_box((status, proc)).0, 0);
    })
}

/// A plan of a million ranks, in bytes.
fn million(topology: &str, words: &str) -> Vec<u8> {
    let machine = Machine::uniform(Topology::parse(topology).expect("sound"));
    let job = Job::from_command_line(words.split(' ')).expect("the words are right");
    let plan = face::Plan::new(&job, &machine).expect("there is room");
    assert_eq!(plan.len(), RANKS as usize);
    plan.to_bytes()
}

fn read(bytes: &[u8]) -> *mut StowPlan {
    let mut plan = null_mut();
    // SAFETY: the bytes and the place for the plan live.
    let status =
        unsafe { stow_plan_from_bytes(bytes.as_ptr(), bytes.len(), &raw mut plan, null_mut()) };
    assert_eq!(status, 0);
    plan
}

fn numbers(gpus: &[u32]) -> String {
    let words: Vec<String> = gpus.iter().map(u32::to_string).collect();
    words.join(",")
}

/// Questions about a plan.
fn of_plans() -> Vec<Figure> {
    let words = "-n 1048576 -H n[0-65535]:16 --map-by core --bind-to core ./x";
    let bytes = million("package:2 core:8 pu:2", words);
    let (plan, own) = (
        read(&bytes),
        Plan::from_bytes(&bytes).expect("it was just written"),
    );
    let (names, sets) = (&own.world().names, &own.world().cpusets);
    let place = |rank: u32| own.place(Rank(rank)).expect("the plan has it");
    let set = |rank| sets.get(place(rank).cpus.expect("it is bound"));
    let node = |at: u32| NodeId::from_row((at % 65536) as usize);
    // SAFETY: the plan lives until it is freed, and outputs have the capacity that is passed.
    let figures = unsafe {
        vec![
            (
                "stow_plan_proc",
                proc(|rank, out| stow_plan_proc(plan, rank, out)),
                cost(|rank| _ = black_box(place(rank))),
            ),
            (
                "stow_plan_cpus",
                text(|rank, out, room, needed| stow_plan_cpus(plan, rank, out, room, needed)),
                cost(|rank| drop(black_box(list_form(set(rank))))),
            ),
            (
                "stow_plan_cpu_words",
                items(|rank, out, room, needed| stow_plan_cpu_words(plan, rank, out, room, needed)),
                cost(|rank| _ = black_box(set(rank).iter().max())),
            ),
            (
                "stow_plan_cpuset",
                text(|rank, out, room, needed| {
                    stow_plan_cpuset(plan, 1 + rank % 16, out, room, needed)
                }),
                cost(|rank| {
                    let set = sets.get(CpusetId::from_row((rank % 16) as usize));
                    drop(black_box(list_form(set)));
                }),
            ),
            (
                "stow_plan_node_name",
                text(|at, out, room, needed| {
                    stow_plan_node_name(plan, at % 65536, out, room, needed)
                }),
                cost(|at| drop(black_box(names.name(node(at))))),
            ),
            (
                "stow_plan_node_ranks",
                items(|at, out, room, needed| {
                    stow_plan_node_ranks(plan, at % 65536, out, room, needed)
                }),
                cost(|at| {
                    let ranks = own.procs_on(node(at)).map(|proc| proc.rank.0);
                    drop(black_box(ranks.collect::<Vec<u32>>()));
                }),
            ),
            (
                "stow_plan_node_find",
                cost(|_| {
                    let mut node = 0;
                    let name = c"n54321".as_ptr();
                    let status = stow_plan_node_find(plan, name, 6, &raw mut node);
                    assert_eq!(black_box((status, node)), (0, 54321));
                }),
                cost(|_| _ = black_box(names.find_name("n54321"))),
            ),
        ]
    };
    // SAFETY: it was made here.
    unsafe { stow_plan_free(plan) };
    figures
}

/// Questions about GPUs, and about the slice of a node.
fn of_gpus_and_slices() -> Vec<Figure> {
    let words = "-n 1048576 -H n[0-131071]:8 --map-by gpu ./x";
    let bytes = million("builtin:frontier", words);
    let (plan, own) = (
        read(&bytes),
        Plan::from_bytes(&bytes).expect("it was just written"),
    );
    let given = own.given_gpus();
    let bytes = own.slice_bytes(NodeId::from_row(7));
    let (mut slice, part): (*mut StowSlice, NodeSlice) = (
        null_mut(),
        NodeSlice::from_bytes(&bytes).expect("it was just written"),
    );
    let here = |at: u32| part.procs[(at % 8) as usize];
    let set = |at| &part.cpusets[here(at).cpus.expect("it is bound") as usize];
    // SAFETY: the handles live until they are freed, and outputs have the capacity that is passed.
    let figures = unsafe {
        let status = stow_slice_read(bytes.as_ptr(), bytes.len(), &raw mut slice, null_mut());
        assert_eq!(status, 0);
        vec![
            (
                "stow_plan_gpus",
                text(|rank, out, room, needed| stow_plan_gpus(plan, rank, out, room, needed)),
                cost(|rank| {
                    let place = own.place(Rank(rank)).expect("the plan has it");
                    let gpus = given.of(place.node, place.local_rank);
                    drop(black_box(numbers(gpus)));
                }),
            ),
            (
                "stow_slice_proc",
                proc(|at, out| stow_slice_proc(slice, at % 8, out)),
                cost(|at| _ = black_box(here(at))),
            ),
            (
                "stow_slice_cpus",
                text(|at, out, room, needed| stow_slice_cpus(slice, at % 8, out, room, needed)),
                cost(|at| drop(black_box(list_form(set(at))))),
            ),
            (
                "stow_slice_cpu_words",
                items(|at, out, room, needed| {
                    stow_slice_cpu_words(slice, at % 8, out, room, needed)
                }),
                cost(|at| _ = black_box(set(at).iter().max())),
            ),
            (
                "stow_slice_gpus",
                text(|at, out, room, needed| stow_slice_gpus(slice, at % 8, out, room, needed)),
                cost(|at| {
                    let row = here(at).gpus.expect("it has one");
                    drop(black_box(numbers(&part.gpus[row as usize])));
                }),
            ),
            (
                "stow_slice_node_name",
                text(|_, out, room, needed| stow_slice_node_name(slice, out, room, needed)),
                cost(|_| drop(black_box(part.name.clone()))),
            ),
        ]
    };
    // SAFETY: they were made here.
    unsafe {
        stow_slice_free(slice);
        stow_plan_free(plan);
    }
    figures
}

#[test]
fn a_call_costs_a_hundred_nanoseconds_above_the_engines() {
    if cfg!(debug_assertions) {
        eprintln!(
            "skipped: what calls of the C face cost: tools/check --long measures it optimized"
        );
        return;
    }
    let figures = of_plans().into_iter().chain(of_gpus_and_slices());
    for (function, ours, engine) in figures {
        println!("{function:20} {ours:6.1} ns, the engine's own {engine:6.1} ns");
        assert!(
            ours <= engine + ABOVE_NS,
            "{function}: {ours} ns, the engine {engine} ns"
        );
    }
}
