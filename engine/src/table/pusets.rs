//! Sets of PUs by **logical** number, interned: one bit per PU of a topology.

use super::alike::{Alike, START, mix};
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
    /// Aligned to words; bits behind the last PU are 0.
    sets: Column<PuSetId, PuBits>,
    ids: Alike<PuSetId>,
}

impl PuSets {
    /// The id of this set, new or known.
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
        let is = |id: PuSetId| self.sets[id].len() == len && self.sets[id].as_raw_slice() == words;
        match self.ids.find(digest, is) {
            Ok(id) => id,
            Err(free) => {
                let mut bits = PuBits::from_slice(words);
                bits.truncate(len);
                let id = self.sets.push(bits);
                self.ids.keep(free, id);
                id
            }
        }
    }
    /// The words of a set; bits behind the last PU are 0.
    pub(crate) fn words(&self, id: PuSetId) -> &[u64] {
        self.sets[id].as_raw_slice()
    }
    /// The set of an id.
    #[must_use]
    pub fn get(&self, id: PuSetId) -> &BitSlice<u64> {
        &self.sets[id]
    }
    /// Distinct sets, with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (PuSetId, &PuBits)> {
        self.sets.iter()
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
