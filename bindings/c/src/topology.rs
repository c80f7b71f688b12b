//! `stow_topology`.

use crate::pointer::{Out, free, read, text};
use crate::refusal::StowError;
use crate::status::call_with;
use std::ffi::c_char;

/// A topology; opaque to callers.
pub struct StowTopology(pub(crate) face::Topology);

/// Reads a topology.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_topology_read(
    words: *const c_char,
    len: usize,
    out: *mut *mut StowTopology,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (text, out) = unsafe { (text(words, len)?, Out::new(out)?) };
        out.give(StowTopology(face::Topology::parse(text)?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// A topology with some cpus alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_topology_restrict(
    topology: *const StowTopology,
    cpus: *const c_char,
    len: usize,
    out: *mut *mut StowTopology,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (topology, cpus, out) = unsafe { (read(topology)?, text(cpus, len)?, Out::new(out)?) };
        out.give(StowTopology(topology.0.restrict(cpus)?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Frees a topology.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_topology_free(topology: *mut StowTopology) {
    // SAFETY: the caller guarantees it.
    unsafe { free(topology) }
}
