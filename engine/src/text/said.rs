//! What the directives of one info say, word by word, with the place of each word. Nothing is filled in here.

pub use super::texts::{Place, Texts};
use super::words::{BindWord, RankWord};
use crate::error::spec::Said;
use crate::policy::{Mpibind, ObjKind, PprObject};

/// A value with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed<T> {
    /// What was said.
    pub value: T,
    /// Where.
    pub place: Place,
}

/// A map policy as said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MapChoice {
    /// `slot`.
    Slot,
    /// `node`.
    Node,
    /// An object kind.
    Object(ObjKind),
    /// `ppr:N:object`.
    Ppr {
        /// N.
        per: u32,
        /// The object.
        on: PprObject,
    },
    /// `seq`.
    Seq,
    /// `rankfile`.
    Rankfile,
    /// `pe-list=`, inclusive ranges in the order given.
    PeList(Vec<(u32, u32)>),
    /// `dist`, `dist:DEVICE`.
    Dist(Option<String>),
    /// `mpibind`, with its options.
    Mpibind(Mpibind),
}

/// Two words of one info that cannot stand together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The first.
    pub first: (String, Place),
    /// The second.
    pub second: (String, Place),
    /// Why.
    pub why: &'static str,
}

impl Conflict {
    /// Both words with their texts.
    #[must_use]
    pub fn said(&self, texts: &Texts) -> (Said, Said) {
        let said = |(word, place): &(String, Place)| Said {
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
    pub policy: Option<Placed<MapChoice>>,
    /// `pe=N`.
    pub pe: Option<Placed<u16>>,
    /// `file=PATH`.
    pub file: Option<Placed<String>>,
    /// `span`.
    pub span: Option<Place>,
    /// `ordered`.
    pub ordered: Option<Place>,
    /// `nolocal`.
    pub nolocal: Option<Place>,
    /// `oversubscribe`.
    pub oversubscribe: Option<Place>,
    /// `nooversubscribe`.
    pub nooversubscribe: Option<Place>,
    /// `inherit`.
    pub inherit: Option<Place>,
    /// `noinherit`.
    pub noinherit: Option<Place>,
    /// `hwtcpus`.
    pub hwtcpus: Option<Place>,
    /// `corecpus`.
    pub corecpus: Option<Place>,
    /// The first contradiction met inside the info.
    pub conflict: Option<Conflict>,
}

impl MapSaid {
    /// The words that an app may not say, in the order of the table.
    #[must_use]
    pub fn forbidden(&self) -> Vec<(&'static str, Place)> {
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
    pub fn conflict(&mut self, first: (&str, Place), second: (&str, Place), why: &'static str) {
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
    pub policy: Option<Placed<RankWord>>,
}

/// What the binding directives of one info say.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BindSaid {
    /// The target.
    pub policy: Option<Placed<BindWord>>,
    /// `if-supported`.
    pub if_supported: Option<Place>,
    /// `overload-allowed`.
    pub overload_allowed: Option<Place>,
    /// `no-overload`.
    pub no_overload: Option<Place>,
    /// `report`.
    pub report: Option<Place>,
    /// `limit=N`.
    pub limit: Option<Placed<u16>>,
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
