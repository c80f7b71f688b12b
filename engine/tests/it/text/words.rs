//! The words of policies, whole and shortened.

use stowplan_engine::error::spec::WordFault;
use stowplan_engine::policy::MapBy;
use stowplan_engine::text::words::{MAP_QUALIFIERS, MAP_WORDS, find_word, nearest, spellings};

#[test]
fn the_shortest_unique_prefixes_of_the_rules_are_words() {
    for text in [
        "c", "h", "r", "no", "nu", "sl", "se", "pa", "pe-", "L1", "pe-l",
    ] {
        assert!(find_word(MAP_WORDS, text).is_ok(), "{text}");
    }
    for text in ["s", "n", "l", "p"] {
        assert!(
            matches!(find_word(MAP_WORDS, text), Err(WordFault::Ambiguous { .. })),
            "{text}"
        );
    }
    for text in [
        "s", "i", "f", "h", "c", "p", "ov", "or", "noo", "nol", "noi",
    ] {
        assert!(find_word(MAP_QUALIFIERS, text).is_ok(), "{text}");
    }
    for text in ["o", "n", "no"] {
        assert!(
            matches!(
                find_word(MAP_QUALIFIERS, text),
                Err(WordFault::Ambiguous { .. })
            ),
            "{text}"
        );
    }
}

#[test]
fn whole_words_only_where_the_rules_say_so() {
    assert_eq!(find_word(MAP_WORDS, "PPR"), Ok(MapBy::PPR));
    for text in ["pp", "dis", "soc", "corexyz"] {
        assert!(
            matches!(find_word(MAP_WORDS, text), Err(WordFault::Unknown { .. })),
            "{text}"
        );
    }
    assert_eq!(find_word(MAP_WORDS, ""), Err(WordFault::Empty));
}

#[test]
fn a_slip_is_named_by_the_word_it_is_nearest_to() {
    assert_eq!(
        nearest(spellings(MAP_WORDS).into_iter(), "sockte"),
        Some("socket")
    );
    assert_eq!(
        nearest(spellings(MAP_WORDS).into_iter(), "numma"),
        Some("numa")
    );
    assert_eq!(nearest(spellings(MAP_WORDS).into_iter(), "xyzzy"), None);
}
