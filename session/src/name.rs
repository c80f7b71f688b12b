//! Names of nodes, namespaces and allocations: kept once, in their table, and found through an index of rows.

use hashbrown::{DefaultHashBuilder, HashTable};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use std::fmt;
use std::hash::BuildHasher as _;
use stowplan_engine::id::Id;

/// A name as text. Up to 23 bytes are stored in place, longer names on the heap. Ordered by UTF-8 bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Name(SmolStr);

const _: () = assert!(
    size_of::<Name>() == 24,
    "the memory goals of docs/reservations.md count on it"
);

impl Name {
    /// Keeps a text.
    #[must_use]
    #[inline]
    pub fn new(text: &str) -> Self {
        Self(SmolStr::new(text))
    }
    /// The text.
    #[must_use]
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.0
    }
    /// Its bytes.
    #[must_use]
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
    /// Whether it is this text.
    #[must_use]
    #[inline]
    pub fn is(&self, text: &str) -> bool {
        self.0 == text
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// An index from name to row. The names themselves stay in their table's column, which `name_of` reads.
///
/// Each index has a random key for its hash, so that nobody can choose names that collide. The key never shows, because the
/// index is searched but never iterated.
#[derive(Clone)]
pub struct NameIndex<I> {
    rows: HashTable<I>,
    key: DefaultHashBuilder,
}

impl<I> Default for NameIndex<I> {
    fn default() -> Self {
        Self {
            rows: HashTable::new(),
            key: DefaultHashBuilder::default(),
        }
    }
}

impl<I: Id> NameIndex<I> {
    /// Names in the index.
    pub fn count(&self) -> usize {
        self.rows.len()
    }
    fn hash(&self, name: &str) -> u64 {
        self.key.hash_one(name)
    }
    /// The row of a name.
    #[inline]
    pub fn find<'a>(&self, name: &str, name_of: impl Fn(I) -> &'a Name) -> Option<I> {
        let same = |&row: &I| name_of(row).is(name);
        self.rows.find(self.hash(name), same).copied()
    }
    /// Makes room for this many more names.
    pub(crate) fn reserve<'a>(&mut self, more: usize, name_of: impl Fn(I) -> &'a Name) {
        let key = &self.key;
        self.rows
            .reserve(more, |&row| key.hash_one(name_of(row).as_str()));
    }
    /// Adds the name of a row, which is not there yet.
    pub fn insert<'a>(&mut self, row: I, name_of: impl Fn(I) -> &'a Name) {
        let hash = |&row: &I| self.key.hash_one(name_of(row).as_str());
        self.rows.insert_unique(hash(&row), row, hash);
    }
    /// Removes the name of a row.
    pub fn remove(&mut self, name: &Name, row: I) {
        let found = self
            .rows
            .find_entry(self.hash(name.as_str()), |&other| other == row);
        if let Ok(entry) = found {
            entry.remove();
        }
    }
}
