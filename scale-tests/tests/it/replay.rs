//! Earlier findings of the fuzzers: every file of the corpus goes through the body of its target, so that each stays fixed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stowplan_scale_tests::input::{compare, network, openmp, plan, session, taskmap, text, topo};

/// The body of a fuzz target.
type Body = fn(&[u8]);

/// Fuzz targets, by the name of their corpus.
const TARGETS: &[(&str, Body)] = &[
    ("compare", compare::compare),
    ("openmp_process", openmp::process),
    ("plan_bytes", plan::bytes),
    ("plan_resealed", plan::resealed),
    ("session_events", session::events),
    ("session_forged", session::forged),
    ("session_journal", session::journal),
    ("session_scenario", session::scenario),
    ("taskmap_array", taskmap::array),
    ("taskmap_pmi", taskmap::pmi),
    ("taskmap_raw", taskmap::raw),
    ("taskmap_wrapped", taskmap::wrapped),
    ("taskmap_written", taskmap::written),
    ("text_affinity", text::affinity),
    ("text_argv", stowplan_cli::fuzz_bodies::argv),
    ("text_directive", text::directive),
    ("text_hostfile", text::hostfile),
    ("text_hosts", text::hosts),
    ("text_line", stowplan_cli::fuzz_bodies::line),
    ("text_network", network::network),
    ("text_omp", openmp::words),
    ("text_packed", text::packed_request),
    ("text_rankfile", text::rankfile),
    ("text_request", stowplan_cli::fuzz_bodies::request),
    ("text_script", stowplan_cli::fuzz_bodies::script),
    ("text_sequence", text::sequence),
    ("text_site", stowplan_cli::fuzz_bodies::site),
    ("topo_synthetic", topo::synthetic),
    ("topo_xml", topo::xml),
];

fn fuzz(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz")
        .join(folder)
}

/// Paths in a folder, in order.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn whatever_fuzzing_found_stays_mended() {
    let bodies: BTreeMap<&str, Body> = TARGETS.iter().copied().collect();
    for folder in entries(&fuzz("corpus")) {
        let name = folder.file_name().and_then(|name| name.to_str()).unwrap();
        let body = bodies
            .get(name)
            .unwrap_or_else(|| panic!("no target reads fuzz/corpus/{name}"));
        let files = entries(&folder);
        assert!(!files.is_empty(), "fuzz/corpus/{name} is empty");
        for file in files {
            body(&std::fs::read(file).unwrap());
        }
    }
}

#[test]
fn every_fuzz_target_is_replayed_here() {
    let targets = entries(&fuzz("fuzz_targets"));
    let names: Vec<&str> = targets
        .iter()
        .filter_map(|path| path.file_stem()?.to_str())
        .collect();
    let here: Vec<&str> = TARGETS.iter().map(|&(name, _)| name).collect();
    assert_eq!(here, names);
}
