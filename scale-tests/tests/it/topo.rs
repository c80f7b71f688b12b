//! The bodies of the topology fuzz targets, on inputs found earlier, on our machines, and on damaged ones.

use proptest::prelude::*;
use std::path::{Path, PathBuf};
use stowplan_scale_tests::input;

/// The bytes of the files in a folder of the workspace whose names have this end, in the order of the names.
fn files(folder: &str, end: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(folder);
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths.collect();
    paths.retain(|path| path.to_string_lossy().ends_with(end));
    paths.sort();
    paths
        .iter()
        .filter_map(|path| std::fs::read(path).ok())
        .collect()
}

#[test]
fn corpus_of_topology_targets_holds() {
    for bytes in files("scale-tests/fuzz/corpus/topo_xml", "") {
        input::topo::xml(&bytes);
    }
    for bytes in files("scale-tests/fuzz/corpus/topo_synthetic", "") {
        input::topo::synthetic(&bytes);
    }
}

#[test]
fn our_machines_are_sound_topologies() {
    let machines = files("cases/machines", ".xml");
    assert!(machines.len() >= 60, "{} machines", machines.len());
    for bytes in machines {
        input::topo::xml(&bytes);
    }
}

fn level() -> impl Strategy<Value = String> {
    let kind = prop::sample::select(vec![
        "package:",
        "die:",
        "numa:",
        "[numa] group:",
        "l3:",
        "l2:",
        "l1:",
        "l1i:",
        "core:",
        "L4u:",
        "Socket:",
        "",
    ]);
    let number = prop_oneof![8 => 1_u32..5, 1 => any::<u32>()];
    let end = prop::sample::select(vec![
        "",
        "",
        "",
        "(indexes=2*2:1*2)",
        "(indexes=1,0)",
        "(memory=4GB)",
        " [numa]",
    ]);
    (kind, number, end).prop_map(|(kind, number, end)| format!("{kind}{number}{end}"))
}

proptest! {
    #[test]
    fn any_description_is_sound_or_refused(levels in prop::collection::vec(level(), 0..7), pus in 1..5_u32) {
        input::topo::synthetic(format!("{} pu:{pus}", levels.join(" ")).as_bytes());
        input::topo::synthetic(levels.join(" ").as_bytes());
    }

    #[test]
    fn any_damage_is_sound_or_refused(file in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), what in "[a-z0-9\"<>/=, ]{0,3}") {
        let machines = files("cases/machines", ".xml");
        let mut bytes = machines[file.index(machines.len())].clone();
        let at = at.index(bytes.len());
        bytes.splice(at..(at + what.len()).min(bytes.len()), what.into_bytes());
        input::topo::xml(&bytes);
    }
}
