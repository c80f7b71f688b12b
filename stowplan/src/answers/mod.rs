//! Answers for people: why a rank is where it is, what moved between two plans, and pictures of plans.
//!
//! An internal part of stowplan: its API may change at any time. Of files it reads and writes journals only, in `journal_file`.

// Policies in words.
pub mod policy;
// Host lists in folded form.
pub mod hosts;
// Nodes on which a job looks the same.
pub mod spread;
// What a line of `tsv` says about one rank.
pub mod row;
// The GPUs of a node's processes.
pub mod gpus;
// Threads that processes should run.
pub mod thread_count;
// Some ranks of a plan.
pub mod select;
// Two plans compared.
pub mod diff;
// Why a rank is where it is.
pub mod explain;
// Whether a plan is sound.
pub mod verify;
// A plan on other nodes.
pub mod onto;
// What an expert would say of a plan.
pub mod expert;
// Where OpenMP puts threads.
pub mod openmp;
// Plans as pictures.
pub mod picture;
// Events of sessions and their answers, as JSON.
pub mod session_json;
// The journal on disk.
pub mod journal_file;
// Files that are there whole or not at all.
pub mod file_draft;
// Which placements leave less of a pattern's traffic.
pub mod advice;
// Networks as JSON.
pub mod network_json;
// JSON that a terminal can show.
pub mod json_text;
