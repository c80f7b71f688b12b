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
    ids: HashMap<PuBits, PuSetId>,
}

impl PuSets {
    /// The id of this set, new or known.
    pub fn intern(&mut self, set: &BitSlice<u64>) -> PuSetId {
        let mut bits = PuBits::from_bitslice(set);
        bits.set_uninitialized(false);
        if let Some(&id) = self.ids.get(&bits) {
            return id;
        }
        let id = self.sets.push(bits.clone());
        self.ids.insert(bits, id);
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
