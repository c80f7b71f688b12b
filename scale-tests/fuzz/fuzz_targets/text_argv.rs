#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| stowplan_cli::fuzz_bodies::argv(bytes));
