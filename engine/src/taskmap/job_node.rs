//! The number of a node in its job.

/// The number of a node in its job: 0 is the first node of the allocation. Not a row of any table of ours.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct JobNode(pub u32);
