#![no_main]

use libfuzzer_sys::fuzz_target;
use stowplan_scale_tests::input::plan;

fuzz_target!(|bytes: &[u8]| plan::bytes(bytes));
