//! Memory ceilings, measured in separate processes.

use crate::child::cost;

/// How much memory a process of the test harness holds before it does anything, rounded up. Unit: KiB.
const HARNESS_KIB: u64 = 12 << 10;

#[test]
fn a_million_ranks_fit_in_32_mebibytes() {
    for map in ["core", "slot", "node", "package:span", "ppr:16:numa"] {
        let peak = cost(&format!("package:2 numa:2 l3:2 core:8 pu:1|16384|64|{map}")).peak_kib;
        assert!(peak <= HARNESS_KIB + (32 << 10), "{map}: {peak} KiB");
    }
}

/// Everything that the plan allocates, freed memory included: the plan never held more than that.
#[test]
fn a_billion_ranks_are_planned_in_one_mebibyte() {
    for map in ["core", "slot", "node", "package:span", "ppr:128:package"] {
        let cost = cost(&format!("package:2 core:128 pu:1|4194304|256|{map}"));
        println!("{map}: {} bytes, {} KiB held", cost.bytes, cost.peak_kib);
        assert!(cost.bytes <= 1 << 20, "{map}: {} bytes", cost.bytes);
        let peak = cost.peak_kib;
        assert!(peak <= HARNESS_KIB + (16 << 10), "{map}: {peak} KiB");
    }
}
