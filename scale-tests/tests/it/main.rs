//! Integration tests: one binary for the crate.

mod child;
mod corpus;
mod examples;
mod growth;
mod memory;
mod million;
mod plan;
mod size;
mod taskmap;
mod threads;
mod text;
mod topo;

/// Counts what is allocated; read in processes that measure nothing else.
#[global_allocator]
static ALLOCATOR: &stats_alloc::StatsAlloc<std::alloc::System> = &stats_alloc::INSTRUMENTED_SYSTEM;
