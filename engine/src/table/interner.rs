//! Finding equal rows again, by a number that equal values share.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// Where the digest of anything starts.
pub(crate) const START: u64 = 0x243f_6a88_85a3_08d3;

/// Mixes a word into a digest: a multiplication a word.
#[inline]
pub(crate) const fn mix(digest: u64, word: u64) -> u64 {
    let mixed = (digest ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 32)
}

/// Mixes two halves of a word.
#[inline]
pub(crate) fn mix_pair(digest: u64, high: u32, low: u32) -> u64 {
    mix(digest, u64::from(high) << 32 | u64::from(low))
}

/// Rows by their digest: half of it and the row, eight bytes, in a table with gaps. What finds its place taken stands behind it.
#[derive(Clone, Debug)]
pub(crate) struct Interner<I> {
    /// Shape `[a power of two]`, or `[0]`; at most three in four are taken.
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
    /// The row of this digest that `is` the one, or where to keep a new one, before any other is kept.
    pub(crate) fn find(&self, digest: u64, is: impl Fn(I) -> bool) -> Result<I, Free> {
        let half = upper(digest);
        let mut at = half as usize;
        if self.slots.is_empty() {
            return Err(Free { half, at });
        }
        loop {
            at &= self.slots.len() - 1;
            match self.slots[at] {
                None => return Err(Free { half, at }),
                Some((other, row)) if other == half && is(row) => return Ok(row),
                Some(_) => at += 1,
            }
        }
    }
    /// Keeps a new row.
    pub(crate) fn keep(&mut self, free: Free, row: I) {
        let Free { half, mut at } = free;
        if self.rows >= self.slots.len() / 4 * 3 {
            self.reserve(1);
            at = self.gap(half);
        }
        self.slots[at] = Some((half, row));
        self.rows += 1;
    }
    /// Makes room for so many rows more.
    pub(crate) fn reserve(&mut self, rows: usize) {
        let wanted = (self.rows + rows).div_ceil(3) * 4;
        if wanted <= self.slots.len() {
            return;
        }
        let slots = vec![None; wanted.next_power_of_two().max(SLOTS_LEAST)];
        for taken in std::mem::replace(&mut self.slots, slots) {
            if let Some((half, _)) = taken {
                let at = self.gap(half);
                self.slots[at] = taken;
            }
        }
    }
    /// The first free slot for half a digest.
    fn gap(&self, half: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = half as usize & mask;
        while self.slots[at].is_some() {
            at = (at + 1) & mask;
        }
        at
    }
}

/// The half of a digest that all of it went into.
fn upper(digest: u64) -> u32 {
    u32::try_from(digest >> u32::BITS).expect("half of eight bytes are four")
}

/// Where a new row can be kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Free {
    half: u32,
    at: usize,
}

/// Rows by key, mostly asked for in the order in which they came: then the next one is a guess away, and memory is read in order.
#[derive(Clone, Debug)]
pub(crate) struct InTurn<K> {
    /// Shape `[rows]`.
    keys: Vec<K>,
    rows: ById<K, u32>,
}

/// Which row is asked for next, if all goes as it went before.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Guess(usize);

impl<K> Default for InTurn<K> {
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            rows: HashMap::default(),
        }
    }
}

impl<K: Copy + Eq + Hash> InTurn<K> {
    /// The row of a key.
    #[inline]
    pub(crate) fn find(&self, key: K, guess: &mut Guess) -> Option<usize> {
        let row = if self.keys.get(guess.0) == Some(&key) {
            guess.0
        } else {
            *self.rows.get(&key)? as usize
        };
        guess.0 = row + 1;
        Some(row)
    }
    /// Adds a row whose key no other has.
    pub(crate) fn push(&mut self, key: K) -> usize {
        let row = self.keys.len();
        self.keys.push(key);
        let number = u32::try_from(row).expect("limit.rs keeps tables below 2^32 rows");
        self.rows.insert(key, number);
        row
    }
    /// Makes room for so many rows more.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.keys.reserve(rows);
        self.rows.reserve(rows);
    }
    /// Forgets all rows.
    pub(crate) fn clear(&mut self) {
        self.keys.clear();
        self.rows.clear();
    }
    /// The keys. Shape `[rows]`.
    pub(crate) fn keys(&self) -> &[K] {
        &self.keys
    }
}

/// A map whose keys are ids or digests: short, and made here.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_in_any_order() {
        let mut rows: InTurn<u32> = InTurn::default();
        for key in [7, 3, 9] {
            rows.push(key);
        }
        let mut guess = Guess::default();
        let found = [7, 3, 9, 3, 9, 5, 7, 7].map(|key| rows.find(key, &mut guess));
        let expected = [0, 1, 2, 1, 2, 9, 0, 0].map(|row| (row < 9).then_some(row));
        assert_eq!(found, expected);
    }

    #[test]
    fn unequal_values_of_one_digest_are_told_apart() {
        let values = ["a", "b", "c"];
        let mut interner: Interner<usize> = Interner::default();
        for (row, value) in values.into_iter().enumerate() {
            let free = interner
                .find(7, |other| values[other] == value)
                .unwrap_err();
            interner.keep(free, row);
        }
        let find = |value| interner.find(7, |row| values[row] == value).ok();
        assert_eq!(values.map(find), [Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn rows_are_found_whatever_their_places() {
        // All of one place, all of the last places, and as digests fall.
        for spread in [1 << 50, u64::MAX << 36, 0x9e37_79b9_7f4a_7c15] {
            let mut interner: Interner<u64> = Interner::default();
            for row in 0..500_u64 {
                let digest = row.wrapping_mul(spread);
                let find = |interner: &Interner<u64>| interner.find(digest, |other| other == row);
                let free = find(&interner).unwrap_err();
                interner.keep(free, row);
                assert_eq!(find(&interner).ok(), Some(row));
                if row == 300 {
                    interner.reserve(1000);
                }
            }
            let found = |row: u64| interner.find(row.wrapping_mul(spread), |other| other == row);
            assert!((0..500).all(|row| found(row).ok() == Some(row)));
        }
    }
}
