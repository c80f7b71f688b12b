//! Sets of cpus by OS number, as words of 64 bits.

use std::fmt::Write as _;

/// A set of PUs by **OS number**. Two sets with the same PUs compare equal, however they were made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cpus {
    /// Bit `i` of word `w` is PU `64 w + i`; the last word is never zero.
    words: Vec<u64>,
}

impl Cpus {
    /// The set without PUs.
    #[must_use]
    pub const fn none() -> Self {
        Self { words: Vec::new() }
    }
    /// Adds a PU.
    pub fn add(&mut self, pu: u32) {
        let word = pu as usize / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (pu % 64);
    }
    /// Whether a PU is in it.
    #[must_use]
    pub fn has(&self, pu: u32) -> bool {
        let word = self.words.get(pu as usize / 64).copied();
        word.unwrap_or(0) >> (pu % 64) & 1 == 1
    }
    /// PUs in both sets.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self::trimmed(self.pairs(other).map(|(a, b)| a & b).collect())
    }
    /// PUs in either set.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Self::trimmed(self.pairs(other).map(|(a, b)| a | b).collect())
    }
    /// PUs in this set and not in the other.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        Self::trimmed(self.pairs(other).map(|(a, b)| a & !b).collect())
    }
    /// Whether all PUs of the other set are in this one.
    #[must_use]
    pub fn holds(&self, other: &Self) -> bool {
        self.pairs(other).all(|(a, b)| b & !a == 0)
    }
    /// Whether the sets have a PU in common.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.pairs(other).any(|(a, b)| a & b != 0)
    }
    /// Whether it has no PU.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
    /// The PUs, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.words).flat_map(|(word, &bits)| {
            (0..64)
                .filter(move |bit| bits >> bit & 1 == 1)
                .map(move |bit| 64 * word + bit)
        })
    }
    /// List form, as `0-3,7`. Two neighbours already make a range (`semantics` 8).
    #[must_use]
    pub fn list(&self) -> String {
        let mut text = String::new();
        let mut pus = self.iter().peekable();
        while let Some(first) = pus.next() {
            let mut last = first;
            while pus.next_if_eq(&(last + 1)).is_some() {
                last += 1;
            }
            let comma = if text.is_empty() { "" } else { "," };
            let _ = if first == last {
                write!(text, "{comma}{first}")
            } else {
                write!(text, "{comma}{first}-{last}")
            };
        }
        text
    }

    fn pairs<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (u64, u64)> + 'a {
        let len = self.words.len().max(other.words.len());
        let word = |words: &'a [u64], i: usize| words.get(i).copied().unwrap_or(0);
        (0..len).map(move |i| (word(&self.words, i), word(&other.words, i)))
    }
    fn trimmed(mut words: Vec<u64>) -> Self {
        while words.last() == Some(&0) {
            words.pop();
        }
        Self { words }
    }
}

impl FromIterator<u32> for Cpus {
    fn from_iter<It: IntoIterator<Item = u32>>(pus: It) -> Self {
        let mut set = Self::none();
        pus.into_iter().for_each(|pu| set.add(pu));
        set
    }
}
