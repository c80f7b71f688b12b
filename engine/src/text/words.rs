//! The words of directives, as tables. Parser, help and hints all use them. Source: `semantics` 2.2, 2.3.
//!
//! Also: how words may be shortened (`find_word`), and the nearest word to a misspelled one (`nearest`).

use crate::error::spec::WordFault;
use crate::policy::{BindTo, Devices, MapBy, ObjKind, PprObject, RankBy};

/// A qualifier of `--map-by` or `--bind-to`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Qualifier {
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
    /// `threads=T` of mpibind.
    Threads,
    /// `greedy=0` of mpibind.
    Greedy,
    /// `gpu=0` of mpibind.
    Gpu,
    /// `smt=S` of mpibind.
    Smt,
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

/// The value that a qualifier must have: none, or one of this form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Takes {
    /// Nothing.
    Nothing,
    /// A number from 1 to 65535.
    Number(&'static str),
    /// 0 or 1.
    Switch(&'static str),
    /// A path.
    Path(&'static str),
}

impl Qualifier {
    /// The word as people write it.
    #[must_use]
    pub fn word(self) -> &'static str {
        [MAP_QUALIFIERS, MPIBIND_QUALIFIERS, BIND_QUALIFIERS]
            .into_iter()
            .flatten()
            .find(|row| row.2 == self)
            .map_or("", |row| row.0)
    }

    pub(crate) const fn takes(self) -> Takes {
        match self {
            Self::Pe => Takes::Number("pe=N"),
            Self::Limit => Takes::Number("limit=N"),
            Self::Threads => Takes::Number("threads=T"),
            Self::Smt => Takes::Number("smt=S"),
            Self::Greedy => Takes::Switch("greedy=0"),
            Self::Gpu => Takes::Switch("gpu=0"),
            Self::File => Takes::Path("file=PATH"),
            Self::Span
            | Self::Oversubscribe
            | Self::NoOversubscribe
            | Self::NoLocal
            | Self::Ordered
            | Self::Inherit
            | Self::NoInherit
            | Self::HwtCpus
            | Self::CoreCpus
            | Self::IfSupported
            | Self::OverloadAllowed
            | Self::NoOverload
            | Self::Report => Takes::Nothing,
        }
    }
}

/// How far a word may be shortened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shortening {
    /// To any prefix that fits no other word.
    Unique,
    /// Not at all. Such a word does not make a prefix ambiguous either.
    Never,
}
use Shortening::{Never, Unique};

/// One word of a table.
pub type Word<T> = (&'static str, Shortening, T);

/// Words of `--map-by`.
pub const MAP_WORDS: &[Word<MapBy>] = &[
    ("slot", Unique, MapBy::Slot),
    ("node", Unique, MapBy::Node),
    ("seq", Unique, MapBy::Seq),
    ("core", Unique, MapBy::Object(ObjKind::Core)),
    ("l1cache", Unique, MapBy::Object(ObjKind::L1)),
    ("l2cache", Unique, MapBy::Object(ObjKind::L2)),
    ("l3cache", Unique, MapBy::Object(ObjKind::L3)),
    ("numa", Unique, MapBy::Object(ObjKind::Numa)),
    ("package", Unique, MapBy::Object(ObjKind::Package)),
    ("rankfile", Unique, MapBy::Rankfile),
    ("hwthread", Unique, MapBy::Object(ObjKind::Hwthread)),
    ("pe-list", Unique, MapBy::PeList),
    ("gpu", Unique, MapBy::Object(ObjKind::Gpu)),
    ("mpibind", Unique, MapBy::MPIBIND),
    ("ppr", Never, MapBy::PPR),
    ("dist", Never, MapBy::Dist),
    ("device", Never, MapBy::DEVICE),
    ("socket", Never, MapBy::Object(ObjKind::Package)),
];

/// Qualifiers of `--map-by`.
pub const MAP_QUALIFIERS: &[Word<Qualifier>] = &[
    ("span", Unique, Qualifier::Span),
    ("oversubscribe", Unique, Qualifier::Oversubscribe),
    ("nooversubscribe", Unique, Qualifier::NoOversubscribe),
    ("nolocal", Unique, Qualifier::NoLocal),
    ("ordered", Unique, Qualifier::Ordered),
    ("pe", Unique, Qualifier::Pe),
    ("inherit", Unique, Qualifier::Inherit),
    ("noinherit", Unique, Qualifier::NoInherit),
    ("hwtcpus", Unique, Qualifier::HwtCpus),
    ("corecpus", Unique, Qualifier::CoreCpus),
    ("file", Unique, Qualifier::File),
];

/// Qualifiers of `--map-by mpibind`, besides those that every map has.
pub const MPIBIND_QUALIFIERS: &[Word<Qualifier>] = &[
    ("threads", Unique, Qualifier::Threads),
    ("greedy", Unique, Qualifier::Greedy),
    ("gpu", Unique, Qualifier::Gpu),
    ("smt", Unique, Qualifier::Smt),
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
    ("device=gpu", Never, PprObject::Devices(Devices::Gpus)),
    (
        "device=network",
        Never,
        PprObject::Devices(Devices::Networks),
    ),
    ("device=block", Never, PprObject::Devices(Devices::Blocks)),
];

/// Classes of devices behind `device=`. One card is known as a network card and to OpenFabrics, so these words mean the same.
pub const DEVICE_CLASSES: &[Word<Devices>] = &[
    ("gpu", Unique, Devices::Gpus),
    ("network", Unique, Devices::Networks),
    ("nic", Unique, Devices::Networks),
    ("fabric", Unique, Devices::Networks),
    ("openfabrics", Unique, Devices::Networks),
    ("block", Unique, Devices::Blocks),
];

/// Objects that a stated device can be near.
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
pub const RANK_WORDS: &[Word<RankBy>] = &[
    ("slot", Unique, RankBy::Slot),
    ("node", Unique, RankBy::Node),
    ("fill", Unique, RankBy::Fill),
    ("span", Unique, RankBy::Span),
];

/// Words of `--bind-to`.
pub const BIND_WORDS: &[Word<BindTo>] = &[
    ("none", Unique, BindTo::Nothing),
    ("hwthread", Unique, BindTo::Object(ObjKind::Hwthread)),
    ("core", Unique, BindTo::Object(ObjKind::Core)),
    ("l1cache", Unique, BindTo::Object(ObjKind::L1)),
    ("l2cache", Unique, BindTo::Object(ObjKind::L2)),
    ("l3cache", Unique, BindTo::Object(ObjKind::L3)),
    ("numa", Unique, BindTo::Object(ObjKind::Numa)),
    ("package", Unique, BindTo::Object(ObjKind::Package)),
    ("socket", Never, BindTo::Object(ObjKind::Package)),
];

/// Qualifiers of `--bind-to`.
pub const BIND_QUALIFIERS: &[Word<Qualifier>] = &[
    ("if-supported", Unique, Qualifier::IfSupported),
    ("overload-allowed", Unique, Qualifier::OverloadAllowed),
    ("no-overload", Unique, Qualifier::NoOverload),
    ("report", Unique, Qualifier::Report),
    ("limit", Unique, Qualifier::Limit),
];

/// Finds the word that a text means. An exact word always means itself; any other text means the only word that it is a
/// prefix of. Case does not matter. In words with inner dashes each part may be shortened (`pe-l`, `no-o`).
///
/// # Errors
/// An empty text; a prefix of several words, with these words; an unknown word, with all words of the table.
///
/// Cost: one pass over the table. Source: `semantics` 2.2.
/// ```
/// use stowplan_engine::error::spec::WordFault;
/// use stowplan_engine::policy::RankBy;
/// use stowplan_engine::text::words::{find_word, RANK_WORDS};
/// assert_eq!(find_word(RANK_WORDS, "SL"), Ok(RankBy::Slot));
/// let candidates = vec!["slot", "span"];
/// assert_eq!(find_word(RANK_WORDS, "s"), Err(WordFault::Ambiguous { candidates }));
/// assert!(matches!(find_word(RANK_WORDS, "slots"), Err(WordFault::Unknown { nearest: Some("slot"), .. })));
/// ```
pub fn find_word<T: Copy>(table: &[Word<T>], text: &str) -> Result<T, WordFault> {
    if text.is_empty() {
        return Err(WordFault::Empty);
    }
    let exact = table
        .iter()
        .find(|(name, _, _)| name.eq_ignore_ascii_case(text));
    if let Some((_, _, word)) = exact {
        return Ok(*word);
    }
    let fits: Vec<_> = table
        .iter()
        .filter(|(name, shortening, _)| *shortening == Unique && begins(name, text))
        .collect();
    match fits.as_slice() {
        [] => Err(WordFault::Unknown {
            valid: spellings(table),
            nearest: nearest(table.iter().map(|(name, _, _)| *name), text),
        }),
        [(_, _, word)] => Ok(*word),
        several => Err(WordFault::Ambiguous {
            candidates: several.iter().map(|(name, _, _)| *name).collect(),
        }),
    }
}

/// Whether each dash-separated part of `text` is a prefix of the same part of `name`.
fn begins(name: &str, text: &str) -> bool {
    let mut parts = name.split('-');
    text.split('-').all(|short| {
        let head = parts.next().and_then(|part| part.get(..short.len()));
        head.is_some_and(|head| head.eq_ignore_ascii_case(short))
    })
}

/// The words of a table, in its order.
#[must_use]
pub fn spellings<T>(table: &[Word<T>]) -> Vec<&'static str> {
    table.iter().map(|(name, _, _)| *name).collect()
}

/// The candidate with the most similar spelling, if one is similar: at most one edit for every three letters, two beyond six, and
/// the same first letter or two letters swapped. Texts of up to three letters and texts beyond 64 bytes are similar to nothing. Cost: candidates × their length × the text's length.
#[must_use]
pub fn nearest<'a>(candidates: impl Iterator<Item = &'a str>, text: &str) -> Option<&'a str> {
    if text.len() <= 3 || text.len() > 64 {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let begin = |name: &str| {
        let (ours, theirs) = (name.as_bytes(), lower.as_bytes());
        ours.first() == theirs.first()
            || (ours.len() > 1 && ours[0] == theirs[1] && ours[1] == theirs[0])
    };
    candidates
        .filter(|name| begin(name))
        .map(|name| (distance(name.as_bytes(), lower.as_bytes()), name))
        .filter(|&(edits, name)| edits <= (name.len() / 3).clamp(1, 3))
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, name)| name)
}

/// Edits (insert, remove, replace, swap neighbors) from one word to the other.
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
