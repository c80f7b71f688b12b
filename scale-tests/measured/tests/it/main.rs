//! Tests that count what is allocated. Counting slows down threads that allocate at the same time, so other tests are in a program
//! of their own.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test says what it measured, and ends where a promise is broken"
)]

mod apps;
mod child;
mod cluster_flat;
mod growth;
mod hostile;
mod memory;
mod replan;
mod session_size;
mod taskmap;

/// Counts allocations. The counts are read in processes that do nothing else.
#[global_allocator]
static ALLOCATOR: &stats_alloc::StatsAlloc<std::alloc::System> = &stats_alloc::INSTRUMENTED_SYSTEM;
