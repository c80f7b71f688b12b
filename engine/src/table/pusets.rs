//! Sets of PUs by **logical** number, interned: one bit per PU of a topology.

use crate::define_id;
use crate::id::Column;
use bitvec::slice::BitSlice;
use bitvec::vec::BitVec;
use std::collections::HashMap;

define_id! {
    /// A row of [`PuSets`].
    PuSetId
}

/// One bit per logical PU.
pub type PuBits = BitVec<u64>;

/// Interned sets. Ids come in first-seen order.
#[derive(Clone, Default, Debug)]
pub struct PuSets {
    sets: Column<PuSetId, PuBits>,
    /// By the words of the set and its length: bits are hashed a word at a time.
    ids: HashMap<Box<[u64]>, PuSetId>,
}

/// What a set is found by: its words, and its length behind them.
pub(crate) fn words(set: &PuBits) -> Box<[u64]> {
    let words = set.as_raw_slice().iter().copied();
    words.chain([set.len() as u64]).collect()
}

impl PuSets {
    /// The id of this set, new or known.
    pub fn intern(&mut self, set: &BitSlice<u64>) -> PuSetId {
        let mut bits = PuBits::from_bitslice(set);
        bits.force_align();
        bits.set_uninitialized(false);
        let key = words(&bits);
        if let Some(&id) = self.ids.get(&key) {
            return id;
        }
        let id = self.sets.push(bits);
        self.ids.insert(key, id);
        id
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
