//! Masks of single processes: only the words of a node's PUs that they touch.

use super::bits::{Bits, WORD, masks, ones_of_word};
use smallvec::SmallVec;

/// A set of PUs, as the words from its first PU to its last. Equal sets have equal words.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Window {
    /// The index of the first word.
    first: u32,
    words: SmallVec<[u64; 2]>,
}

impl Window {
    /// A whole set. Cost: its words.
    pub fn of(set: &Bits) -> Self {
        Self {
            first: 0,
            words: SmallVec::from_slice(set.words()),
        }
        .trimmed()
    }

    /// All PUs of some stretches. Cost: the words between them.
    pub(crate) fn whole(stretches: &[(u32, u32)]) -> Self {
        Self::gathered(stretches, |_| u64::MAX)
    }

    /// The PUs of some stretches that are in a set. Cost: the words between them.
    pub fn part(stretches: &[(u32, u32)], of: &[u64]) -> Self {
        Self::gathered(stretches, |at| of[at])
    }

    fn gathered(stretches: &[(u32, u32)], word: impl Fn(usize) -> u64) -> Self {
        let first = stretches.iter().map(|stretch| stretch.0).min();
        let end = stretches.iter().map(|stretch| stretch.1).max();
        let (first, end) = (first.unwrap_or(0) / WORD, end.unwrap_or(0));
        let count = end.div_ceil(WORD).saturating_sub(first);
        let mut words = SmallVec::from_elem(0, count as usize);
        for (at, mask) in stretches.iter().flat_map(|&stretch| masks(stretch)) {
            words[at - first as usize] |= word(at) & mask;
        }
        Self { first, words }.trimmed()
    }

    fn trimmed(mut self) -> Self {
        let zeros = self.words.iter().take_while(|&&word| word == 0).count();
        let behind = self.words.iter().rev();
        let kept = self.words.len() - behind.take_while(|&&word| word == 0).count();
        self.words.truncate(kept);
        if self.words.is_empty() {
            return Self::default();
        }
        self.words.drain(..zeros);
        self.first += u32::try_from(zeros).expect("limit.rs keeps PUs below 2^32");
        self
    }

    /// The index of the first word, then the words. Different sets have different keys.
    pub(crate) fn key(&self) -> impl Iterator<Item = u64> {
        std::iter::once(u64::from(self.first)).chain(self.words.iter().copied())
    }

    /// The PUs, ascending.
    pub fn ones(&self) -> impl Iterator<Item = u32> {
        let words = (self.first..).zip(&self.words);
        words.flat_map(|(word, &bits)| ones_of_word(word, bits))
    }
}
