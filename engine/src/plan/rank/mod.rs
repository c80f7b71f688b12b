//! The order of the ranks: slot and fill by prefix sums, node and span round by round, or as written.

// Turns dealt to the processes of a pattern.
mod deal;
// The same where a pattern is too long for that: asked.
mod object_index;
// Which process of a node has which turn.
pub(super) mod node_order;
// Ranks that are asked alike, side by side.
pub(super) mod ranges;
// By node and by span: the rounds in which the same nodes take part.
mod phases;
// Where a rank is, and which rank a process has: searches in these.
pub(super) mod find;
// Ranks in every order, counted one by one.
#[cfg(test)]
pub(super) mod counting;
