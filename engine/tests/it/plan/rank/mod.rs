//! The order of the ranks.

mod object_index;
pub(crate) mod order;
