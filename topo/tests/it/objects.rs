//! The form in which topologies are compared: each object with its kind, numbers and PUs, and each device.

use std::path::{Path, PathBuf};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::cpusets::{Cpusets, list_form};
use stowplan_engine::table::topologies::{Topologies, TopologyDraft};
use stowplan_topo::TopoError;

/// One line of a listing: kind, logical index (of a device its name), OS number (of a device its subtype), PUs.
pub(crate) type Line = [String; 4];

/// The listing of a draft, through the engine's tables.
pub(crate) fn of_draft(draft: TopologyDraft) -> Vec<Line> {
    let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
    let topology = topologies.add(draft, &mut cpusets).unwrap();
    let mut lines = Vec::new();
    for kind in ObjKind::ALL {
        for (logical, object) in topologies.objects(topology, kind).enumerate() {
            let os = topologies.os(object);
            lines.push([
                kind.word().to_owned(),
                logical.to_string(),
                os.map_or("-".to_owned(), |os| os.to_string()),
                list_form(cpusets.get(topologies.cpuset(object))),
            ]);
        }
    }
    let pus_os = topologies.pus_os(topology);
    for device in topologies.devices(topology) {
        let pus = device
            .pus
            .iter()
            .flat_map(|range| &pus_os[range.start as usize..range.end as usize]);
        lines.push([
            "device".to_owned(),
            device.name.clone(),
            device.subtype.clone(),
            list_form(&pus.copied().collect()),
        ]);
    }
    lines
}

/// The listing that a text holds.
pub(crate) fn of_text(text: &str) -> Vec<Line> {
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let mut fields = row.split('\t').map(str::to_owned);
        std::array::from_fn(|_| fields.next().unwrap_or_default())
    })
    .collect()
}

/// The folder with the reference data, or `None` after saying that the test is skipped.
pub(crate) fn shared(test: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let dir = std::env::var_os("STOWPLAN_SHARED").map_or(root.join("../shared"), PathBuf::from);
    if dir.join("corpus").is_dir() {
        return Some(dir);
    }
    say(&format!(
        "{test} skipped: there is no {}/corpus; STOWPLAN_SHARED can name another place",
        dir.display()
    ));
    None
}

/// A folder of the workspace.
pub(crate) fn workspace(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(folder)
}

/// Files of a folder whose names have this end, sorted.
pub(crate) fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.to_string_lossy().ends_with(end));
    found.sort();
    found
}

/// Prints a line about a test. It is seen with `--nocapture`, or when the test fails.
#[expect(clippy::print_stdout, reason = "a test has nowhere else to say it")]
pub(crate) fn say(words: &str) {
    println!("{words}");
}

/// A source of a topology, for the second opinion.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'a> {
    Xml(&'a [u8]),
    Synthetic(&'a str),
}

/// Reads a source, compares the result with libhwloc's where libhwloc is built in, and gives the listing.
pub(crate) fn read(name: &str, source: Source<'_>) -> Result<Vec<Line>, TopoError> {
    let draft = match source {
        Source::Xml(bytes) => stowplan_topo::xml::parse(bytes),
        Source::Synthetic(text) => stowplan_topo::synthetic::parse(text),
    }?;
    let lines = of_draft(draft);
    // libhwloc is given only input that we have read and found sound.
    #[cfg(feature = "hwloc")]
    crate::second_opinion::compare(name, source, &lines);
    #[cfg(not(feature = "hwloc"))]
    let _ = name;
    Ok(lines)
}

/// Fails at the first line that differs.
pub(crate) fn assert_same(name: &str, ours: &[Line], theirs: &[Line], whose: &str) {
    let longest = ours.len().max(theirs.len());
    for row in 0..longest {
        let (our, their) = (ours.get(row), theirs.get(row));
        assert_eq!(
            our,
            their,
            "{name}, line {}: ours first, then {whose}",
            row + 2
        );
    }
}
