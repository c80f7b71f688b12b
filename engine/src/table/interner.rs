//! Finds equal rows again by a digest: a number that equal values share.

use crate::define_id;
use crate::id::{Column, Id};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// The digest before anything is mixed in.
pub(crate) const START: u64 = 0x243f_6a88_85a3_08d3;

/// Mixes a word into a digest, with one multiplication.
#[inline]
pub(crate) const fn mix(digest: u64, word: u64) -> u64 {
    let mixed = (digest ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 32)
}

/// Mixes a word into a digest, given as its two halves.
#[inline]
pub(crate) fn mix_pair(digest: u64, high: u32, low: u32) -> u64 {
    mix(digest, u64::from(high) << 32 | u64::from(low))
}

/// Rows by their digest, in a hash table. An entry has half of the digest and the row, eight bytes. If its slot is taken, it
/// goes into the next free slot behind it.
#[derive(Clone, Debug)]
pub struct Interner<I> {
    /// Shape `[a power of two]`, or `[0]`; at most three in four slots are taken.
    slots: Vec<Option<(u32, I)>>,
    rows: usize,
}

/// Slots of the smallest table.
const SLOTS_LEAST: usize = 16;

impl<I> Default for Interner<I> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            rows: 0,
        }
    }
}

impl<I: Copy> Interner<I> {
    /// The row with this digest for which `is` holds.
    pub fn find(&self, digest: u64, is: impl Fn(I) -> bool) -> Option<I> {
        let mask = self.slots.len().checked_sub(1)?;
        let half = upper(digest);
        let mut taken = (half as usize..).map_while(|at| self.slots[at & mask]);
        let found = taken.find(|&(other, row)| other == half && is(row));
        found.map(|(_, row)| row)
    }
    /// Adds a row that was not found.
    pub fn keep(&mut self, digest: u64, row: I) {
        self.reserve(1);
        self.put((upper(digest), row));
        self.rows += 1;
    }
    /// Makes room for `rows` more rows.
    pub fn reserve(&mut self, rows: usize) {
        let wanted = (self.rows + rows).div_ceil(3) * 4;
        if wanted > self.slots.len() {
            let slots = vec![None; wanted.next_power_of_two().max(SLOTS_LEAST)];
            let taken = std::mem::replace(&mut self.slots, slots);
            taken.into_iter().flatten().for_each(|slot| self.put(slot));
        }
    }
    /// Puts an entry into the first free slot from its own on.
    fn put(&mut self, slot: (u32, I)) {
        let mask = self.slots.len() - 1;
        let mut at = slot.0 as usize & mask;
        while self.slots[at].is_some() {
            at = (at + 1) & mask;
        }
        self.slots[at] = Some(slot);
    }
}

/// The upper half of a digest: every word mixed in affects it.
fn upper(digest: u64) -> u32 {
    u32::try_from(digest >> u32::BITS).expect("half of eight bytes are four")
}

/// A table in which no two rows are equal. Ids come in first-seen order.
#[derive(Clone, Debug)]
pub struct Distinct<I, T> {
    rows: Column<I, T>,
    ids: Interner<I>,
}

impl<I, T> Default for Distinct<I, T> {
    fn default() -> Self {
        Self {
            rows: Column::default(),
            ids: Interner::default(),
        }
    }
}

impl<I: Id, T> Distinct<I, T> {
    /// The id of the row with this digest for which `is` holds.
    pub(super) fn find_by(&self, digest: u64, is: impl Fn(&T) -> bool) -> Option<I> {
        self.ids.find(digest, |id| is(&self.rows[id]))
    }
    /// Adds a row that was not found.
    pub(super) fn add(&mut self, digest: u64, row: T) -> I {
        let id = self.rows.push(row);
        self.ids.keep(digest, id);
        id
    }
    /// The row of an id.
    #[must_use]
    pub fn get(&self, id: I) -> &T {
        &self.rows[id]
    }
    /// Rows with their ids, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.rows.iter()
    }
    /// The rows alone.
    pub(crate) fn keys(&self) -> &[T] {
        self.rows.values()
    }
    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }
    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl<I: Id, T: Eq + Hash> Distinct<I, T> {
    /// The id of a row, known or new.
    pub(super) fn id_of(&mut self, row: T) -> I {
        let digest = digest_of(&row);
        let known = self.find_by(digest, |known| *known == row);
        known.unwrap_or_else(|| self.add(digest, row))
    }
}

define_id! {
    /// A row of an `KeyRows`.
    RowId
}

/// Rows by key, for keys that are mostly asked for in the order in which they were added. Then the next row is found by a
/// guess, and memory is read in order.
pub type KeyRows<K> = Distinct<RowId, K>;

/// The row that is asked for next if the order of questions stays the same.
#[derive(Clone, Copy, Default, Debug)]
pub struct Guess(usize);

impl<K: Eq + Hash> KeyRows<K> {
    /// The row of a key.
    #[inline]
    #[doc(hidden)]
    pub fn find(&self, key: K, guess: &mut Guess) -> Option<usize> {
        let row = if self.keys().get(guess.0) == Some(&key) {
            guess.0
        } else {
            let known = self.find_by(digest_of(&key), |known| *known == key);
            known?.row()
        };
        guess.0 = row + 1;
        Some(row)
    }
    /// Adds a row with a new key.
    #[doc(hidden)]
    pub fn push(&mut self, key: K) -> usize {
        self.add(digest_of(&key), key).row()
    }
    /// The row of a key, known or new, as plans in bytes write it.
    pub(crate) fn meet(&mut self, key: K) -> u32 {
        self.id_of(key).number()
    }
}

/// A number that equal values share. It is the same in every run of the program.
pub(crate) fn digest_of(value: &impl Hash) -> u64 {
    let mut hasher = Digested(START);
    value.hash(&mut hasher);
    hasher.finish()
}

/// A map whose keys are ids or digests: they are short, and no user chooses them.
pub(crate) type ById<K, V> = HashMap<K, V, BuildHasherDefault<Digested>>;

/// Hashes words by mixing them.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Digested(u64);

impl Hasher for Digested {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.0 = mix(self.0, u64::from_le_bytes(*word));
        }
        for &byte in rest {
            self.0 = mix(self.0, u64::from(byte));
        }
    }
    fn write_usize(&mut self, word: usize) {
        self.0 = mix(self.0, word as u64);
    }
    fn write_u32(&mut self, word: u32) {
        self.0 = mix(self.0, u64::from(word));
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = mix(self.0, word);
    }
}
