//! What a DVM was started with: which attributes its PMIx has, and every limit.

use serde::{Deserialize, Serialize};

/// One of the five attributes that a PMIx may lack. Journals know them by their order. Source: reservations "Clauses".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Feature {
    /// `PMIX_ALLOC_TARGET`
    Target,
    /// `PMIX_ALLOC_SHARE`
    Share,
    /// `PMIX_ALLOC_INHERITANCE`
    Inheritance,
    /// `PMIX_ALLOC_WARN_TIMEOUT`
    WarnTimeout,
    /// `PMIX_SPAWN_TARGET`
    SpawnTarget,
}

/// The five with their names.
pub const FEATURES: &[(&str, Feature)] = &[
    ("PMIX_ALLOC_TARGET", Feature::Target),
    ("PMIX_ALLOC_SHARE", Feature::Share),
    ("PMIX_ALLOC_INHERITANCE", Feature::Inheritance),
    ("PMIX_ALLOC_WARN_TIMEOUT", Feature::WarnTimeout),
    ("PMIX_SPAWN_TARGET", Feature::SpawnTarget),
];

/// Which of the five there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Features(u8);

impl Features {
    /// All five.
    #[must_use]
    pub fn all() -> Self {
        FEATURES
            .iter()
            .fold(Self::none(), |set, row| set.with(row.1))
    }
    /// None of the five.
    #[must_use]
    pub fn none() -> Self {
        Self(0)
    }
    /// This set and one more.
    #[must_use]
    pub fn with(self, feature: Feature) -> Self {
        Self(self.0 | 1 << feature as u8)
    }
    /// Whether an attribute is in the set.
    #[must_use]
    pub fn has(self, feature: Feature) -> bool {
        self.0 & 1 << feature as u8 != 0
    }
}

/// Every bound of the tables and of one request. Exceeding one is a status, never a crash.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SessionLimits {
    /// Rows of the node table after a grant.
    pub max_nodes: u64,
    /// Live records.
    pub max_allocations: u64,
    /// Requests that wait for the scheduler.
    pub max_pending: u64,
    /// Namespace rows, dead ones with live descendants counted.
    pub max_namespaces: u64,
    /// Entries of one target list.
    pub max_targets: u64,
    /// Bytes of one name.
    pub max_name: u64,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self {
            max_nodes: 1 << 20,
            max_allocations: 1 << 16,
            max_pending: 1 << 16,
            max_namespaces: 1 << 20,
            max_targets: 4096,
            max_name: 255,
        }
    }
}

/// What a DVM was started with, for its whole life.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Config {
    /// Which attributes are available.
    pub available: Features,
    /// The bounds.
    pub limits: SessionLimits,
    /// The first session number to give out.
    pub next_session_id: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            available: Features::all(),
            limits: SessionLimits::default(),
            next_session_id: 1,
        }
    }
}

/// What the owner's end does to an allocation. Source: reservations "Clauses".
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Inheritance {
    /// Released when the owning namespace ends.
    None,
    /// Released when the owning namespace and all derived children have ended.
    Child,
    /// Unreserved when the owning namespace ends.
    #[default]
    Default,
    /// Unreserved when the owning namespace and all derived children have ended.
    ChildDefault,
}

/// The four with their names and numbers.
pub const INHERITANCES: &[(&str, u8, Inheritance)] = &[
    ("NONE", 1, Inheritance::None),
    ("CHILD", 2, Inheritance::Child),
    ("DEFAULT", 3, Inheritance::Default),
    ("CHILD_DEFAULT", 4, Inheritance::ChildDefault),
];

impl Inheritance {
    /// The name without its prefix.
    #[must_use]
    pub fn name(self) -> &'static str {
        INHERITANCES
            .iter()
            .find(|row| row.2 == self)
            .expect("the table has all four")
            .0
    }
    /// The disposition of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        INHERITANCES
            .iter()
            .find(|row| row.0 == name)
            .map(|row| row.2)
    }
    /// The disposition of this number.
    #[must_use]
    pub fn numbered(number: u8) -> Option<Self> {
        INHERITANCES
            .iter()
            .find(|row| row.1 == number)
            .map(|row| row.2)
    }
}
