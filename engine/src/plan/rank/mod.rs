//! The order of the ranks: slot and fill by prefix sums, node and span round by round, or as written.

// The order of one app's ranks: which rank is each process, which process is each rank.
pub(super) mod order;
// By node and by span: in which round a rank is.
pub(super) mod rounds;
// Which run each place of a round is on.
mod blocks;
// By fill and by span, on one node: which process has which turn.
pub(super) mod profile;
// The turns of a pattern's processes, dealt out.
mod deal;
// The same where a pattern is too long for that: asked.
mod turns;
// Ranks that are asked alike, side by side.
pub(super) mod spans;
// Where a rank is: a search in these.
mod find;
