//! Files and descriptions against the listings that libhwloc made of them.

use crate::objects::{Source, assert_same, files, of_text, read, say, shared, workspace};
use std::path::Path;

/// Compares every XML file of a folder that has a listing beside it. Gives how many those were.
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
    assert!(compared >= 20, "{compared} machines");
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
