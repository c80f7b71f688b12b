//! Finding equal rows again, by a number that equal values share.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

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

/// Rows by their digest. Unequal rows of one digest stand under the digests of that digest.
#[derive(Clone, Debug)]
pub(crate) struct Alike<I> {
    rows: ById<u64, I>,
}

impl<I> Default for Alike<I> {
    fn default() -> Self {
        Self {
            rows: HashMap::default(),
        }
    }
}

impl<I: Copy> Alike<I> {
    /// The row of this digest that `is` the one, or where to keep a new one.
    pub(crate) fn find(&self, digest: u64, is: impl Fn(I) -> bool) -> Result<I, Free> {
        let mut at = digest;
        loop {
            match self.rows.get(&at) {
                None => return Err(Free(at)),
                Some(&row) if is(row) => return Ok(row),
                Some(_) => at = mix(at, 1),
            }
        }
    }
    /// Keeps a new row.
    pub(crate) fn keep(&mut self, free: Free, row: I) {
        self.rows.insert(free.0, row);
    }
    /// Makes room for so many rows more.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.rows.reserve(rows);
    }
}

/// Where a new row can be kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Free(u64);

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
        for &byte in bytes {
            self.0 = mix(self.0, u64::from(byte));
        }
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
    fn unequal_values_of_one_digest_are_told_apart() {
        let values = ["a", "b", "c"];
        let mut alike: Alike<usize> = Alike::default();
        for (row, value) in values.into_iter().enumerate() {
            let free = alike.find(7, |other| values[other] == value).unwrap_err();
            alike.keep(free, row);
        }
        let find = |value| alike.find(7, |row| values[row] == value).ok();
        assert_eq!(values.map(find), [Some(0), Some(1), Some(2)]);
    }
}
