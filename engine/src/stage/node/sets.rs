//! What a process is bound by: the cpus of its node, and where among them it may be.

use super::bits::first_of;

/// The PUs of a node, as an app finds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeSets<'n> {
    /// Those that nobody consumed before the app.
    pub(crate) free_at_start: &'n [u64],
    /// All that may be used.
    pub(crate) allowed: &'n [u64],
}

impl<'n> NodeSets<'n> {
    /// What the app may share of some PUs: those it found free; all of them where it found none (7.5, 7.8).
    #[inline]
    pub(super) fn shared(self, pus: &[(u32, u32)]) -> &'n [u64] {
        if first_of(self.free_at_start, pus).is_some() {
            self.free_at_start
        } else {
            self.allowed
        }
    }
}

/// Where a process is mapped to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MapTarget<'p> {
    /// The PUs of the object; all of the machine where it is mapped to none.
    pub(crate) pus: &'p [(u32, u32)],
    /// Its number among the app's objects; 0 without.
    pub(crate) at: usize,
}
