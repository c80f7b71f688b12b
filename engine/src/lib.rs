//! Placement of massive parallel jobs: which process runs on which node, on which cpus, with which rank.
//!
//! An inner part of stowplan: nothing here is promised to stay as it is. Launchers use the crate `stowplan`.
//!
//! The modules stand in the order of the data; each imports only from those above it.

// Every bound.
pub mod limit;
// Ids, counts, errors, choices: the words everything else is written in.
pub mod count;
pub mod error;
pub mod id;
pub mod policy;
// What there is.
pub mod table;
// Text -> what was said.
pub mod text;
// A spawn request, typed, packed and relayed.
pub mod spawn;
// Task maps: RFC 34, PMI and raw.
pub mod taskmap;
// What comes out: the shape that the stages fill.
pub mod plan;
// The decisions.
pub mod stage;
// The list of stages.
pub mod map;
// One job, planned again when nodes are lost.
pub mod planner;
// Jobs that come and go on one set of nodes.
pub mod cluster;
