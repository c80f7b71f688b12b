//! Integration tests: one binary for the crate.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test says what it skips, and ends where a promise is broken"
)]

mod apps;
mod child;
mod choices;
mod cluster_account;
mod cluster_day;
mod cluster_first;
mod cluster_flat;
mod compare;
mod corpus;
mod entries;
mod examples;
mod gpus;
mod growth;
mod hostile;
mod job_notes;
mod judge;
mod lines;
mod lost;
mod lost_words;
mod memory;
mod million;
mod networks;
mod notes;
mod openmp;
mod plain_notes;
mod plan;
mod replan;
mod replay;
mod session;
mod session_size;
mod size;
mod small_world;
mod taskmap;
mod text;
mod threads;
mod topo;

/// Counts allocations. The counts are read in processes that do nothing else.
#[global_allocator]
static ALLOCATOR: &stats_alloc::StatsAlloc<std::alloc::System> = &stats_alloc::INSTRUMENTED_SYSTEM;
