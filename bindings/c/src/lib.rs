//! libstowplan: the library `stowplan` for C and C++. `include/stowplan.h` says what each function does; here is conversion and
//! nothing else.
//!
//! Every pointer that comes in is looked at in `pointer.rs` alone. What the header asks of callers is what makes its unsafe
//! blocks sound: a pointer with a length or capacity has so many items behind it, a handle came from this library and was not
//! freed, a C string ends.
#![expect(
    clippy::missing_safety_doc,
    reason = "the header says once for all what callers owe"
)]
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

// Numbers with a name.
mod constants;
// Why a call gives no answer, and what C is told of it.
mod fail;
mod refusal;
mod status;
// Pointers, looked at.
mod pointer;
// Questions whose answer goes into the caller's memory.
mod answer;
// Functions, by handle.
pub mod cluster;
pub mod error;
pub mod job;
pub mod machine;
pub mod plan;
pub mod proc;
pub mod slice;
pub mod topology;

pub use constants::*;
pub use status::{
    STOW_INTERNAL, STOW_INVALID, STOW_NOT_FOUND, STOW_OK, STOW_REFUSED, STOW_TOO_SMALL,
};

/// Version of the interface; raised when something is added.
pub const STOW_API_VERSION: u32 = 1;

/// The version that this library has.
#[unsafe(no_mangle)]
pub extern "C" fn stow_api_version() -> u32 {
    STOW_API_VERSION
}
