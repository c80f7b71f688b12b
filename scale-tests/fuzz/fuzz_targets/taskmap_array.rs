#![no_main]

use stowplan_scale_tests::input;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| input::taskmap::array(bytes));
