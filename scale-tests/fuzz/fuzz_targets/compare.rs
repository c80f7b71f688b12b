#![no_main]

use libfuzzer_sys::fuzz_target;
use stowplan_scale_tests::input::compare;

fuzz_target!(|bytes: &[u8]| compare::compare(bytes));
