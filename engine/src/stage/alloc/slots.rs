//! Slots: what is left of a node, what max_slots allows, and when an app finds too few. Source: `semantics` 2, 4.

use crate::error::words::{Counted, FullNodes};
use crate::error::{MapError, PlaceError};
use crate::table::states::NodeState;

impl NodeState {
    /// Free slots.
    #[must_use]
    pub const fn left(&self) -> u32 {
        self.slots.saturating_sub(self.used)
    }
    /// Processes that may still come, whatever the slots: up to max_slots.
    #[must_use]
    pub fn room(&self) -> u32 {
        // The bound is chosen before anything is subtracted: optimized code branches on no undefined word, and valgrind is silent.
        match self.max_slots.unwrap_or(u32::MAX) {
            u32::MAX => u32::MAX,
            max => max.saturating_sub(self.used),
        }
    }
    /// Whether no process more may come, unless slots do not count.
    pub(crate) fn is_full(&self) -> bool {
        self.room() == 0 || self.left() == 0
    }
    /// Processes that the node may hold while slots count.
    pub(crate) fn most(&self) -> u32 {
        self.max_slots.unwrap_or(u32::MAX).min(self.slots)
    }
    /// The slots that a claim of an app gives the node, where it claims more than are left: those in use, and the claim.
    ///
    /// # Errors
    /// max_slots, where they are fewer.
    pub(crate) fn claimed(&self, claim: u64) -> Result<u32, u32> {
        let wanted = u64::from(self.used).saturating_add(claim);
        match self.max_slots.filter(|&max| wanted > u64::from(max)) {
            Some(max) => Err(max),
            None => Ok(u32::try_from(wanted).unwrap_or(u32::MAX)),
        }
    }
}

/// An app that asks for more processes than slots are left on some of its nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotEnoughSlots {
    /// The app, from 0.
    pub(crate) app: u32,
    pub(crate) asked: u64,
    pub(crate) counted: Counted,
    pub(crate) left: u64,
    pub(crate) nodes: u32,
}

impl From<NotEnoughSlots> for MapError {
    fn from(refused: NotEnoughSlots) -> Self {
        let NotEnoughSlots {
            app,
            asked,
            counted,
            left,
            nodes,
        } = refused;
        PlaceError::NotEnoughSlots {
            app,
            asked,
            counted,
            left,
            nodes,
            full: FullNodes::default(),
        }
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id as _;
    use crate::table::pusets::PuSetId;
    use crate::table::topologies::TopologyId;

    fn node(slots: u32, max_slots: Option<u32>, used: u32) -> NodeState {
        let set = PuSetId::from_row(0);
        NodeState {
            topology: TopologyId::from_row(0),
            allowed: set,
            free: set,
            slots,
            max_slots,
            used,
            own: 0,
        }
    }

    #[test]
    fn max_slots_bounds_what_oversubscribe_may_add() {
        assert_eq!(node(2, None, 5).room(), u32::MAX);
        assert_eq!(node(2, Some(6), 5).room(), 1);
        assert_eq!(node(2, Some(4), 5).room(), 0);
    }

    #[test]
    fn a_node_is_full_without_slots_or_at_max_slots() {
        assert!(!node(2, None, 1).is_full());
        assert!(node(2, None, 2).is_full());
        assert!(node(4, Some(3), 3).is_full());
    }

    #[test]
    fn a_claim_raises_slots_up_to_max_slots() {
        assert_eq!(node(2, None, 1).claimed(3), Ok(4));
        assert_eq!(node(2, Some(4), 1).claimed(3), Ok(4));
        assert_eq!(node(2, Some(4), 2).claimed(3), Err(4));
        assert_eq!(node(2, None, 1).claimed(u64::MAX), Ok(u32::MAX));
    }
}
