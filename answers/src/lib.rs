//! Answers for people: why a rank is where it is, what moved between two plans, and pictures of them.
//!
//! An inner part of stowplan: nothing here is promised to stay. It opens no file and writes none.

// Policies in words.
pub mod policy;
// Host lists, folded.
pub mod hosts;
// Nodes on which a job looks the same.
pub mod spread;
// What a line of `tsv` says of one rank.
pub mod row;
// The GPUs of a node's processes.
pub mod gpus;
// Some ranks of a plan.
pub mod select;
// Two plans beside each other.
pub mod diff;
// Why a rank is where it is.
pub mod explain;
// Plans as pictures.
pub mod picture;
