//! A node of a plan: its free slots and its hardware.

use crate::fail::Fail;
use crate::plan::StowPlan;
use crate::pointer::{Out, read};
use crate::refusal::StowError;
use crate::status::{call, call_with};
use crate::topology::StowTopology;

fn untold() -> Fail {
    Fail::NotFound("the plan was read from a broadcast, which has no states of nodes".to_owned())
}

/// The slots that are free on a node behind the job.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_node_slots_free(
    plan: *const StowPlan,
    node: u32,
    out: *mut u32,
) -> u32 {
    call(|| {
        // SAFETY: the caller guarantees it.
        let (plan, out) = unsafe { (read(plan)?, Out::new(out)?) };
        out.put(plan.node(node)?.slots_free().ok_or_else(untold)?)
    })
}

/// The hardware of a node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stow_plan_node_topology(
    plan: *const StowPlan,
    node: u32,
    out: *mut *mut StowTopology,
    error: *mut *mut StowError,
) -> u32 {
    let work = || {
        // SAFETY: the caller guarantees it.
        let (plan, out) = unsafe { (read(plan)?, Out::new(out)?) };
        out.give(StowTopology(
            plan.node(node)?.topology().ok_or_else(untold)?,
        ))
    };
    // SAFETY: the caller guarantees it.
    unsafe { call_with(error, work) }
}
