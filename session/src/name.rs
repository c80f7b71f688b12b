//! Names of nodes, namespaces and allocations: kept once, in their table, and found through an index of rows.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::marker::PhantomData;
use stowplan_engine::id::Id;

/// How many bytes of a name are stored in place.
const SHORT: usize = 22;

/// A name as text. Up to 22 bytes are stored in place, longer names on the heap. Ordered by UTF-8 bytes.
#[derive(Clone)]
pub struct Name(Text);

/// The bytes after `len` are zero, so that two short names are compared whole.
#[derive(Clone)]
enum Text {
    Short { len: u8, bytes: [u8; SHORT] },
    Long(Box<str>),
}

const _: () = assert!(
    size_of::<Name>() == 24,
    "the memory goals of docs/reservations.md count on it"
);

impl Name {
    /// Keeps a text.
    #[must_use]
    #[inline]
    pub fn new(text: &str) -> Self {
        let mut bytes = [0; SHORT];
        match u8::try_from(text.len()) {
            Ok(len) if text.len() <= SHORT => {
                bytes[..text.len()].copy_from_slice(text.as_bytes());
                Self(Text::Short { len, bytes })
            }
            Ok(_) | Err(_) => Self(Text::Long(text.into())),
        }
    }
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).expect("a name is made from text only")
    }
    /// Its bytes.
    #[must_use]
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Text::Short { len, bytes } => &bytes[..usize::from(*len)],
            Text::Long(text) => text.as_bytes(),
        }
    }
    /// Whether it is this text.
    #[must_use]
    #[inline]
    pub fn is(&self, text: &str) -> bool {
        same(self.as_bytes(), text.as_bytes())
    }
}

/// Whether two short texts are equal, eight bytes at a time: a call for each was a tenth of the time of an event.
#[inline]
fn same(one: &[u8], two: &[u8]) -> bool {
    if one.len() != two.len() {
        return false;
    }
    let ((words, rest), (others, other)) = (one.as_chunks::<8>(), two.as_chunks::<8>());
    let mut pairs = words.iter().zip(others);
    pairs.all(|(one, two)| u64::from_le_bytes(*one) == u64::from_le_bytes(*two))
        && (rest.is_empty() || tail(one, rest) == tail(two, other))
}

impl Default for Name {
    #[inline]
    fn default() -> Self {
        Self(Text::Short {
            len: 0,
            bytes: [0; SHORT],
        })
    }
}

impl PartialEq for Name {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        same(self.as_bytes(), other.as_bytes())
    }
}

impl Eq for Name {}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl serde::de::Visitor<'_> for Text {
            type Value = Name;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Name, E> {
                Ok(Name::new(text))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

/// An index from name to row: open addressing over hashes. The names themselves stay in their table's column.
///
/// Each index has a random key for its hash, so that nobody can choose names that collide. The key never shows, because the
/// index is searched but never iterated.
#[derive(Clone)]
pub(crate) struct NameIndex<I> {
    /// 0 if free, else the 32 bits of the hash in the high half and row + 1 in the low half. The length is a power of two.
    slots: Vec<u64>,
    len: usize,
    keys: (u64, u64),
    id: PhantomData<I>,
}

impl<I> Default for NameIndex<I> {
    fn default() -> Self {
        Self {
            slots: vec![0; 8],
            len: 0,
            keys: keys(),
            id: PhantomData,
        }
    }
}

impl<I: Id> NameIndex<I> {
    /// Names in the index.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The row of a name. `name_of` reads the table's column.
    pub(crate) fn find<'a>(&self, name: &str, name_of: impl Fn(I) -> &'a Name) -> Option<I> {
        let hash = self.hash(name.as_bytes());
        let mask = self.slots.len() - 1;
        let mut at = home(hash) & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return None;
            }
            if slot >> 32 == hash {
                let id = I::from_row(low(slot) - 1);
                if name_of(id).is(name) {
                    return Some(id);
                }
            }
            at = (at + 1) & mask;
        }
    }

    /// Makes room for this many more names.
    pub(crate) fn reserve(&mut self, more: usize) {
        while (self.len + more) * 4 > self.slots.len() * 3 {
            self.grow();
        }
    }

    /// Adds a name that is not there.
    pub(crate) fn insert(&mut self, name: &Name, id: I) {
        if (self.len + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let slot = self.slot_of(name, id);
        self.place(slot);
        self.len += 1;
    }

    /// Removes a name that is in the index under this row.
    pub(crate) fn remove(&mut self, name: &Name, id: I) {
        let wanted = self.slot_of(name, id);
        let mask = self.slots.len() - 1;
        let mut at = home(wanted >> 32) & mask;
        while self.slots[at] != wanted {
            debug_assert_ne!(self.slots[at], 0, "only what was inserted is removed");
            if self.slots[at] == 0 {
                return;
            }
            at = (at + 1) & mask;
        }
        // Close the gap, so that no search has to step over removed names.
        let mut next = (at + 1) & mask;
        while self.slots[next] != 0 {
            let wants = home(self.slots[next] >> 32) & mask;
            if next.wrapping_sub(wants) & mask >= next.wrapping_sub(at) & mask {
                self.slots[at] = self.slots[next];
                at = next;
            }
            next = (next + 1) & mask;
        }
        self.slots[at] = 0;
        self.len -= 1;
    }

    /// 28 bits of a keyed hash of all bytes but the last, and four bits of the last byte. The hash takes eight bytes at a
    /// time, multiplied and folded.
    ///
    /// Names are short and looked up several times per event; `SipHash` took a tenth of the event's time. Names that differ
    /// in their last digit are side by side: the nodes of a grant and the jobs of a minute are in two cache lines, not in
    /// one each. At most sixteen names can share a place because of this.
    #[inline]
    fn hash(&self, bytes: &[u8]) -> u64 {
        let (last, stem) = bytes.split_last().unwrap_or((&0, &[]));
        let mut mixed = self.keys.0 ^ bytes.len() as u64;
        let (words, rest) = stem.as_chunks::<8>();
        for word in words {
            mixed = fold(mixed ^ u64::from_le_bytes(*word), self.keys.1);
        }
        if !rest.is_empty() {
            mixed = fold(mixed ^ tail(stem, rest), self.keys.1);
        }
        let stem = fold(mixed, self.keys.0 | 1) >> 36;
        stem << 4 | u64::from(last & 15)
    }

    fn slot_of(&self, name: &Name, id: I) -> u64 {
        (self.hash(name.as_bytes()) << 32) | (id.row() as u64 + 1)
    }

    fn place(&mut self, slot: u64) {
        let mask = self.slots.len() - 1;
        let mut at = home(slot >> 32) & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }

    fn grow(&mut self) {
        let bigger = vec![0; self.slots.len() * 2];
        for slot in std::mem::replace(&mut self.slots, bigger) {
            if slot != 0 {
                self.place(slot);
            }
        }
    }
}

/// Two numbers that nobody outside can know.
fn keys() -> (u64, u64) {
    let random = RandomState::new();
    (random.hash_one(0), random.hash_one(1) | 1)
}

/// Both halves of the product, combined by exclusive or.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let folded = (product ^ (product >> 64)) & u128::from(u64::MAX);
    u64::try_from(folded).unwrap_or_default()
}

/// The last one to seven bytes as a word. If the text has eight bytes, its last eight are read at once: the length is in the
/// hash too.
#[inline]
fn tail(bytes: &[u8], rest: &[u8]) -> u64 {
    if let Some(word) = bytes.last_chunk::<8>() {
        return u64::from_le_bytes(*word);
    }
    let mut word = 0;
    for &byte in rest {
        word = word << 8 | u64::from(byte);
    }
    word
}

#[inline]
fn home(hash: u64) -> usize {
    low(hash)
}

#[inline]
fn low(slot: u64) -> usize {
    usize::try_from(slot & 0xffff_ffff).expect("32 bits fit an index")
}

#[cfg(test)]
mod tests {
    use super::*;
    use stowplan_engine::id::Column;

    stowplan_engine::define_id! {
        /// A row of these tests.
        RowId
    }

    #[test]
    fn names_come_and_go_without_losing_others() {
        let mut names: Column<RowId, Name> = Column::new();
        let mut index: NameIndex<RowId> = NameIndex::default();
        let ids: Vec<RowId> = (0..500)
            .map(|n| names.push(Name::new(&format!("n{n}"))))
            .collect();
        for &id in &ids {
            index.insert(&names[id], id);
        }
        for &id in ids.iter().step_by(3) {
            index.remove(&names[id], id);
        }
        for (n, &id) in ids.iter().enumerate() {
            let found = index.find(names[id].as_str(), |id| &names[id]);
            assert_eq!(found, (n % 3 != 0).then_some(id));
        }
        assert_eq!(index.len(), 333);
    }

    #[test]
    fn long_and_short_names_read_back() {
        for text in [
            "",
            "a",
            "exactly-twenty-two-byt",
            "twenty-three-bytes-long",
            "more than twenty-three bytes in this one",
        ] {
            assert_eq!(Name::new(text).as_str(), text);
        }
    }
}
