//! Integration tests: one binary for the crate.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test says what it skips, and ends where a promise is broken"
)]

mod choices;
mod cluster_account;
mod cluster_day;
mod cluster_first;
mod compare;
mod corpus;
mod entries;
mod examples;
mod gpus;
mod job_notes;
mod judge;
mod lines;
mod lost;
mod lost_words;
mod million;
mod networks;
mod notes;
mod openmp;
mod plain_notes;
mod plan;
mod replay;
mod session;
mod small_world;
mod text;
mod threads;
mod topo;

/// The allocator of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
