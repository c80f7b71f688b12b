//! Slots: what is left of a node, what max_slots allows, what entries say about slots. Source: `semantics` 1.3, 1.4, 4.
//!
//! max_slots bounds a node's room ([`NodeState::room`]). `alloc/select.rs` leaves out nodes that have none, each map policy takes no more,
//! and `place/refuse.rs` says when max_slots is the reason that processes do not fit.
//!
//! Slots that nobody gave are marked in `build_pool.rs` and inferred in `first_states.rs`. In a hostfile, max_slots without slots gives that many slots (`hostfile.rs`).

pub(crate) use crate::plan::claimed::SlotsSaid;
use crate::table::states::NodeState;
use crate::text::host_types::EntrySlots;
use std::ops::{Add, Sub};

impl NodeState {
    /// Free slots.
    #[must_use]
    pub const fn left(&self) -> u32 {
        self.slots.saturating_sub(self.used)
    }
    /// How many processes may still come, whatever the slots: up to max_slots.
    #[must_use]
    pub fn room(&self) -> u32 {
        // The bound is chosen before subtracting, so that optimized code does not branch on an undefined word, which valgrind reports.
        match self.max_slots.unwrap_or(u32::MAX) {
            u32::MAX => u32::MAX,
            max => max.saturating_sub(self.used),
        }
    }
    /// Whether no more processes may come while slots count.
    #[doc(hidden)]
    pub fn is_full(&self) -> bool {
        self.room() == 0 || self.left() == 0
    }
    /// How many processes the node may hold while slots count.
    pub(crate) fn most(&self) -> u32 {
        self.max_slots.unwrap_or(u32::MAX).min(self.slots)
    }
    /// The slots of the node if an app claims more than are left: those in use, and the claim.
    ///
    /// # Errors
    /// max_slots, if that is less.
    #[doc(hidden)]
    pub fn claimed(&self, claim: u64) -> Result<u32, u32> {
        let wanted = u64::from(self.used).saturating_add(claim);
        match self.max_slots.filter(|&max| wanted > u64::from(max)) {
            Some(max) => Err(max),
            None => Ok(u32::try_from(wanted).unwrap_or(u32::MAX)),
        }
    }
}

impl SlotsSaid {
    /// All slots, once: `n:*`, or a node that a relative entry chose.
    pub(crate) const ALL: Self = Self { counted: 0, all: 1 };

    pub(crate) const fn times(self, times: u64) -> Self {
        Self {
            counted: self.counted * times,
            all: self.all * times,
        }
    }
}

impl From<EntrySlots> for SlotsSaid {
    fn from(slots: EntrySlots) -> Self {
        let counted = match slots {
            EntrySlots::One => 1,
            EntrySlots::Count(count) => u64::from(count),
            EntrySlots::Infer => return Self::ALL,
        };
        Self { counted, all: 0 }
    }
}

impl Add for SlotsSaid {
    type Output = Self;
    /// What two entries say about one node. Entries are fewer than 2^32 and each says less than 2^32: a sum stays below 2^64.
    fn add(self, other: Self) -> Self {
        Self {
            counted: self.counted + other.counted,
            all: self.all + other.all,
        }
    }
}

impl Sub for SlotsSaid {
    type Output = Self;
    fn sub(self, less: Self) -> Self {
        Self {
            counted: self.counted - less.counted,
            all: self.all - less.all,
        }
    }
}
