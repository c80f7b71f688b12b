//! Mapping components that answer with any bytes.

use super::{called, made};
use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use stowplan::asked::{
    StowAsked, stow_asked_app, stow_asked_attribute, stow_asked_avail, stow_asked_free_hwthreads,
    stow_asked_map_by, stow_asked_name, stow_asked_nodes, stow_asked_objects, stow_asked_procs,
    stow_asked_program, stow_asked_refuse, stow_asked_rooms, stow_asked_share, stow_asked_slots,
    stow_asked_used,
};
use stowplan::cluster::{stow_cluster_free, stow_cluster_new};
use stowplan::components::{
    StowComponents, stow_components_add, stow_components_free, stow_components_job,
    stow_components_new, stow_components_place, stow_components_place_in, stow_components_planner,
};
use stowplan::job::{StowJob, stow_job_free};
use stowplan::machine::StowMachine;
use stowplan::plan::stow_plan_free;
use stowplan::planner::stow_planner_free;

/// Asks everything, and answers by its bytes.
unsafe extern "C" fn count(state: *mut c_void, asked: *mut StowAsked<'_>) -> u32 {
    // SAFETY: the state is the slice that `bytes` passes, and `asked` lives during the call.
    unsafe {
        let bytes = &**state.cast::<&[u8]>();
        let at = |at: usize| u32::from(bytes.get(at).copied().unwrap_or_default());
        let (mut name, mut needed) = ([0; 64], 0);
        let room = at(0);
        let _ = (stow_asked_app(asked), stow_asked_procs(asked));
        assert!(!stow_asked_program(asked).is_null() && !stow_asked_map_by(asked).is_null());
        assert!(stow_asked_rooms(asked) > 0);
        let _ = (stow_asked_avail(asked, room), stow_asked_slots(asked, room));
        let _ = (
            stow_asked_used(asked, room),
            stow_asked_free_hwthreads(asked, room),
        );
        let _ = stow_asked_objects(asked, room, at(1));
        stow_asked_name(asked, room, at(2), name.as_mut_ptr(), 64, &raw mut needed);
        stow_asked_attribute(asked, at(3), name.as_mut_ptr(), 64, &raw mut needed);
        if at(4) > 200 {
            stow_asked_refuse(asked, bytes.as_ptr().cast(), bytes.len());
        }
        for room in 0..stow_asked_rooms(asked) {
            stow_asked_share(
                asked,
                stow_asked_nodes(asked, room),
                at(5 + room as usize) / 64,
            );
        }
        at(4) % 3
    }
}

unsafe extern "C" fn objects(
    state: *mut c_void,
    _: *mut StowAsked<'_>,
    procs: u32,
    out: *mut u32,
) -> u32 {
    // SAFETY: as above; there is room for the numbers.
    unsafe {
        let bytes = &**state.cast::<&[u8]>();
        for at in 0..procs as usize {
            let byte = bytes.get(at % bytes.len().max(1)).copied();
            out.add(at).write(u32::from(byte.unwrap_or_default()));
        }
    }
    0
}

/// Places a job with components that answer by the bytes.
pub(super) fn bytes(bytes: &[u8], line: &[*const c_char], machine: *mut StowMachine) {
    let mut state = bytes;
    // SAFETY: the handles live, and the state outlives what is made with it.
    unsafe {
        let own: Option<*mut StowComponents> = made(|out, errors| stow_components_new(out, errors));
        let own = own.expect("they are made");
        let (name, state) = (c"mine".as_ptr(), (&raw mut state).cast());
        let word = bytes.as_ptr().cast();
        called(|errors| {
            let (count, objects) = (Some(count as _), Some(objects as _));
            stow_components_add(
                own,
                name,
                4,
                101,
                null(),
                0,
                count,
                10,
                objects,
                state,
                errors,
            )
        });
        called(|errors| {
            let (name, len) = (word, bytes.len());
            stow_components_add(
                own,
                name,
                len,
                1,
                word,
                len,
                Some(count),
                0,
                None,
                state,
                errors,
            )
        });
        let job: Option<*mut StowJob> =
            made(|out, errors| stow_components_job(own, line.as_ptr(), line.len(), out, errors));
        if let Some(job) = job {
            let plan = made(|out, errors| stow_components_place(own, job, machine, out, errors));
            stow_plan_free(plan.unwrap_or(null_mut()));
            if let Some(cluster) = made(|out, errors| stow_cluster_new(machine, out, errors)) {
                let plan =
                    made(|out, errors| stow_components_place_in(own, cluster, job, out, errors));
                stow_plan_free(plan.unwrap_or(null_mut()));
                stow_cluster_free(cluster);
            }
            let planner =
                made(|out, errors| stow_components_planner(own, job, machine, out, errors));
            stow_planner_free(planner.unwrap_or(null_mut()));
            stow_job_free(job);
        }
        stow_components_free(own);
    }
}
