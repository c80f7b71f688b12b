#![no_main]

extern crate stowplan_c as stowplan;

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/it/bytes.rs"]
mod bytes;

fuzz_target!(|data: &[u8]| bytes::bytes(data));
