//! What the directives of one info say, word by word, with the place of each word. Nothing is filled in here.

pub use super::texts::{TextPlace, Texts};
use super::words::{BindWord, RankWord};
use crate::error::spec::Said;
use crate::policy::{MapKind, Mpibind, PprObject};

/// A value with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SaidAt<T> {
    /// What was said.
    pub value: T,
    /// Where.
    pub place: TextPlace,
}

/// A map policy as said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapChoice {
    /// Its word.
    pub kind: MapKind,
    /// What stands behind it.
    pub value: MapValue,
}

/// The value of a map policy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MapValue {
    /// None.
    Nothing,
    /// Of `ppr:N:object`.
    Pattern {
        /// N.
        per: u32,
        /// The object.
        on: PprObject,
    },
    /// Of `pe-list=`: inclusive ranges in the order given.
    List(Vec<(u32, u32)>),
    /// Of `dist:DEVICE`.
    Device(String),
    /// Of `mpibind`.
    Options(Mpibind),
}

impl From<MapKind> for MapChoice {
    fn from(kind: MapKind) -> Self {
        let value = MapValue::Nothing;
        Self { kind, value }
    }
}

impl MapChoice {
    /// `ppr:N:object`.
    #[must_use]
    pub const fn pattern(per: u32, on: PprObject) -> Self {
        Self {
            kind: MapKind::Ppr,
            value: MapValue::Pattern { per, on },
        }
    }
}

/// Two words of one info that cannot stand together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The first.
    pub first: (String, TextPlace),
    /// The second.
    pub second: (String, TextPlace),
    /// Why.
    pub why: &'static str,
}

impl Conflict {
    /// Both words with their texts.
    #[must_use]
    pub fn said(&self, texts: &Texts) -> (Said, Said) {
        let said = |(word, place): &(String, TextPlace)| Said {
            word: word.clone(),
            at: texts.at(*place),
        };
        (said(&self.first), said(&self.second))
    }
}

/// What the mapping directives of one info say.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MapSaid {
    /// The policy.
    pub policy: Option<SaidAt<MapChoice>>,
    /// `pe=N`.
    pub pe: Option<SaidAt<u16>>,
    /// `file=PATH`.
    pub file: Option<SaidAt<String>>,
    /// `span`.
    pub span: Option<TextPlace>,
    /// `ordered`.
    pub ordered: Option<TextPlace>,
    /// `nolocal`.
    pub nolocal: Option<TextPlace>,
    /// `oversubscribe`.
    pub oversubscribe: Option<TextPlace>,
    /// `nooversubscribe`.
    pub nooversubscribe: Option<TextPlace>,
    /// `inherit`.
    pub inherit: Option<TextPlace>,
    /// `noinherit`.
    pub noinherit: Option<TextPlace>,
    /// `hwtcpus`.
    pub hwtcpus: Option<TextPlace>,
    /// `corecpus`.
    pub corecpus: Option<TextPlace>,
    /// The first contradiction met inside the info.
    pub conflict: Option<Conflict>,
}

impl MapSaid {
    /// The words that an app may not say, in the order of the table.
    #[must_use]
    pub fn forbidden(&self) -> Vec<(&'static str, TextPlace)> {
        [
            ("oversubscribe", self.oversubscribe),
            ("nooversubscribe", self.nooversubscribe),
            ("inherit", self.inherit),
            ("noinherit", self.noinherit),
        ]
        .into_iter()
        .filter_map(|(word, place)| place.map(|place| (word, place)))
        .collect()
    }
    /// Keeps the first contradiction.
    pub fn conflict(
        &mut self,
        first: (&str, TextPlace),
        second: (&str, TextPlace),
        why: &'static str,
    ) {
        self.conflict.get_or_insert_with(|| Conflict {
            first: (first.0.to_owned(), first.1),
            second: (second.0.to_owned(), second.1),
            why,
        });
    }
    /// Marks the opposite words that stand together.
    pub fn judge_opposites(&mut self) {
        let pairs = [
            (
                "hwtcpus",
                self.hwtcpus,
                "corecpus",
                self.corecpus,
                "cpus are threads or cores",
            ),
            (
                "oversubscribe",
                self.oversubscribe,
                "nooversubscribe",
                self.nooversubscribe,
                "one allows what the other forbids",
            ),
            (
                "inherit",
                self.inherit,
                "noinherit",
                self.noinherit,
                "a job either inherits or does not",
            ),
        ];
        for (one, first, other, second, why) in pairs {
            if let (Some(first), Some(second)) = (first, second) {
                self.conflict((one, first), (other, second), why);
            }
        }
    }
}

/// What the ranking directives of one info say.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RankSaid {
    /// The policy.
    pub policy: Option<SaidAt<RankWord>>,
}

/// What the binding directives of one info say.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BindSaid {
    /// The target.
    pub policy: Option<SaidAt<BindWord>>,
    /// `if-supported`.
    pub if_supported: Option<TextPlace>,
    /// `overload-allowed`.
    pub overload_allowed: Option<TextPlace>,
    /// `no-overload`.
    pub no_overload: Option<TextPlace>,
    /// `report`.
    pub report: Option<TextPlace>,
    /// `limit=N`.
    pub limit: Option<SaidAt<u16>>,
    /// The first contradiction met inside the info.
    pub conflict: Option<Conflict>,
}

impl BindSaid {
    /// Marks the opposite words that stand together.
    pub fn judge_opposites(&mut self) {
        if let (Some(first), Some(second)) = (self.overload_allowed, self.no_overload) {
            self.conflict.get_or_insert_with(|| Conflict {
                first: ("overload-allowed".to_owned(), first),
                second: ("no-overload".to_owned(), second),
                why: "one allows what the other forbids",
            });
        }
    }
}
