//! The words of directives, as tables: parser, help and hints all follow them. Source: `semantics` 2.2, 2.3.

use crate::policy::{MapKind, ObjKind, PprObject};

/// A qualifier of `--map-by mpibind` alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MpibindQualifier {
    /// `threads=T`.
    Threads,
    /// `greedy=0`.
    Greedy,
    /// `gpu=0`.
    Gpu,
    /// `smt=S`.
    Smt,
    /// One that other maps have too.
    Common(MapQualifier),
}

/// A qualifier of `--map-by`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MapQualifier {
    /// `span`.
    Span,
    /// `oversubscribe`.
    Oversubscribe,
    /// `nooversubscribe`.
    NoOversubscribe,
    /// `nolocal`.
    NoLocal,
    /// `ordered`.
    Ordered,
    /// `pe=N`.
    Pe,
    /// `inherit`.
    Inherit,
    /// `noinherit`.
    NoInherit,
    /// `hwtcpus`.
    HwtCpus,
    /// `corecpus`.
    CoreCpus,
    /// `file=PATH`.
    File,
}

/// A word of `--rank-by`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RankWord {
    /// Node by node, in placement order.
    Slot,
    /// Round-robin over nodes.
    Node,
    /// Object by object.
    Fill,
    /// Round-robin over objects.
    Span,
}

/// A word of `--bind-to`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BindWord {
    /// Not at all.
    Nothing,
    /// To an object of a kind.
    Object(ObjKind),
}

/// A qualifier of `--bind-to`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BindQualifier {
    /// `if-supported`.
    IfSupported,
    /// `overload-allowed`.
    OverloadAllowed,
    /// `no-overload`.
    NoOverload,
    /// `report`.
    Report,
    /// `limit=N`.
    Limit,
}

/// How far a word may be shortened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shortening {
    /// To any prefix that fits no other word.
    Unique,
    /// Not at all; nor does it make another prefix ambiguous.
    Never,
}
use Shortening::{Never, Unique};

/// One word of a table.
pub type Word<T> = (&'static str, Shortening, T);

/// Words of `--map-by`.
pub const MAP_WORDS: &[Word<MapKind>] = &[
    ("slot", Unique, MapKind::Slot),
    ("node", Unique, MapKind::Node),
    ("seq", Unique, MapKind::Seq),
    ("core", Unique, MapKind::Object(ObjKind::Core)),
    ("l1cache", Unique, MapKind::Object(ObjKind::L1)),
    ("l2cache", Unique, MapKind::Object(ObjKind::L2)),
    ("l3cache", Unique, MapKind::Object(ObjKind::L3)),
    ("numa", Unique, MapKind::Object(ObjKind::Numa)),
    ("package", Unique, MapKind::Object(ObjKind::Package)),
    ("rankfile", Unique, MapKind::Rankfile),
    ("hwthread", Unique, MapKind::Object(ObjKind::Hwthread)),
    ("pe-list", Unique, MapKind::PeList),
    ("gpu", Unique, MapKind::Object(ObjKind::Gpu)),
    ("mpibind", Unique, MapKind::Mpibind),
    ("ppr", Never, MapKind::Ppr),
    ("dist", Never, MapKind::Dist),
    ("socket", Never, MapKind::Object(ObjKind::Package)),
];

/// Qualifiers of `--map-by`.
pub const MAP_QUALIFIERS: &[Word<MapQualifier>] = &[
    ("span", Unique, MapQualifier::Span),
    ("oversubscribe", Unique, MapQualifier::Oversubscribe),
    ("nooversubscribe", Unique, MapQualifier::NoOversubscribe),
    ("nolocal", Unique, MapQualifier::NoLocal),
    ("ordered", Unique, MapQualifier::Ordered),
    ("pe", Unique, MapQualifier::Pe),
    ("inherit", Unique, MapQualifier::Inherit),
    ("noinherit", Unique, MapQualifier::NoInherit),
    ("hwtcpus", Unique, MapQualifier::HwtCpus),
    ("corecpus", Unique, MapQualifier::CoreCpus),
    ("file", Unique, MapQualifier::File),
];

/// Qualifiers of `--map-by mpibind`.
pub const MPIBIND_QUALIFIERS: &[Word<MpibindQualifier>] = &[
    ("threads", Unique, MpibindQualifier::Threads),
    ("greedy", Unique, MpibindQualifier::Greedy),
    ("gpu", Unique, MpibindQualifier::Gpu),
    ("smt", Unique, MpibindQualifier::Smt),
    ("span", Unique, MpibindQualifier::Common(MapQualifier::Span)),
    (
        "oversubscribe",
        Unique,
        MpibindQualifier::Common(MapQualifier::Oversubscribe),
    ),
    (
        "nooversubscribe",
        Unique,
        MpibindQualifier::Common(MapQualifier::NoOversubscribe),
    ),
    (
        "nolocal",
        Unique,
        MpibindQualifier::Common(MapQualifier::NoLocal),
    ),
    (
        "ordered",
        Unique,
        MpibindQualifier::Common(MapQualifier::Ordered),
    ),
    ("pe", Unique, MpibindQualifier::Common(MapQualifier::Pe)),
    (
        "inherit",
        Unique,
        MpibindQualifier::Common(MapQualifier::Inherit),
    ),
    (
        "noinherit",
        Unique,
        MpibindQualifier::Common(MapQualifier::NoInherit),
    ),
    (
        "hwtcpus",
        Unique,
        MpibindQualifier::Common(MapQualifier::HwtCpus),
    ),
    (
        "corecpus",
        Unique,
        MpibindQualifier::Common(MapQualifier::CoreCpus),
    ),
    ("file", Unique, MpibindQualifier::Common(MapQualifier::File)),
];

/// Objects of `ppr:N:object`.
pub const PPR_OBJECTS: &[Word<PprObject>] = &[
    ("node", Unique, PprObject::Node),
    ("hwthread", Unique, PprObject::Kind(ObjKind::Hwthread)),
    ("core", Unique, PprObject::Kind(ObjKind::Core)),
    ("package", Unique, PprObject::Kind(ObjKind::Package)),
    ("skt", Unique, PprObject::Kind(ObjKind::Package)),
    ("socket", Unique, PprObject::Kind(ObjKind::Package)),
    ("numa", Unique, PprObject::Kind(ObjKind::Numa)),
    ("l1cache", Unique, PprObject::Kind(ObjKind::L1)),
    ("l2cache", Unique, PprObject::Kind(ObjKind::L2)),
    ("l3cache", Unique, PprObject::Kind(ObjKind::L3)),
    ("gpu", Unique, PprObject::Kind(ObjKind::Gpu)),
];

/// Objects that stated devices can be near to.
pub const NEAR_OBJECTS: &[Word<ObjKind>] = &[
    ("node", Unique, ObjKind::Machine),
    ("package", Unique, ObjKind::Package),
    ("socket", Never, ObjKind::Package),
    ("die", Unique, ObjKind::Die),
    ("numa", Unique, ObjKind::Numa),
    ("l3cache", Unique, ObjKind::L3),
    ("l2cache", Unique, ObjKind::L2),
    ("l1cache", Unique, ObjKind::L1),
    ("core", Unique, ObjKind::Core),
    ("hwthread", Unique, ObjKind::Hwthread),
];

/// Words of `--rank-by`.
pub const RANK_WORDS: &[Word<RankWord>] = &[
    ("slot", Unique, RankWord::Slot),
    ("node", Unique, RankWord::Node),
    ("fill", Unique, RankWord::Fill),
    ("span", Unique, RankWord::Span),
];

/// Words of `--bind-to`.
pub const BIND_WORDS: &[Word<BindWord>] = &[
    ("none", Unique, BindWord::Nothing),
    ("hwthread", Unique, BindWord::Object(ObjKind::Hwthread)),
    ("core", Unique, BindWord::Object(ObjKind::Core)),
    ("l1cache", Unique, BindWord::Object(ObjKind::L1)),
    ("l2cache", Unique, BindWord::Object(ObjKind::L2)),
    ("l3cache", Unique, BindWord::Object(ObjKind::L3)),
    ("numa", Unique, BindWord::Object(ObjKind::Numa)),
    ("package", Unique, BindWord::Object(ObjKind::Package)),
    ("socket", Never, BindWord::Object(ObjKind::Package)),
];

/// Qualifiers of `--bind-to`.
pub const BIND_QUALIFIERS: &[Word<BindQualifier>] = &[
    ("if-supported", Unique, BindQualifier::IfSupported),
    ("overload-allowed", Unique, BindQualifier::OverloadAllowed),
    ("no-overload", Unique, BindQualifier::NoOverload),
    ("report", Unique, BindQualifier::Report),
    ("limit", Unique, BindQualifier::Limit),
];

/// What a text means in a table of words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FoundWord<T> {
    /// This word.
    Word(T),
    /// A prefix of all of these.
    Ambiguous(Vec<&'static str>),
    /// No word of the table.
    Unknown {
        /// The word spelt most alike.
        nearest: Option<&'static str>,
    },
}

/// The word that a text is: an exact word always means itself, else the only word it begins, whatever the case.
/// In words with inner dashes each part may be shortened (`pe-l`, `no-o`).
///
/// Cost: one pass over the table. Source: `semantics` 2.2.
/// ```
/// use stowplan_engine::text::words::{find_word, FoundWord, RankWord, RANK_WORDS};
/// assert_eq!(find_word(RANK_WORDS, "SL"), FoundWord::Word(RankWord::Slot));
/// assert_eq!(find_word(RANK_WORDS, "s"), FoundWord::Ambiguous(vec!["slot", "span"]));
/// assert_eq!(find_word(RANK_WORDS, "slots"), FoundWord::Unknown { nearest: Some("slot") });
/// ```
#[must_use]
pub fn find_word<T: Copy>(table: &[Word<T>], text: &str) -> FoundWord<T> {
    if let Some(&(_, _, word)) = table
        .iter()
        .find(|(name, _, _)| name.eq_ignore_ascii_case(text))
    {
        return FoundWord::Word(word);
    }
    let fits: Vec<_> = table
        .iter()
        .filter(|(name, shortening, _)| *shortening == Unique && begins(name, text))
        .collect();
    match fits.as_slice() {
        [] => FoundWord::Unknown {
            nearest: nearest(table.iter().map(|(name, _, _)| *name), text),
        },
        [(_, _, word)] => FoundWord::Word(*word),
        several => FoundWord::Ambiguous(several.iter().map(|(name, _, _)| *name).collect()),
    }
}

/// Whether every dash-separated part of `text` begins the part of `name` at its place.
fn begins(name: &str, text: &str) -> bool {
    let mut parts = name.split('-');
    !text.is_empty()
        && text.split('-').all(|short| {
            parts.next().is_some_and(|part| {
                part.get(..short.len())
                    .is_some_and(|head| head.eq_ignore_ascii_case(short))
            })
        })
}

/// The words of a table, in its order.
#[must_use]
pub fn spellings<T>(table: &[Word<T>]) -> Vec<&'static str> {
    table.iter().map(|(name, _, _)| *name).collect()
}

/// The candidate spelt most alike, if one is alike at all: at most a third of the letters, and one, differ.
/// Texts beyond 64 bytes are like nothing. Cost: candidates × their length × the text's length.
#[must_use]
pub fn nearest<'a>(candidates: impl Iterator<Item = &'a str>, text: &str) -> Option<&'a str> {
    if text.is_empty() || text.len() > 64 {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    candidates
        .map(|name| (distance(name.as_bytes(), lower.as_bytes()), name))
        .filter(|&(edits, name)| edits <= 1 + name.len() / 3 && edits < name.len().max(lower.len()))
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, name)| name)
}

/// Edits (insert, remove, replace, swap neighbours) from one word to the other.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replaced = above[j] + usize::from(a[i] != b[j]);
            let mut best = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = above;
        above = row;
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_unique_prefixes_of_the_rules_are_words() {
        for text in [
            "c", "h", "r", "no", "nu", "sl", "se", "pa", "pe-", "L1", "pe-l",
        ] {
            assert!(
                matches!(find_word(MAP_WORDS, text), FoundWord::Word(_)),
                "{text}"
            );
        }
        for text in ["s", "n", "l", "p"] {
            assert!(
                matches!(find_word(MAP_WORDS, text), FoundWord::Ambiguous(_)),
                "{text}"
            );
        }
        for text in [
            "s", "i", "f", "h", "c", "p", "ov", "or", "noo", "nol", "noi",
        ] {
            assert!(
                matches!(find_word(MAP_QUALIFIERS, text), FoundWord::Word(_)),
                "{text}"
            );
        }
        for text in ["o", "n", "no"] {
            assert!(
                matches!(find_word(MAP_QUALIFIERS, text), FoundWord::Ambiguous(_)),
                "{text}"
            );
        }
    }

    #[test]
    fn whole_words_only_where_the_rules_say_so() {
        assert_eq!(find_word(MAP_WORDS, "PPR"), FoundWord::Word(MapKind::Ppr));
        for text in ["pp", "dis", "soc", "corexyz", ""] {
            assert!(
                matches!(find_word(MAP_WORDS, text), FoundWord::Unknown { .. }),
                "{text}"
            );
        }
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
}
