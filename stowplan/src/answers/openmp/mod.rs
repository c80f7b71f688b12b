//! Where OpenMP puts the threads of a process, by the rules of the runtimes (`docs/threads.md`).
//!
//! Pure functions from a machine, a mask and variables to places and threads; nothing here knows of jobs.

// Whose rules.
pub mod runtime;
// Why there is no answer.
pub mod refused;
// The variables that count.
pub mod variables;
// A value, read from left to right.
mod scan;
// A topology as runtimes see it.
pub mod machine;
// How many threads.
pub mod team_sizes;
// From places to threads.
pub mod seats;
// How threads are bound.
mod binding;
// The layers of a machine, as LLVM counts them.
mod layers;
// GNU: places, and what decides.
mod gnu_binding;
mod gnu_places;
// LLVM and Intel: places, KMP_AFFINITY, KMP_HW_SUBSET, and what decides.
mod balanced;
mod kmp;
mod llvm;
mod llvm_places;
mod subset;
// The answer.
pub mod answer;
// A process to its threads.
mod process;

// What a runtime does with each variable.
pub mod status;
// The processes of a plan whose threads have the same answer.
pub mod classes;
// The threads of a plan's processes.
pub mod job;
// Why a thread runs where it does.
pub mod explained;
mod why;
// Running threads, and whether they are where they were planned.
pub mod live;
pub mod witness;
// Notes on the threads of a process.
pub mod notes;
// Notes on the threads of a job.
pub mod job_notes;

pub use answer::{Thread, Threads};
pub use machine::Machine;
pub use process::{Process, threads};
pub use refused::Refused;
pub use runtime::Runtime;
pub use variables::Variables;
