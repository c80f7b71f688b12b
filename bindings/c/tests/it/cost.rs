//! What a call of the C face costs above the engine's own: at most 100 ns. Run optimized:
//! `cargo test --release -p stowplan-c --test it cost -- --nocapture`.

use face::{Job, Machine, Topology};
use std::hint::black_box;
use std::ptr::null_mut;
use std::time::Instant;
use stowplan::plan::{
    StowPlan, stow_plan_cpu_words, stow_plan_cpus, stow_plan_free, stow_plan_from_bytes,
    stow_plan_node_find, stow_plan_node_name, stow_plan_proc,
};
use stowplan::proc::StowProc;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::cpusets::list_form;
use stowplan_engine::table::names::NodeId;

/// What the page promises.
const ABOVE_NS: f64 = 100.0;
const CALLS: u32 = 200_000;
const ROUNDS: u32 = 9;
const RANKS: u32 = 1 << 20;

/// Nanoseconds a call, the best of some rounds, over ranks that lie apart.
fn cost(call: impl Fn(u32)) -> f64 {
    let rounds = (0..ROUNDS).map(|_| {
        let begin = Instant::now();
        (0..CALLS).for_each(|at| call(at.wrapping_mul(2_654_435_761) % RANKS));
        begin.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
    });
    rounds.fold(f64::INFINITY, f64::min)
}

fn read(bytes: &[u8]) -> *mut StowPlan {
    let mut plan = null_mut();
    // SAFETY: the bytes and the place for the plan live.
    let status =
        unsafe { stow_plan_from_bytes(bytes.as_ptr(), bytes.len(), &raw mut plan, null_mut()) };
    assert_eq!(status, 0);
    plan
}

#[test]
fn a_call_costs_a_hundred_nanoseconds_above_the_engines() {
    if cfg!(debug_assertions) {
        eprintln!(
            "skipped: what calls of the C face cost: tools/check --long measures it optimized"
        );
        return;
    }
    let machine = Machine::uniform(Topology::parse("package:2 core:8 pu:2").expect("sound"));
    let words = "-n 1048576 -H n[0-65535]:16 --map-by core --bind-to core ./x";
    let job = Job::from_command_line(words.split(' ')).expect("the words are right");
    let bytes = face::Plan::new(&job, &machine)
        .expect("there is room")
        .to_bytes();
    let (plan, own) = (
        read(&bytes),
        Plan::from_bytes(&bytes).expect("it was just written"),
    );
    let (names, sets) = (&own.world().names, &own.world().cpusets);
    let place = |rank: u32| own.place(Rank(rank)).expect("the plan has it");

    let proc = |rank: u32| {
        let mut proc = [size_of::<StowProc>(), 0, 0, 0, 0];
        // SAFETY: the plan lives, and a proc is as large as these words.
        let status = unsafe { stow_plan_proc(plan, rank, proc.as_mut_ptr().cast()) };
        assert_eq!(black_box((status, proc)).0, 0);
    };
    let text = |rank: u32| {
        let (mut out, mut needed) = ([0; 64], 0);
        // SAFETY: the plan lives, and the output is as large as it is said to be.
        let status =
            unsafe { stow_plan_cpus(plan, rank, out.as_mut_ptr(), out.len(), &raw mut needed) };
        assert_eq!(black_box((status, out)).0, 0);
    };
    let set = |rank: u32| {
        let (mut out, mut needed) = ([0; 4], 0);
        // SAFETY: as above.
        let status = unsafe {
            stow_plan_cpu_words(plan, rank, out.as_mut_ptr(), out.len(), &raw mut needed)
        };
        assert_eq!(black_box((status, out)).0, 0);
    };
    let name = |rank: u32| {
        let (mut out, mut needed) = ([0; 64], 0);
        // SAFETY: as above.
        let status = unsafe {
            stow_plan_node_name(
                plan,
                rank % 65536,
                out.as_mut_ptr(),
                out.len(),
                &raw mut needed,
            )
        };
        assert_eq!(black_box((status, out)).0, 0);
    };
    let find = |_: u32| {
        let mut node = 0;
        // SAFETY: as above; the text has so many bytes.
        let status = unsafe { stow_plan_node_find(plan, c"n54321".as_ptr(), 6, &raw mut node) };
        assert_eq!(black_box((status, node)), (0, 54321));
    };
    let figures = [
        (
            "stow_plan_proc",
            cost(proc),
            cost(|rank| _ = black_box(place(rank))),
        ),
        (
            "stow_plan_cpus",
            cost(text),
            cost(|rank| {
                let set = place(rank).cpus.expect("it is bound");
                drop(black_box(list_form(sets.get(set))));
            }),
        ),
        (
            "stow_plan_cpu_words",
            cost(set),
            cost(|rank| {
                let set = place(rank).cpus.expect("it is bound");
                black_box(sets.get(set).iter().max());
            }),
        ),
        (
            "stow_plan_node_name",
            cost(name),
            cost(|rank| {
                let node = NodeId::from_row((rank % 65536) as usize);
                drop(black_box(names.name(node)));
            }),
        ),
        (
            "stow_plan_node_find",
            cost(find),
            cost(|_| {
                black_box(names.find_name("n54321"));
            }),
        ),
    ];
    for (function, ours, engine) in figures {
        println!("{function:20} {ours:6.1} ns, the engine's own {engine:6.1} ns");
        assert!(
            ours <= engine + ABOVE_NS,
            "{function}: {ours} ns, the engine {engine} ns"
        );
    }
    // SAFETY: it was made here.
    unsafe { stow_plan_free(plan) };
}
