//! A cluster: nodes on which jobs start and end, and which come and go themselves.
//!
//! A job is placed on the nodes that are up, on the slots and cpus that are left. Hosts that the cluster does not know come with the
//! job that names them. When a job ends, its slots and cpus are free again. Nothing of a job stays behind: the tables are those of
//! the present states, and a plan has its own.
//!
//! `stowplan::Cluster` shows how a launcher uses it.

// Rows of states and sets, alone in tables of their own.
mod rows;
// Topologies, from one table to another.
mod topologies;
// How a job is placed among others.
mod among;
// How a node stands.
mod standing;
// Some nodes, as a job sees them.
mod view;
// The nodes with room, and how many of them a job can look at.
mod room;
// Topologies without the GPUs that jobs hold.
mod held;
// The nodes, the state of each, and those that one job may use.
mod nodes;
// The nodes and what is known of them.
mod whole;
// Nodes that a job or a caller names first.
mod grow;
// GPUs that jobs hold, taken and given back.
mod gpus;
// What a job takes of nodes, taken and given back.
mod taken;
// The nodes in bytes.
mod bytes;

pub use among::Among;
pub use bytes::{BadCluster, Saved};
pub use nodes::NodeNow;
pub use standing::Standing;
pub use taken::AdoptError;
pub use whole::{Cluster, NoNode};
