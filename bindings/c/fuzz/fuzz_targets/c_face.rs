#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/it/bytes.rs"]
mod bytes;

fuzz_target!(|data: &[u8]| bytes::bytes(data));
