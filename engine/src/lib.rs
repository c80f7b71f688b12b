//! Placement of massive parallel jobs: which process runs on which node, on which cpus, with which rank.
//!
//! An internal crate of stowplan: nothing in it is promised to stay as it is. Launchers use the crate `stowplan`.
//!
//! The modules are in the order of the data: each imports only from modules above it.

// Every bound.
pub mod limit;
// Ids, counts, errors and policies, which all other modules use.
pub mod count;
pub mod devices;
pub mod error;
pub mod id;
pub mod policy;
// The tables: node names, topologies, node states, apps, patterns.
pub mod table;
// Text -> directives, host lists and files, as data.
pub mod text;
// A spawn request, typed, packed and relayed.
pub mod spawn;
// Task maps: RFC 34, PMI and raw.
pub mod taskmap;
// The plan: the result, which the stages fill.
pub mod plan;
// A plan made of masks that somebody else decided.
pub mod given;
// The stages, which make all decisions.
pub mod stage;
// The stages in order: from a request to a plan.
pub mod map;
pub mod map_again;
// The same, with the loop over apps and components left to the caller.
pub mod map_job;
// One job, planned again when nodes are lost.
pub mod planner;
// Jobs that start and end on one set of nodes.
pub mod cluster;
