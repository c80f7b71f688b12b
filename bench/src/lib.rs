//! Named machines and jobs for the benches, and the allocator that the command ships with: what is measured is what runs.

// The mix of session events, at any size.
pub mod session_mix;
// What placing a shape takes.
pub mod measure;
// The least that the table of distinct nodes can take.
// And a question that reads a line of memory.
pub mod lines;
// The plain mapper beside ours.
pub mod plain;
// Tables.
pub mod report;
// Curves.
pub mod plot;
// Other programs, and ours, as processes.
pub mod process;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
