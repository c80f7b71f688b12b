//! Named machines and jobs for the benches.

// The mix of session events, at any size.
pub mod session_mix;
// What placing a shape takes.
pub mod measure;
// The plain mapper beside ours.
pub mod plain;
// Tables.
pub mod report;
// Curves.
pub mod plot;
// Other programs, and ours, as processes.
pub mod process;
