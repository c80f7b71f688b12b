//! What binding a process depends on: the cpus of its node, and where among them the process may be.

use super::bits::first_of;

/// The PUs of a node when an app starts on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeSets<'n> {
    /// PUs that were free when the app started.
    pub(crate) free_at_start: &'n [u64],
    /// All PUs that may be used.
    pub(crate) allowed: &'n [u64],
}

impl<'n> NodeSets<'n> {
    /// The PUs that the app may share: those that were free when it started, or all allowed ones if none of `pus` was (7.5, 7.8).
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
    /// The PUs of the object; the whole machine if the process is mapped to none.
    pub(crate) pus: &'p [(u32, u32)],
    /// The object's number among the app's objects; 0 if there is none.
    pub(crate) at: usize,
}
