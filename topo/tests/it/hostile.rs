//! Bad input gives an error at once that says what is wrong and where, and never a panic.

use crate::objects::{files, workspace};
use proptest::prelude::*;
use stowplan_topo::{TopoError, synthetic, xml};

/// Fails unless the text is refused with an error that has these words.
fn refused(text: &str, words: &str) {
    let error = synthetic::parse(text).unwrap_err();
    assert_eq!(error.class(), "bad-topology");
    let sentence = error.to_string();
    assert!(sentence.contains(words), "{sentence:?} lacks {words:?}");
}

#[test]
fn a_bad_description_is_refused_with_its_column() {
    refused(
        "package:2 cores:4 pu:1",
        "column 11: \"cores\" is no kind of object",
    );
    refused(
        "package:2 core:4",
        "column 11: \"core\" cannot be the last level",
    );
    refused(
        "package:2 core pu",
        "column 11: the kind \"core\" needs a colon",
    );
    refused(
        "package:0 pu:1",
        "column 9: a number of objects is needed here",
    );
    refused(
        "package:2 package:2 pu:1",
        "column 11: there are two levels of packages",
    );
    refused("package:2 2 pu:1", "some levels name their kind");
    refused("package:2 [numa pu:1", "a closing ']' is missing");
    refused("package:2(memory=1GB pu:1", "a closing ')' is missing");
    refused(
        "package:2(colour=red) pu:1",
        "column 11: unknown attribute \"colour=red\"",
    );
    refused("numa:2 [numa] pu:1", "NUMA nodes are a level and attached");
    refused("pu:2(indexes=1,1)", "OS number 1");
    refused("pu:2(indexes=1,4294967295)", "4294967295");
    refused("machine:1 pu:1", "\"machine\" cannot be a level");
    refused("", "it has no level");
}

#[test]
fn what_would_fill_the_memory_is_refused_before_it_does() {
    refused(
        "package:4000000000 pu:4000000000",
        "at least 4000000000 PUs",
    );
    refused("99999999999999999999999 pu:1", "PUs");
    refused("package:1048576 core:2 pu:1", "at least 2097152 PUs");
    refused(&"group:1 ".repeat(200), "levels");
}

#[test]
fn bad_xml_is_refused_with_its_line() {
    let cases: &[(&str, &str)] = &[
        ("", "no <topology>"),
        ("package:2", "text before <topology>"),
        ("<html></html>", "<html> is no <topology>"),
        ("<topology version=\"4.0\"></topology>", "dialect beyond 3"),
        ("<topology>", "ends before its last tag"),
        ("<topology></topology>", "it has no object"),
        ("<topology><object/></topology>", "without type"),
        (
            "<topology>\n<object type=\"Machine\" cpuset=\"0xg\"/></topology>",
            "line 2, column 1: cpuset=\"0xg\"",
        ),
        (
            "<topology><object cpuset=\"0x1\"/></topology>",
            "before its type",
        ),
        (
            "<topology><object type=\"Rack\"/></topology>",
            "type=\"Rack\"",
        ),
        (
            "<topology><object type=\"Machine\" cpuset=\"0x1\" complete_cpuset=\"0x1\"></topology>",
            "not well-formed",
        ),
    ];
    for (text, words) in cases {
        let error = xml::parse(text.as_bytes()).unwrap_err();
        assert_eq!(error.class(), "bad-topology");
        let sentence = error.to_string();
        assert!(
            sentence.contains(words),
            "{text}: {sentence:?} lacks {words:?}"
        );
    }
}

#[test]
fn deep_xml_and_long_sets_are_bounded() {
    let object = "<object type=\"Group\" cpuset=\"0x1\" complete_cpuset=\"0x1\">";
    let deep = format!(
        "<topology><object type=\"Machine\" cpuset=\"0x1\" complete_cpuset=\"0x1\">{}",
        object.repeat(100_000)
    );
    let error = xml::parse(deep.as_bytes()).unwrap_err();
    assert!(
        error.to_string().contains("objects above each other"),
        "{error}"
    );
    let commas = ",".repeat(1000);
    let long = format!(
        "<topology><object type=\"Machine\" cpuset=\"0x1{commas}\" complete_cpuset=\"0x1{commas}\">\
         <object type=\"PU\" os_index=\"32000\" cpuset=\"0x1{commas}\" complete_cpuset=\"0x1{commas}\"/></object></topology>"
    );
    assert_eq!(xml::parse(long.as_bytes()).unwrap().pus_os, [32_000]);
}

#[test]
fn a_name_without_machine_says_the_nearest() {
    let no_files = |_: &str| Err("no files".to_owned());
    let read = |text: &str| stowplan_topo::read(text, &no_files).unwrap_err();
    assert!(
        read("builtin:fronteir")
            .to_string()
            .contains("did you mean frontier?")
    );
    assert!(matches!(read("missing.xml"), TopoError::Unreadable { .. }));
    assert!(matches!(read("nothing"), TopoError::Neither { .. }));
    assert!(matches!(read("package:2"), TopoError::Synthetic { .. }));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "[a-z0-9:*,()\\[\\]= ]{0,60}") {
        if let Ok(draft) = synthetic::parse(&text) {
            crate::objects::of_draft(draft);
        }
    }

    #[test]
    fn any_cut_or_changed_file_is_read_or_refused(
        file in 0..1000_usize, at in 0..100_000_usize, byte in any::<u8>(), cut in any::<bool>()
    ) {
        let all = files(&workspace("cases/machines"), ".xml");
        let mut bytes = std::fs::read(&all[file % all.len()]).unwrap();
        let at = at % bytes.len();
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] = byte;
        }
        if let Ok(draft) = xml::parse(&bytes) {
            let (mut topologies, mut cpusets) = Default::default();
            let _ = stowplan_engine::table::topologies::Topologies::add(&mut topologies, draft, &mut cpusets);
        }
    }
}
