//! The order of the ranks: slot and fill by prefix sums, node and span round by round, or as listed.

// Turns dealt to the processes of a pattern.
mod deal;
// The same for patterns that are too long to be written out: turns are found when they are asked for.
pub(super) mod object_index;
// Which process of a node has which turn.
pub(super) mod turns_on_node;
// Ranges of ranks that are looked up in the same way.
pub(super) mod ranges;
// By node and by span: the rounds in which the same nodes take part.
mod rounds_of_nodes;
// Where a rank is, and which rank a process has: searches in the ranges.
pub(super) mod find;
