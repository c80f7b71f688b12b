//! A plan on the hosts that were granted.

use crate::machine::StowMachine;
use crate::plan::StowPlan;
use crate::pointer::{Out, read, text};
use crate::refusal::StowError;
use crate::status::call_with;
use std::ffi::c_char;

/// The same shapes on other hosts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_onto(
    plan: *const StowPlan,
    hosts: *const c_char,
    len: usize,
    machine: *const StowMachine,
    out: *mut *mut StowPlan,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (plan, hosts, out) = unsafe { (read(plan)?, text(hosts, len)?, Out::new(out)?) };
        if machine.is_null() {
            return out.give(StowPlan::new(plan.plan.onto([hosts])?));
        }
        // SAFETY: the caller guarantees it.
        let machine = unsafe { read(machine) }?;
        out.give(StowPlan::new(plan.plan.onto_machine([hosts], &machine.0)?))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}
