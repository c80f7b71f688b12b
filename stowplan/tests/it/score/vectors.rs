//! The figures of the literature that follow from the definition, for blocked and cyclic ranks.

use crate::score::random::plan;
use stowplan::score::figures::{NoMatrices, score};
use stowplan::score::pattern::Part;

fn node(grid: &str, nodes: u32, ppn: u32, rank_by: &str, pattern: &str) -> (String, String) {
    let procs = nodes * ppn;
    let job = format!(
        "--topo core:{ppn}|pu:1 -H n[0-{last}]:{ppn} -n {procs} --map-by slot --rank-by {rank_by}",
        last = nodes - 1
    );
    let job = job.replace("|", "\u{1}");
    let words: Vec<String> = job
        .split(" ")
        .map(|word| word.replace("\u{1}", " "))
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let part = Part::read(&format!("halo:{grid}{pattern}")).unwrap();
    let found = score(&plan(&words).unwrap(), &[part], &NoMatrices).unwrap();
    assert_eq!(found.nodes, nodes);
    let level = &found.levels[0];
    (level.leave.to_string(), level.worst.to_string())
}

#[test]
fn blocked_and_cyclic_are_the_published_figures() {
    for (grid, nodes, ppn, pattern, blocked, cyclic) in [
        ("50x48", 50, 48, "", (4704, 96), (9404, 189)),
        ("50x48", 50, 48, ":hops=3", (13824, 288), (18524, 373)),
        ("50x48", 50, 48, ":but-last", (4704, 96), (4704, 95)),
        ("16x15x10", 50, 48, "", (5508, 118), (8800, 192)),
        ("128x128", 128, 128, "", (32512, 256), (32512, 256)),
        ("64x64x64", 4096, 64, "", (1_032_192, 256), (1_032_192, 256)),
        (
            "64x64x64",
            4096,
            64,
            ":periodic",
            (1_048_576, 256),
            (1_048_576, 256),
        ),
    ] {
        let said = |(leave, worst): (u32, u32)| (leave.to_string(), worst.to_string());
        assert_eq!(
            node(grid, nodes, ppn, "slot", pattern),
            said(blocked),
            "{grid}{pattern}"
        );
        assert_eq!(
            node(grid, nodes, ppn, "node", pattern),
            said(cyclic),
            "{grid}{pattern}"
        );
    }
}
