//! Integration tests: one binary for the crate.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test says what it skips, and ends where a promise is broken"
)]

/// The allocator of the command, which most tests call within this process.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

mod advice;
mod allocation;
mod altered;
mod attacks;
mod batch;
mod bounds;
mod cases;
mod circles;
mod citations;
mod classes;
mod code_map;
mod command_line;
mod commands;
mod console;
mod contract;
mod corpus;
mod corpus_words;
mod damaged;
mod diff;
mod divergences;
mod docs;
mod explain;
mod fields;
mod folder;
mod given_gpus;
mod growth;
mod guides;
mod help;
mod input;
mod inside;
mod json;
mod judged;
mod launch;
mod mapped_nics;
// Threads of a running job.
mod launch_gpus;
mod leftovers;
mod mistaken;
mod mixed;
mod mpibind;
mod network;
mod newcomers;
mod onto;
mod page;
mod picture;
mod play;
mod random_jobs;
#[cfg(unix)]
mod raw;
mod recorded_lines;
mod recorded_srun;
mod release;
mod request_schema;
mod session;
mod show;
mod spawn;
mod swapped;
mod taskmap;
#[cfg(unix)]
mod terminal;
mod thread_lines;
mod tidy;
mod users_of_hosts;
