//! libstowplan: the library `stowplan` for C and C++. `include/stowplan.h` says what each function does. This crate only converts.
//!
//! `pointer.rs` checks and follows the pointers that callers pass, except `error` (`status.rs`) and the struct of a process
//! (`proc.rs`). The unsafe blocks are sound because of what the header asks of callers: a pointer with a length or capacity points
//! to that many items, a handle came from this library and was not freed, and a C string ends with a NUL.
#![expect(
    clippy::missing_safety_doc,
    reason = "the header says once for all what callers owe"
)]
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

// Named constants.
mod constants;
// Why a call fails, and what C learns about it.
mod fail;
mod refusal;
mod status;
// Pointers from callers, checked and followed.
mod pointer;
// Answers that are written into the caller's memory.
mod answer;
// The functions, by handle.
pub mod asked;
pub mod cluster;
pub mod cluster_nodes;
pub mod columns;
pub mod components;
pub mod difference;
pub mod error;
pub mod explanation;
pub mod gpus;
pub mod job;
pub mod machine;
pub mod many;
pub mod node;
pub mod onto;
pub mod page;
pub mod plan;
pub mod planner;
pub mod proc;
pub mod refused;
pub mod session;
pub mod slice;
pub mod taskmap;
pub mod threads;
pub mod topology;
pub mod waiting;

pub use constants::*;
pub use status::{
    STOW_INTERNAL, STOW_INVALID, STOW_NOT_FOUND, STOW_OK, STOW_REFUSED, STOW_TOO_SMALL,
};

/// The version of the interface. It is raised when something is added.
pub const STOW_API_VERSION: u32 = 7;

/// The `STOW_API_VERSION` that the library was built with.
#[unsafe(no_mangle)]
pub extern "C" fn stow_api_version() -> u32 {
    STOW_API_VERSION
}
