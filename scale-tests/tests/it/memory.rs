//! Memory ceilings, in processes of their own.

use crate::child::cost;

/// What a process of the test harness holds before it does anything, with room to spare. Unit: KiB.
const HARNESS_KIB: u64 = 12 << 10;

#[test]
fn a_million_ranks_fit_in_32_mebibytes() {
    for map in ["core", "slot", "node", "package:span", "ppr:16:numa"] {
        let peak = cost(&format!("package:2 numa:2 l3:2 core:8 pu:1|16384|64|{map}")).peak_kib;
        assert!(peak <= HARNESS_KIB + (32 << 10), "{map}: {peak} KiB");
    }
}

#[test]
fn a_billion_ranks_fit_in_64_mebibytes() {
    let peak = cost("package:2 core:128 pu:1|4194304|256|core").peak_kib;
    assert!(peak <= HARNESS_KIB + (64 << 10), "{peak} KiB");
}
