//! The rest of the body: clusters, and plans on granted hosts, from any bytes.

use super::{Errors, called, items, made};
use std::ffi::c_char;
use std::ptr::{null, null_mut};
use stowplan::STOW_OK;
use stowplan::cluster::{
    StowCluster, stow_cluster_adopt, stow_cluster_clone, stow_cluster_free,
    stow_cluster_from_bytes, stow_cluster_job_of, stow_cluster_jobs, stow_cluster_new,
    stow_cluster_place, stow_cluster_place_in_session, stow_cluster_plan, stow_cluster_release,
    stow_cluster_release_job, stow_cluster_to_bytes, stow_cluster_try_place,
};
use stowplan::cluster_nodes::{
    stow_cluster_add_nodes, stow_cluster_down, stow_cluster_drain, stow_cluster_free_cpus,
    stow_cluster_free_gpus, stow_cluster_free_slots, stow_cluster_jobs_on, stow_cluster_lose,
    stow_cluster_max_slots, stow_cluster_node_name, stow_cluster_nodes, stow_cluster_procs,
    stow_cluster_remove, stow_cluster_slots, stow_cluster_standing, stow_cluster_topology,
    stow_cluster_up,
};
use stowplan::job::{StowJob, stow_job_free, stow_job_from_words};
use stowplan::machine::StowMachine;
use stowplan::onto::stow_plan_onto;
use stowplan::plan::{StowPlan, stow_plan_free, stow_plan_nodes, stow_plan_ranks};
use stowplan::session::{stow_session_free, stow_session_new};
use stowplan::topology::stow_topology_free;
use stowplan::waiting::{
    StowWaiting, stow_cluster_explain, stow_waiting_class, stow_waiting_free, stow_waiting_jobs,
    stow_waiting_message, stow_waiting_text,
};

/// The largest job and the most nodes for which all answers are asked.
const SMALL: u32 = 1 << 10;

/// Places a job on a cluster and asks what it answers then.
pub(super) fn place(job: *mut StowJob, machine: *mut StowMachine) {
    // SAFETY: the handles live, and outputs have the capacity that is passed.
    unsafe {
        let cluster = made(|out, errors| stow_cluster_new(machine, out, errors));
        let cluster = cluster.expect("a machine is enough");
        let tried = made(|out, errors| stow_cluster_try_place(cluster, job, out, errors));
        stow_plan_free(tried.unwrap_or(null_mut()));
        if let Some(plan) = made(|out, errors| stow_cluster_place(cluster, job, out, errors)) {
            assert!(tried.is_some());
            if stow_plan_ranks(plan) <= SMALL && stow_plan_nodes(plan) <= SMALL {
                runs(cluster, job, plan, machine);
            }
            assert!(called(|errors| stow_cluster_release(cluster, plan, errors)));
            assert!(!called(|errors| stow_cluster_release(
                cluster, plan, errors
            )));
            stow_plan_free(plan);
        }
        stow_cluster_free(cluster);
    }
}

unsafe fn runs(
    cluster: *mut StowCluster,
    job: *mut StowJob,
    plan: *mut StowPlan,
    machine: *mut StowMachine,
) {
    // SAFETY: the handles live, and outputs have the capacity that is passed.
    unsafe {
        let mut number = 7;
        assert_eq!(stow_cluster_job_of(cluster, plan, &raw mut number), STOW_OK);
        assert_eq!(number, 0);
        let jobs = items(|out, room, needed| stow_cluster_jobs(cluster, out, room, needed));
        assert_eq!(jobs, [0]);
        let again = made(|out, errors| stow_cluster_plan(cluster, 0, out, errors));
        stow_plan_free(again.expect("the job runs"));
        let waiting: Option<*mut StowWaiting> =
            made(|out, errors| stow_cluster_explain(cluster, job, out, errors));
        if let Some(waiting) = waiting {
            assert_ne!(*stow_waiting_class(waiting), 0);
            assert_ne!(*stow_waiting_message(waiting), 0);
            assert_ne!(*stow_waiting_text(waiting), 0);
            let _ = items(|out, room, needed| stow_waiting_jobs(waiting, out, room, needed));
            stow_waiting_free(waiting);
        }
        let bytes = items(|out, room, needed| {
            stow_cluster_to_bytes(cluster, out, room, needed, null_mut())
        });
        let other = made(|out, errors| {
            stow_cluster_from_bytes(bytes.as_ptr(), bytes.len(), machine, out, errors)
        });
        let other = other.expect("what was just written is read");
        assert!(called(|errors| stow_cluster_release_job(other, 0, errors)));
        let copy = made(|out, errors| stow_cluster_clone(other, out, errors));
        let copy = copy.expect("it lives");
        called(|errors| stow_cluster_adopt(copy, plan, &raw mut number, errors));
        stow_cluster_free(copy);
        stow_cluster_free(other);
    }
}

type Change = unsafe extern "C" fn(*mut StowCluster, *const c_char, usize, Errors) -> u32;
type Told = unsafe extern "C" fn(*const StowCluster, *const c_char, usize, *mut u32, Errors) -> u32;

unsafe fn nodes(cluster: *mut StowCluster, name: *const c_char, len: usize) {
    let told: [Told; 5] = [
        stow_cluster_standing,
        stow_cluster_slots,
        stow_cluster_max_slots,
        stow_cluster_free_slots,
        stow_cluster_procs,
    ];
    let change: [Change; 4] = [
        stow_cluster_down,
        stow_cluster_up,
        stow_cluster_drain,
        stow_cluster_remove,
    ];
    // SAFETY: the handle and the text live, and outputs have the capacity that is passed.
    unsafe {
        for told in told {
            let mut out = 7;
            called(|errors| told(cluster, name, len, &raw mut out, errors));
        }
        let (mut cpus, mut jobs, mut needed) = ([0; 4], [0; 4], 0);
        called(|errors| {
            let cpus = cpus.as_mut_ptr();
            stow_cluster_free_cpus(cluster, name, len, cpus, 4, &raw mut needed, errors)
        });
        called(|errors| {
            let gpus = cpus.as_mut_ptr();
            stow_cluster_free_gpus(cluster, name, len, gpus, 4, &raw mut needed, errors)
        });
        called(|errors| {
            let jobs = jobs.as_mut_ptr();
            stow_cluster_jobs_on(cluster, name, len, jobs, 4, &raw mut needed, errors)
        });
        let own = made(|out, errors| stow_cluster_topology(cluster, name, len, out, errors));
        stow_topology_free(own.unwrap_or(null_mut()));
        called(|errors| {
            let jobs = jobs.as_mut_ptr();
            stow_cluster_lose(cluster, name, len, jobs, 4, &raw mut needed, errors)
        });
        for change in change {
            called(|errors| change(cluster, name, len, errors));
        }
    }
}

/// Passes the bytes as nodes, and as a saved cluster.
pub(super) fn bytes(bytes: &[u8], machine: *mut StowMachine) {
    let (text, len) = (bytes.as_ptr().cast::<c_char>(), bytes.len());
    // SAFETY: the bytes and the handles live until they are freed here.
    unsafe {
        let saved =
            made(|out, errors| stow_cluster_from_bytes(bytes.as_ptr(), len, machine, out, errors));
        stow_cluster_free(saved.unwrap_or(null_mut()));
        let cluster = made(|out, errors| stow_cluster_new(machine, out, errors));
        let cluster = cluster.expect("a machine is enough");
        let two = c"a:4,b:4".as_ptr();
        assert!(called(|errors| stow_cluster_add_nodes(
            cluster,
            two,
            7,
            null(),
            errors
        )));
        called(|errors| stow_cluster_add_nodes(cluster, text, len, machine, errors));
        let there = stow_cluster_nodes(cluster);
        if there <= SMALL {
            for node in 0..=there {
                let name = items(|out, room, needed| {
                    stow_cluster_node_name(cluster, node, out, room, needed)
                });
                assert_eq!(name.is_empty(), node == there);
            }
        }
        in_session(cluster, text, len);
        nodes(cluster, text, len);
        nodes(cluster, c"a".as_ptr(), 1);
        stow_cluster_free(cluster);
    }
}

/// Places a job as a namespace of any name, and carries its plan to any hosts.
unsafe fn in_session(cluster: *mut StowCluster, text: *const c_char, len: usize) {
    // SAFETY: the handles and the text live.
    unsafe {
        let words = [c"-n", c"3", c"./x"].map(std::ffi::CStr::as_ptr);
        let job = made(|out, errors| stow_job_from_words(words.as_ptr(), 3, out, errors));
        let job = job.expect("it is sound");
        let first = c"{\"initial\":{\"nodes\":[\"a\",\"b\"]}}";
        let length = first.count_bytes();
        let session = made(|out, errors| stow_session_new(first.as_ptr(), length, out, errors));
        let session = session.expect("it is sound");
        for length in [0, len] {
            let placed = made(|out, errors| {
                let none = null();
                stow_cluster_place_in_session(
                    cluster, job, session, text, length, none, 0, out, errors,
                )
            });
            let Some(plan) = placed else { continue };
            let carried = made(|out, errors| stow_plan_onto(plan, text, len, null(), out, errors));
            stow_plan_free(carried.unwrap_or(null_mut()));
            stow_plan_free(plan);
        }
        stow_session_free(session);
        stow_job_free(job);
    }
}
