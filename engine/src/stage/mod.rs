//! The decisions, in the order of the data: words become resolved apps, apps get nodes, and processes get places on each node.
//! Each module imports only from modules above it.

// The words of components.
pub mod map_word;
// Which component takes an app.
pub mod component;
// Work on many different items, shared among threads.
pub(crate) mod map_all;
// A relayed request -> one row per app.
pub mod resolve;
// One node alone.
pub(crate) mod node;
// Which nodes there are, in which state.
pub(crate) mod alloc;
// How many processes go to each node, policy by policy, and the states that they leave.
pub(crate) mod place;
// All apps of a job: process counts, and which apps compete.
pub(crate) mod job;
