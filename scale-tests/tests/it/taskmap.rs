//! Task maps: the fuzz corpus replayed, and the fuzz bodies on bytes from a seed.

use proptest::prelude::*;
use stowplan_scale_tests::input::taskmap;

/// The body of a fuzz target.
type Body = fn(&[u8]);

/// Fuzz targets, by the name of their corpus.
const TARGETS: &[(&str, Body)] = &[
    ("taskmap_array", taskmap::array),
    ("taskmap_wrapped", taskmap::wrapped),
    ("taskmap_pmi", taskmap::pmi),
    ("taskmap_raw", taskmap::raw),
    ("taskmap_written", taskmap::written),
];

#[test]
fn the_corpus_of_each_reader_is_still_read_or_refused() {
    for (name, body) in TARGETS {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../fuzz/corpus")
            .join(name);
        let files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert!(!files.is_empty(), "{name}");
        files
            .iter()
            .for_each(|file| body(&std::fs::read(file).unwrap()));
    }
}

proptest! {
    #[test]
    fn any_blocks_are_judged(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        taskmap::written(&bytes);
    }

    #[test]
    fn few_small_blocks_are_judged(bytes in proptest::collection::vec(0_u8..3, 0..40)) {
        taskmap::written(&bytes);
    }

    #[test]
    fn texts_that_look_right_are_judged(text in "[0-9,;\\-]{0,40}", list in "(\\([0-3],[0-3],[0-3]\\),){0,6}\\)") {
        taskmap::raw(text.as_bytes());
        taskmap::pmi(list.as_bytes());
    }

    #[test]
    fn json_that_looks_right_is_judged(list in "(\\[[0-3],[0-3],[0-3],[0-9]\\],){0,6}\\[0,1,1,1\\]\\]", key in "[a-z\\\\u0-9]{0,6}") {
        taskmap::array(list.as_bytes());
        taskmap::wrapped(format!("\"{key}\":{list},\"version\":1,\"map\":[{list}}}").as_bytes());
    }
}
