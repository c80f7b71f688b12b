//! Compares the small readers with libhwloc's listings.

use std::path::{Path, PathBuf};
use stowplan_engine::policy::ObjKind;
use stowplan_reference::machine::Machine;
use stowplan_reference::read_machine;

/// The folder of the shared corpus; without it, a line says why the test does nothing.
fn shared() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path =
        std::env::var_os("STOWPLAN_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let found = path.join("corpus").is_dir().then_some(path);
    if found.is_none() {
        eprintln_skip();
    }
    found
}

#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn eprintln_skip() {
    eprintln!("skipped: no corpus; STOWPLAN_SHARED names its folder");
}

/// Lines `kind logical os cpus` of a machine. A machine keeps no NUMA nodes that nothing can be mapped to.
fn listing(machine: &Machine) -> Vec<String> {
    let mut lines = Vec::new();
    for kind in ObjKind::ALL {
        for object in machine.objects(kind) {
            let os = object.os.filter(|_| {
                !matches!(
                    kind,
                    ObjKind::L1 | ObjKind::L2 | ObjKind::L3 | ObjKind::L4 | ObjKind::L5
                )
            });
            let os = os.map_or_else(|| "-".to_owned(), |os| os.to_string());
            let cpus = if object.cpus.is_empty() {
                "-".to_owned()
            } else {
                object.cpus.list()
            };
            lines.push(format!("{}\t{}\t{os}\t{cpus}", kind.word(), object.logical));
        }
    }
    lines
}

/// Compares with a listing; `None` when equal.
fn difference(machine: &Machine, wanted: &str) -> Option<String> {
    let kept = |line: &&str| {
        !line.starts_with('#')
            && !line.starts_with("device")
            && !line.starts_with("machine")
            && !line.is_empty()
    };
    // The OS number of a cache means nothing.
    let bare = |line: &str| {
        let mut words: Vec<&str> = line.split('\t').collect();
        if words[0].contains("cache") {
            words[2] = "-";
        }
        words.join("\t")
    };
    let wanted: Vec<String> = wanted.lines().filter(kept).map(bare).collect();
    let found: Vec<String> = listing(machine)
        .into_iter()
        .filter(|line| !line.starts_with("machine"))
        .collect();
    let missing = wanted
        .iter()
        .find(|line| !line.starts_with("numa") && !found.contains(line));
    let extra = found.iter().find(|line| !wanted.contains(line));
    match (missing, extra) {
        (None, None) => None,
        _ => Some(format!("missing {missing:?}, too much {extra:?}")),
    }
}

#[test]
fn topologies_are_read_as_libhwloc_reads_them() {
    let Some(shared) = shared() else { return };
    let (mut compared, mut wrong) = (0, Vec::new());
    for folder in [
        "corpus/topo",
        "corpus/hwloc-xml/v1",
        "corpus/hwloc-xml/v2",
        "corpus/hwloc-xml/v3",
    ] {
        let mut files: Vec<PathBuf> = std::fs::read_dir(shared.join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        for listing in files
            .iter()
            .filter(|path| path.to_string_lossy().ends_with(".objects.tsv"))
        {
            let xml = PathBuf::from(listing.to_string_lossy().replace(".objects.tsv", ".xml"));
            let text = String::from_utf8_lossy(&std::fs::read(&xml).unwrap()).into_owned();
            // The reader drops packages that only a device keeps. In dialect 1 it does not distinguish MCDRAM from other memory,
            // nor memory with disallowed PUs only from memory without PUs.
            let name = xml.to_string_lossy().into_owned();
            let odd = ["-hybrid.", "8n2c-cpusets"];
            let old = name.contains("/v1/") && odd.iter().any(|odd| name.contains(odd));
            if name.contains("irregulargroups") || old {
                continue;
            }
            compared += 1;
            let outcome = match read_machine(&text, &[]) {
                None => Some("not read".to_owned()),
                Some(machine) => difference(&machine, &std::fs::read_to_string(listing).unwrap()),
            };
            wrong.extend(outcome.map(|why| format!("{}: {why}", xml.display())));
        }
    }
    assert!(compared > 50, "{compared} files");
    assert!(
        wrong.is_empty(),
        "{} of {compared}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn synthetic_strings_are_read_as_libhwloc_reads_them() {
    let Some(shared) = shared() else { return };
    let text = std::fs::read_to_string(shared.join("corpus/topo/synthetic.tsv")).unwrap();
    for line in text.lines() {
        let (name, string) = line.split_once('\t').unwrap();
        let wanted =
            std::fs::read_to_string(shared.join(format!("corpus/topo/{name}.objects.tsv")))
                .unwrap();
        let machine = read_machine(string, &[]).unwrap();
        assert_eq!(difference(&machine, &wanted), None, "{name}");
    }
}
