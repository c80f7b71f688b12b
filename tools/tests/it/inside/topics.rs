//! Topics of help.

use stowplan_cli::command::topics::Topic;
use stowplan_engine::text::words;

#[test]
fn every_word_is_told() {
    let told = |name: &str, words: Vec<&str>| {
        let page = Topic::of(name).unwrap().page();
        for word in words {
            assert!(page.contains(word), "{word} is not in help {name}");
        }
    };
    let names = |table: Vec<&'static str>| table;
    told("--map-by", names(words::spellings(words::MAP_WORDS)));
    told("map-by", names(words::spellings(words::MAP_QUALIFIERS)));
    told("map-by", names(words::spellings(words::MPIBIND_QUALIFIERS)));
    told("rank-by", names(words::spellings(words::RANK_WORDS)));
    told("bind-to", names(words::spellings(words::BIND_WORDS)));
    told("bind-to", names(words::spellings(words::BIND_QUALIFIERS)));
    told(
        "format",
        stowplan::job::args::FORMATS
            .iter()
            .map(|row| row.0)
            .collect(),
    );
}
