//! The decisions, in the order of the data: words become resolved apps, these get nodes, and on each node places.
//! Each imports only what stands above it.

// Which mapper takes an app.
pub mod component;
// A relayed request -> one row per app.
pub mod resolve;
// One node, taken alone.
pub(crate) mod node;
// Many different nodes at once.
pub(crate) mod parallel;
// Which nodes, in which state.
pub(crate) mod alloc;
// How many go where, policy by policy, and what they leave.
pub(crate) mod place;
// All apps: which there are, which compete.
pub(crate) mod job;
