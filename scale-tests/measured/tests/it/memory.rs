//! Memory ceilings, measured in separate processes.

use crate::child::{cost, run};

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

/// Three levels above the nodes, ranks in the order of places, by node, in an order with a word, and in any order.
#[test]
fn a_score_of_a_million_ranks_on_a_network_fits_in_64_mebibytes() {
    let file = std::env::temp_dir().join(format!("stowplan-order-{}", std::process::id()));
    let ranks = 1_u64 << 20;
    let anywhere: Vec<String> = (0..ranks)
        .map(|place| ((place * 710_647 + 12_345) % ranks).to_string())
        .collect();
    std::fs::write(&file, anywhere.join("\n")).unwrap();
    let anywhere = format!("file:{}", file.display());
    let orders: [(&str, &[&str], u64); 4] = [
        ("by slot", &["--map-by", "slot"], 20),
        ("by node", &["--map-by", "node"], 150),
        (
            "a k-d tree",
            &["--map-by", "slot", "--rank-order", "kdtree:128x128x64"],
            150,
        ),
        (
            "any order",
            &["--map-by", "slot", "--rank-order", &anywhere],
            150,
        ),
    ];
    for (what, order, most) in orders {
        let network = "tree pod:4 group:2 switch:16 node:128 n[0-16383]";
        let words = [
            "score",
            "--pattern",
            "halo:128x128x64",
            "--network",
            network,
        ];
        let job = [
            "--",
            "--topo",
            "core:64 pu:1",
            "-H",
            "n[0-16383]:64",
            "-n",
            "1048576",
        ];
        let cost = run(&[&words[..], &job, order].concat());
        println!("{what}: {} KiB, {} us", cost.peak_kib, cost.nanos / 1000);
        let peak = cost.peak_kib;
        assert!(peak <= HARNESS_KIB + (64 << 10), "{what}: {peak} KiB");
        // These tests are hardly optimized.
        let most = most * 20_000_000;
        assert!(cost.nanos <= most, "{what}: {} ns", cost.nanos);
    }
    std::fs::remove_file(&file).unwrap();
}
