//! Sets of PUs by **logical** number, interned: one bit per PU of a topology.

use super::interner::{Interner, START, mix};
use crate::define_id;
use crate::id::Column;
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
    sets: Column<PuSetId, Set>,
    /// The words of all sets, one set after the other: there may be two sets for every node.
    words: Vec<u64>,
    ids: Interner<PuSetId>,
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
    /// The same of a set of `len` PUs as words, bits behind the last PU being 0. A known set costs no allocation.
    pub(crate) fn intern_words(&mut self, words: &[u64], len: usize) -> PuSetId {
        let digest = words
            .iter()
            .fold(mix(START, len as u64), |digest, &word| mix(digest, word));
        let len = u32::try_from(len).expect("limit.rs keeps PUs below 2^32");
        let is = |id: PuSetId| self.sets[id].len == len && self.words(id) == words;
        match self.ids.find(digest, is) {
            Ok(id) => id,
            Err(free) => {
                let start = self.words.len();
                self.words.extend_from_slice(words);
                let id = self.sets.push(Set { start, len });
                self.ids.keep(free, id);
                id
            }
        }
    }
    /// The words of a set; bits behind the last PU are 0.
    pub(crate) fn words(&self, id: PuSetId) -> &[u64] {
        self.sets[id].words(&self.words)
    }
    /// The set of an id.
    #[must_use]
    pub fn get(&self, id: PuSetId) -> &BitSlice<u64> {
        &BitSlice::from_slice(self.words(id))[..self.sets[id].len as usize]
    }
    /// Distinct sets, with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (PuSetId, &BitSlice<u64>)> {
        self.sets.ids().map(|id| (id, self.get(id)))
    }
    /// How many distinct sets.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sets.len()
    }
    /// No sets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }
}
