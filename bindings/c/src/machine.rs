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
        Ok(machine.0.set_cpu_list(list)?)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Limits some nodes to a list of cores or hardware threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_machine_set_node_cpus(
    machine: *mut StowMachine,
    nodes: *const c_char,
    nodes_len: usize,
    list: *const c_char,
    len: usize,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (machine, nodes, list) =
            unsafe { (change(machine)?, text(nodes, nodes_len)?, text(list, len)?) };
        Ok(machine.0.set_cpus(nodes, list)?)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Limits some nodes to cpus by OS number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_machine_restrict(
    machine: *mut StowMachine,
    nodes: *const c_char,
    nodes_len: usize,
    cpus: *const c_char,
    len: usize,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (machine, nodes, cpus) =
            unsafe { (change(machine)?, text(nodes, nodes_len)?, text(cpus, len)?) };
        Ok(machine.0.restrict(nodes, cpus)?)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Says which devices some nodes have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_machine_set_devices(
    machine: *mut StowMachine,
    nodes: *const c_char,
    nodes_len: usize,
    devices: *const c_char,
    len: usize,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (machine, nodes, devices) = unsafe {
            (
                change(machine)?,
                text(nodes, nodes_len)?,
                text(devices, len)?,
            )
        };
        Ok(machine.0.set_devices(nodes, devices)?)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Says how many slots some nodes have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_machine_set_slots(
    machine: *mut StowMachine,
    nodes: *const c_char,
    len: usize,
    slots: u32,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (machine, nodes) = unsafe { (change(machine)?, text(nodes, len)?) };
        Ok(machine.0.set_slots(nodes, slots)?)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Says how many processes some nodes may hold.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_machine_set_max_slots(
    machine: *mut StowMachine,
    nodes: *const c_char,
    len: usize,
    max: u32,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (machine, nodes) = unsafe { (change(machine)?, text(nodes, len)?) };
        Ok(machine.0.set_max_slots(nodes, max)?)
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}

/// Says what others have of some nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_machine_set_taken(
    machine: *mut StowMachine,
    nodes: *const c_char,
    nodes_len: usize,
    slots: u32,
    cpus: *const c_char,
    len: usize,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (machine, nodes, cpus) =
            unsafe { (change(machine)?, text(nodes, nodes_len)?, text(cpus, len)?) };
        Ok(machine.0.set_taken(nodes, slots, cpus)?)
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
