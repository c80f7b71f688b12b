//! Passes any bytes to every function of the C face that takes bytes. Each call gives a status and an error that says why, and
//! writes only on success. Every object that was made answers every question. This is the body of the fuzz target
//! `bindings/c/fuzz`; `replay.rs` passes it the target's corpus.

#[path = "bytes_answers.rs"]
mod bytes_answers;
#[path = "bytes_cluster.rs"]
mod bytes_cluster;
#[path = "bytes_components.rs"]
mod bytes_components;

use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};
use stowplan::columns::stow_plan_column;
use stowplan::error::{
    StowError, stow_error_app, stow_error_class, stow_error_docs, stow_error_free, stow_error_help,
    stow_error_hint, stow_error_message, stow_error_number, stow_error_span, stow_error_text,
};
use stowplan::gpus::stow_slice_gpu_numbers;
use stowplan::job::{
    StowJob, stow_job_add_app, stow_job_free, stow_job_from_bytes, stow_job_from_json,
    stow_job_from_words, stow_job_new, stow_job_set_bind_to, stow_job_set_file,
    stow_job_set_hostfile, stow_job_set_hosts, stow_job_set_map_by, stow_job_set_rank_by,
    stow_job_to_bytes,
};
use stowplan::machine::{
    StowMachine, stow_machine_free, stow_machine_new, stow_machine_restrict, stow_machine_set_cpus,
    stow_machine_set_devices, stow_machine_set_head, stow_machine_set_max_slots,
    stow_machine_set_node_cpus, stow_machine_set_slots, stow_machine_set_taken,
    stow_machine_set_topology,
};
use stowplan::plan::{
    StowPlan, stow_plan_apps, stow_plan_check, stow_plan_cpu_words, stow_plan_cpus,
    stow_plan_cpuset, stow_plan_cpusets, stow_plan_free, stow_plan_from_bytes, stow_plan_gpus,
    stow_plan_new, stow_plan_nics, stow_plan_node_find, stow_plan_node_name, stow_plan_node_ranks,
    stow_plan_node_slice, stow_plan_nodes, stow_plan_notes, stow_plan_proc, stow_plan_ranks,
    stow_plan_task_map, stow_plan_to_broadcast, stow_plan_to_bytes,
};
use stowplan::proc::{StowProc, stow_object_name};
use stowplan::slice::{
    stow_slice_cpu_words, stow_slice_cpus, stow_slice_free, stow_slice_gpus, stow_slice_nics,
    stow_slice_node_name, stow_slice_proc, stow_slice_procs, stow_slice_ranks, stow_slice_read,
};
use stowplan::topology::{
    StowTopology, stow_topology_free, stow_topology_read, stow_topology_restrict,
};
use stowplan::{
    STOW_INTERNAL, STOW_INVALID, STOW_NOT_FOUND, STOW_OK, STOW_REFUSED, STOW_TOO_SMALL,
};

type Errors = *mut *mut StowError;

/// How many ranks are asked about one by one.
const ASKED: u32 = 64;

/// Runs a call with a place for its error, and returns whether it succeeded.
fn called(call: impl FnOnce(Errors) -> u32) -> bool {
    let untouched: *mut StowError = std::ptr::dangling_mut();
    let mut error = untouched;
    let status = call(&raw mut error);
    assert_ne!(error, untouched, "an error is always written");
    if status == STOW_OK || status == STOW_TOO_SMALL {
        assert!(error.is_null());
        return status == STOW_OK;
    }
    assert!(
        [STOW_REFUSED, STOW_INVALID, STOW_NOT_FOUND].contains(&status),
        "status {status}"
    );
    assert_ne!(status, STOW_INTERNAL);
    let (mut start, mut end) = (7, 7);
    // SAFETY: the error came from the call, and lives until it is freed here.
    unsafe {
        let text = |text: *const c_char| CStr::from_ptr(text).to_bytes().to_vec();
        assert!(!text(stow_error_class(error)).is_empty());
        assert!(!text(stow_error_message(error)).is_empty());
        let (hint, help) = (text(stow_error_hint(error)), text(stow_error_help(error)));
        let lines = || help.split(|&byte| byte == b'\n');
        assert!(hint.is_empty() || lines().any(|line| line == hint));
        assert!(!text(stow_error_docs(error)).is_empty() && stow_error_number(error) != 0);
        let mut app = 7;
        match stow_error_app(error, &raw mut app) {
            STOW_OK => {}
            status => assert_eq!((status, app), (STOW_NOT_FOUND, 7)),
        }
        let meant = text(stow_error_text(error));
        match stow_error_span(error, &raw mut start, &raw mut end) {
            STOW_OK => assert!(start <= end && end <= meant.len(), "{start}..{end}"),
            status => assert_eq!((status, start, end), (STOW_NOT_FOUND, 7, 7)),
        }
        stow_error_free(error);
    }
    false
}

/// Runs a call that makes a handle. `None` if it fails.
fn made<T>(call: impl FnOnce(*mut *mut T, Errors) -> u32) -> Option<*mut T> {
    let untouched: *mut T = std::ptr::dangling_mut();
    let mut out = untouched;
    let good = called(|errors| call(&raw mut out, errors));
    assert_eq!(good, out != untouched);
    good.then_some(out)
}

/// The items that a call gives. It is called twice: for their number, then for the items.
fn items<T: Copy + Default>(call: impl Fn(*mut T, usize, *mut usize) -> u32) -> Vec<T> {
    let mut needed = usize::MAX;
    match call(null_mut(), 0, &raw mut needed) {
        STOW_OK => assert_eq!(needed, 0),
        STOW_TOO_SMALL => assert!(needed > 0),
        status => {
            assert!(
                [STOW_REFUSED, STOW_NOT_FOUND].contains(&status),
                "status {status}"
            );
            assert_eq!(needed, usize::MAX);
            return Vec::new();
        }
    }
    let mut out = vec![T::default(); needed];
    let status = call(out.as_mut_ptr(), out.len(), &raw mut needed);
    assert_eq!((status, needed), (STOW_OK, out.len()));
    out
}

/// Asks a plan every question, and frees it.
fn ask(plan: *mut StowPlan) {
    // SAFETY: the plan lives until it is freed here, and outputs have the capacity that is passed.
    unsafe {
        let (ranks, nodes) = (stow_plan_ranks(plan), stow_plan_nodes(plan));
        for rank in (0..ranks.min(ASKED)).chain([ranks.wrapping_sub(1), ranks]) {
            let mut proc = StowProc {
                size: size_of::<StowProc>(),
                rank: 7,
                app: 0,
                app_rank: 0,
                node: 0,
                local_rank: 0,
                node_rank: 0,
                object_kind: 0,
                object: 0,
            };
            let there = stow_plan_proc(plan, rank, &raw mut proc) == STOW_OK;
            assert_eq!(there, rank < ranks);
            assert!(!there || (proc.rank == rank && proc.node < nodes));
            assert!(!there || proc.app < stow_plan_apps(plan));
            let kind = CStr::from_ptr(stow_object_name(proc.object_kind));
            assert_eq!(kind.is_empty(), proc.object_kind == 0);
            let _ = items(|out, room, needed| stow_plan_gpus(plan, rank, out, room, needed));
            let _ = items(|out, room, needed| stow_plan_nics(plan, rank, out, room, needed));
            let text = items(|out, room, needed| stow_plan_cpus(plan, rank, out, room, needed));
            let words =
                items(|out, room, needed| stow_plan_cpu_words(plan, rank, out, room, needed));
            assert_eq!(
                text.len() > 1,
                words.last().is_some_and(|&last: &u64| last != 0)
            );
        }
        for node in (0..nodes.min(ASKED)).chain([nodes]) {
            let name =
                items(|out, room, needed| stow_plan_node_name(plan, node, out, room, needed));
            let mut found = 0;
            if let [name @ .., _] = name.as_slice() {
                let status = stow_plan_node_find(plan, name.as_ptr(), name.len(), &raw mut found);
                assert_eq!((status, found), (STOW_OK, node));
            }
            let _ = items(|out, room, needed| stow_plan_node_ranks(plan, node, out, room, needed));
            let slice = items(|out, room, needed| {
                stow_plan_node_slice(plan, node, out, room, needed, null_mut())
            });
            assert_eq!(slice.is_empty(), node >= nodes);
        }
        if ranks <= 1 << 16 {
            for column in 0..9 {
                let rows =
                    items(|out, room, needed| stow_plan_column(plan, column, out, room, needed));
                assert_eq!(rows.len(), ranks as usize);
            }
            let _ =
                items(|out, room, needed| stow_plan_task_map(plan, out, room, needed, null_mut()));
            called(|errors| stow_plan_check(plan, errors));
            let _ =
                items(|out, room, needed| stow_plan_to_bytes(plan, out, room, needed, null_mut()));
            let _ = items(|out, room, needed| {
                stow_plan_to_broadcast(plan, out, room, needed, null_mut())
            });
        }
        for id in [0, stow_plan_cpusets(plan).wrapping_sub(1), u32::MAX] {
            let _ = items(|out, room, needed| stow_plan_cpuset(plan, id, out, room, needed));
        }
        let _ = items(|out, room, needed| stow_plan_notes(plan, out, room, needed));
        bytes_answers::ask(plan);
        stow_plan_free(plan);
    }
}

/// Places a job, alone and on a cluster, writes it to bytes and reads it again, and frees it.
fn place(job: *mut StowJob, machine: *mut StowMachine) {
    // SAFETY: the handles live, and outputs have the capacity that is passed.
    unsafe {
        if let Some(plan) = made(|out, errors| stow_plan_new(job, machine, out, errors)) {
            ask(plan);
        }
        bytes_cluster::place(job, machine);
        bytes_answers::place(job, machine);
        let bytes =
            items(|out, room, needed| stow_job_to_bytes(job, out, room, needed, null_mut()));
        if !bytes.is_empty() {
            let again =
                made(|out, errors| stow_job_from_bytes(bytes.as_ptr(), bytes.len(), out, errors));
            stow_job_free(again.expect("what was just written is read"));
        }
        stow_job_free(job);
    }
}

/// A machine for the jobs.
fn small() -> *mut StowMachine {
    let text = b"package:2 core:4 pu:2";
    // SAFETY: the text and the handles live.
    unsafe {
        let topology: *mut StowTopology =
            made(|out, errors| stow_topology_read(text.as_ptr().cast(), text.len(), out, errors))
                .expect("it is sound");
        let machine = made(|out, errors| stow_machine_new(topology, out, errors));
        stow_topology_free(topology);
        machine.expect("it is sound")
    }
}

/// Passes the bytes as each text of a job in turn.
fn texts(text: *const c_char, len: usize, machine: *mut StowMachine) {
    type Set = unsafe extern "C" fn(*mut StowJob, u32, *const c_char, usize, Errors) -> u32;
    let setters: [Set; 5] = [
        stow_job_set_hosts,
        stow_job_set_hostfile,
        stow_job_set_map_by,
        stow_job_set_rank_by,
        stow_job_set_bind_to,
    ];
    for (at, set) in setters.into_iter().enumerate() {
        // SAFETY: the text and the handles live.
        unsafe {
            let job = made(|out, errors| stow_job_new(out, errors)).expect("it is empty");
            let mut app = 7;
            let hosts = c"a:4,b:4";
            let none = called(|errors| stow_job_add_app(job, text, 0, 4, &raw mut app, errors));
            assert!(!none, "an empty program is refused");
            assert!(called(|errors| stow_job_add_app(
                job,
                c"./x".as_ptr(),
                3,
                4,
                &raw mut app,
                errors
            )));
            assert_eq!(app, 0);
            assert!(called(|errors| stow_job_set_hosts(
                job,
                0,
                hosts.as_ptr(),
                7,
                errors
            )));
            called(|errors| set(job, 0, text, len, errors));
            if at > 1 {
                called(|errors| set(job, u32::MAX, text, len, errors));
            }
            called(|errors| stow_job_set_file(job, text, len, text, len, errors));
            place(job, machine);
        }
    }
}

/// The body: with any bytes, functions fail only as the header says.
pub(crate) fn bytes(bytes: &[u8]) {
    let (data, len) = (bytes.as_ptr(), bytes.len());
    let text: *const c_char = data.cast();
    let machine = small();
    let words: Vec<Vec<u8>> = bytes
        .split(|&byte| byte == 0 || byte == b' ' || byte == b'\n')
        .map(|word| [word, &[0]].concat())
        .collect();
    let line: Vec<*const c_char> = words.iter().map(|word| word.as_ptr().cast()).collect();
    // SAFETY: the bytes, the words and the handles live until they are freed here.
    unsafe {
        if let Some(plan) = made(|out, errors| stow_plan_from_bytes(data, len, out, errors)) {
            ask(plan);
        }
        if let Some(slice) = made(|out, errors| stow_slice_read(data, len, out, errors)) {
            let _ = items(|out, room, needed| stow_slice_node_name(slice, out, room, needed));
            assert!(stow_slice_procs(slice) <= stow_slice_ranks(slice));
            for local in 0..stow_slice_procs(slice).min(ASKED) {
                let mut size = [size_of::<StowProc>(), 0, 0, 0, 0];
                let proc = size.as_mut_ptr().cast();
                assert_eq!(stow_slice_proc(slice, local, proc), STOW_OK);
                let text =
                    items(|out, room, needed| stow_slice_cpus(slice, local, out, room, needed));
                let words: Vec<u64> = items(|out, room, needed| {
                    stow_slice_cpu_words(slice, local, out, room, needed)
                });
                assert_eq!(text.len() > 1, !words.is_empty());
                let _ = items(|out, room, needed| stow_slice_gpus(slice, local, out, room, needed));
                let _ = items(|out, room, needed| stow_slice_nics(slice, local, out, room, needed));
                let _ = items(|out, room, needed| {
                    stow_slice_gpu_numbers(slice, local, out, room, needed)
                });
            }
            stow_slice_free(slice);
        }
        if let Some(job) = made(|out, errors| stow_job_from_bytes(data, len, out, errors)) {
            place(job, machine);
        }
        if let Some(job) = made(|out, errors| stow_job_from_json(text, len, out, errors)) {
            place(job, machine);
        }
        let lines = if line.is_empty() {
            null()
        } else {
            line.as_ptr()
        };
        if let Some(job) = made(|out, errors| stow_job_from_words(lines, line.len(), out, errors)) {
            place(job, machine);
        }
        if let Some(own) = made(|out, errors| stow_topology_read(text, len, out, errors)) {
            called(|errors| stow_machine_set_topology(machine, text, len, own, errors));
            if let Some(less) =
                made(|out, errors| stow_topology_restrict(own, text, len, out, errors))
            {
                stow_topology_free(less);
            }
            stow_topology_free(own);
        }
        bytes_answers::bytes(bytes, &line, machine);
        bytes_cluster::bytes(bytes, machine);
        bytes_components::bytes(bytes, &line, machine);
        texts(text, len, machine);
        called(|errors| stow_machine_set_head(machine, text, len, errors));
        called(|errors| stow_machine_set_cpus(machine, text, len, errors));
        called(|errors| stow_machine_set_node_cpus(machine, text, len, text, len, errors));
        called(|errors| stow_machine_restrict(machine, text, len, text, len, errors));
        called(|errors| stow_machine_set_devices(machine, text, len, text, len, errors));
        called(|errors| stow_machine_set_slots(machine, text, len, 1, errors));
        called(|errors| stow_machine_set_max_slots(machine, text, len, 1, errors));
        called(|errors| stow_machine_set_taken(machine, text, len, 1, text, len, errors));
        stow_machine_free(machine);
    }
}
