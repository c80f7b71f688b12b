//! Task maps: the fuzz bodies on bytes from a seed, and the memory that a map takes.

use crate::child::{again, peak_kib};
use proptest::prelude::*;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region};
use stowplan_engine::taskmap::{Block, Encoder, Form, Limits, TaskMap};
use stowplan_scale_tests::input::taskmap;
use stowplan_scale_tests::size::is_long;

proptest! {
    #[test]
    fn any_blocks_are_judged(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        taskmap::written(&bytes);
    }

    #[test]
    fn few_small_blocks_are_judged(bytes in proptest::collection::vec(0_u8..3, 0..40)) {
        taskmap::written(&bytes);
    }

    #[test]
    fn texts_that_look_right_are_judged(text in "[0-9,;\\-]{0,40}", list in "(\\([0-3],[0-3],[0-3]\\),){0,6}\\)") {
        taskmap::raw(text.as_bytes());
        taskmap::pmi(list.as_bytes());
    }

    #[test]
    fn json_that_looks_right_is_judged(list in "(\\[[0-3],[0-3],[0-3],[0-9]\\],){0,6}\\[0,1,1,1\\]\\]", key in "[a-z\\\\u0-9]{0,6}") {
        taskmap::array(list.as_bytes());
        taskmap::wrapped(format!("\"{key}\":{list},\"version\":1,\"map\":[{list}}}").as_bytes());
    }
}

/// Tells the child how many runs to make.
const RUNS: &str = "STOWPLAN_TASKMAP_RUNS";

/// The body of the child process, not a promise: without a number it does nothing.
#[test]
fn mapped_here() {
    let Ok(runs) = std::env::var(RUNS) else {
        return;
    };
    let runs: u32 = runs.parse().unwrap();
    let mut dice = 1_u32;
    let blocks = (0..runs).map(|_| {
        dice = dice.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
        Block {
            first: dice >> 12,
            nodes: 1,
            ppn: 1 + (dice >> 3) % 64,
            repeat: 1,
        }
    });
    let region = Region::new(&INSTRUMENTED_SYSTEM);
    let map = TaskMap::from_blocks_within(blocks, Limits::default()).unwrap();
    let change = region.change();
    let held = change.bytes_allocated - change.bytes_deallocated;
    let before = peak_kib();
    let text = map.text(Form::Wrapped, Encoder::Best, Limits::default());
    let length = text.unwrap().to_string().len() as u64;
    let more = (peak_kib() - before) << 10;
    println!("map {held} {more} {length}");
}

/// A map of runs that cannot be shortened holds at most 64 bytes a run, and needs no more than that to be written.
#[test]
fn a_map_takes_at_most_64_bytes_a_run() {
    let runs = if is_long() { 1 << 22 } else { 1 << 17 };
    let numbers: Vec<u64> = again("taskmap::mapped_here", (RUNS, &runs.to_string()), "map ");
    let (held, more, length) = (numbers[0], numbers[1], numbers[2]);
    println!("{runs} runs: {held} bytes held, {more} more to write {length} characters");
    assert!(held <= 64 * runs, "{held} bytes for {runs} runs");
    // The shortest form keeps up to 64 cuts a run (taskmap "How the fewest blocks are found"), but few runs have so many.
    assert!(
        more <= 64 * runs + 4 * length + (1 << 20),
        "{more} bytes to write {runs} runs"
    );
}
