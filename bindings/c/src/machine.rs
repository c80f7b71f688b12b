//! `stow_machine`.

use crate::pointer::{Out, change, free, read, text};
use crate::refusal::StowError;
use crate::status::call_with;
use crate::topology::StowTopology;
use std::ffi::c_char;

/// A machine; opaque to callers.
pub struct StowMachine(pub(crate) face::Machine);

/// A machine whose nodes all have one topology.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_machine_new(
    all: *const StowTopology,
    out: *mut *mut StowMachine,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (all, out) = unsafe { (read(all)?, Out::new(out)?) };
        out.give(StowMachine(face::Machine::uniform(all.0.clone())))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Gives some nodes another topology.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_machine_set_topology(
    machine: *mut StowMachine,
    nodes: *const c_char,
    len: usize,
    topology: *const StowTopology,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (machine, nodes, topology) =
            unsafe { (change(machine)?, text(nodes, len)?, read(topology)?) };
        Ok(machine.0.set_topology(nodes, topology.0.clone())?)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Sets the node that the launcher runs on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_machine_set_head(
    machine: *mut StowMachine,
    name: *const c_char,
    len: usize,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (machine, name) = unsafe { (change(machine)?, text(name, len)?) };
        Ok(machine.0.set_head(name)?)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Sets the cpus that may be used on every node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_machine_set_cpus(
    machine: *mut StowMachine,
    list: *const c_char,
    len: usize,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (machine, list) = unsafe { (change(machine)?, text(list, len)?) };
        Ok(machine.0.set_cpus(list)?)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Frees a machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_machine_free(machine: *mut StowMachine) {
    // SAFETY: the caller guarantees it.
    unsafe { free(machine) }
}
