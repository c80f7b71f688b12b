//! Sets of PUs by **logical** number, interned: one bit per PU of a topology.

use super::interner::{Distinct, START, mix};
use crate::define_id;
use bitvec::slice::BitSlice;
use bitvec::vec::BitVec;

define_id! {
    /// A row of [`PuSets`].
    PuSetId
}

/// One bit per logical PU.
pub type PuBits = BitVec<u64>;

/// Interned sets. Ids come in first-seen order.
#[derive(Clone, Default, Debug)]
pub struct PuSets {
    sets: Distinct<PuSetId, Set>,
    /// The words of all sets, one set after the other: there may be two sets for every node.
    words: Vec<u64>,
}

/// A set: where its words start, and its PUs. Bits behind the last PU are 0.
#[derive(Clone, Copy, Debug)]
struct Set {
    start: usize,
    len: u32,
}

impl Set {
    fn words(self, all: &[u64]) -> &[u64] {
        let words = self.len.div_ceil(u64::BITS) as usize;
        &all[self.start..self.start + words]
    }
}

impl PuSets {
    /// The id of this set, new or known.
    ///
    /// # Panics
    /// When the set has 2^32 PUs; `limit.rs` keeps them below.
    pub fn intern(&mut self, set: &BitSlice<u64>) -> PuSetId {
        let mut bits = PuBits::from_bitslice(set);
        bits.force_align();
        bits.set_uninitialized(false);
        self.intern_words(bits.as_raw_slice(), bits.len())
    }
    /// The same for a set of `len` PUs as words; bits behind the last PU are 0. A known set costs no allocation.
    pub(crate) fn intern_words(&mut self, words: &[u64], len: usize) -> PuSetId {
        let digest = words
            .iter()
            .fold(mix(START, len as u64), |digest, &word| mix(digest, word));
        let len = u32::try_from(len).expect("limit.rs keeps PUs below 2^32");
        let is = |set: &Set| set.len == len && set.words(&self.words) == words;
        self.sets.find_by(digest, is).unwrap_or_else(|| {
            let start = self.words.len();
            self.words.extend_from_slice(words);
            self.sets.add(digest, Set { start, len })
        })
    }
    /// How many sets there are.
    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }
    /// The words of a set; bits behind the last PU are 0.
    pub(crate) fn words(&self, id: PuSetId) -> &[u64] {
        self.sets.get(id).words(&self.words)
    }
    /// The set of an id.
    #[must_use]
    pub fn get(&self, id: PuSetId) -> &BitSlice<u64> {
        &BitSlice::from_slice(self.words(id))[..self.sets.get(id).len as usize]
    }
}
