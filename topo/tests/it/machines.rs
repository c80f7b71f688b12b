//! Compares files and descriptions with the listings that libhwloc made of them.

use crate::objects::{Source, assert_same, files, of_text, read, say, shared, workspace};
use std::path::Path;

/// Compares every XML file of a folder that has a listing beside it. Gives the number of files compared.
fn compare_folder(folder: &Path) -> usize {
    let listings = files(folder, ".objects.tsv");
    for listing in &listings {
        let name = listing.to_string_lossy();
        let xml = name.replace(".objects.tsv", ".xml");
        let bytes = std::fs::read(&xml).unwrap();
        let ours = read(&xml, Source::Xml(&bytes)).unwrap_or_else(|error| panic!("{xml}: {error}"));
        let theirs = of_text(&std::fs::read_to_string(listing).unwrap());
        assert_same(&xml, &ours, &theirs, "the listing");
    }
    listings.len()
}

#[test]
fn machines_of_our_own_are_listed_as_libhwloc_lists_them() {
    let compared = compare_folder(&workspace("cases/machines"));
    assert!(compared >= 60, "{compared} machines");
}

#[test]
fn machines_of_the_reference_corpus_are_listed_as_libhwloc_lists_them() {
    let Some(shared) = shared("machines of the reference corpus") else {
        return;
    };
    for (folder, least) in [
        ("topo", 22),
        ("hwloc-xml/v1", 20),
        ("hwloc-xml/v2", 30),
        ("hwloc-xml/v3", 30),
    ] {
        let compared = compare_folder(&shared.join("corpus").join(folder));
        assert!(compared >= least, "{folder}: {compared} machines");
        say(&format!("{folder}: {compared} machines"));
    }
}

#[test]
fn synthetic_descriptions_give_the_machines_that_were_made_from_them() {
    let folder = workspace("cases/machines");
    let table = std::fs::read_to_string(folder.join("synthetic.tsv")).unwrap();
    for row in table.lines() {
        let (name, text) = row.split_once('\t').unwrap();
        let ours = read(name, Source::Synthetic(text)).unwrap();
        let listing = std::fs::read_to_string(folder.join(format!("{name}.objects.tsv"))).unwrap();
        assert_same(name, &ours, &of_text(&listing), "the listing");
    }
}

/// Descriptions that the corpus does not have, compared with libhwloc where it is built in.
#[test]
fn synthetic_descriptions_are_read_as_libhwloc_reads_them() {
    for text in [
        "pu:1",
        "3 2",
        "package:2 [numa(indexes=1,0)] core:2 [numa] pu:0x2",
        "[numa] package:2 core:2 pu:2(indexes=core:package)",
        "package:3 l1i:2 core:2 pu:1(indexes=11,3,7,0,5,9,1,10,2,8,6,4)",
        "group:2 l2:2 l2:1 core:1 pu:2(indexes=2*4:1*2)",
        "Tile:2 So:1 nu:2 co:1 pu:010",
        "(memory=4GB) package:2(memory=1 indexes=1,0) pu:2",
        // An interleaving that does not number all PUs is ignored.
        "package:2 core:3 pu:2(indexes=5*2:7*2)",
    ] {
        read(text, Source::Synthetic(text)).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
}

#[test]
fn named_machines_are_read_as_libhwloc_reads_their_strings() {
    for machine in stowplan_topo::builtin::MACHINES {
        read(machine.name, Source::Synthetic(machine.synthetic)).unwrap();
    }
}

#[test]
fn latencies_between_numa_nodes_are_kept_by_logical_number() {
    let latency = |name: &str| {
        let file = workspace("cases/machines").join(name);
        stowplan_topo::xml::parse(&std::fs::read(file).unwrap())
            .unwrap()
            .latency
    };
    let found = latency("latency.xml").unwrap();
    assert_eq!(found.nodes, [2, 0, 1, 3], "in the order of the file");
    assert_eq!(found.values[..4], [10, 21, 22, 12]);
    assert_eq!(latency("v3-by-hand-latency.xml").unwrap(), found);
    let old = latency("v1-latency.xml").unwrap();
    assert_eq!(old.nodes, [0, 1, 2]);
    assert_eq!(old.values, [10, 21, 31, 21, 10, 21, 31, 21, 10]);
    assert_eq!(latency("devices.xml"), None);
}

#[test]
fn a_machine_is_the_same_topology_from_whatever_it_is_read() {
    let folder = workspace("cases/machines");
    let table = std::fs::read_to_string(folder.join("synthetic.tsv")).unwrap();
    for row in table.lines() {
        let (name, text) = row.split_once('\t').unwrap();
        let xml = std::fs::read(folder.join(format!("{name}.xml"))).unwrap();
        let from_xml = stowplan_topo::xml::parse(&xml).unwrap();
        assert_eq!(
            from_xml,
            stowplan_topo::synthetic::parse(text).unwrap(),
            "{name}"
        );
    }
}
