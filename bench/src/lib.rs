//! Named machines and jobs for the benches, and the allocator that the command ships with, so that the measured code is the code that runs.

// The mix of session events, at any size.
pub mod session_mix;
// The cost of placing a shape.
pub mod measure;
// The least time of a question that must read a cache line from memory.
pub mod lines;
// The plain mapper beside ours.
pub mod plain;
// Tables.
pub mod report;
// Other programs and ours, as processes.
pub mod process;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
