//! The rest of the body: answers about plans, planners, sessions, task maps and refused jobs, from any bytes.

use super::{Errors, called, items, made};
use std::ffi::{CStr, c_char};
use std::ptr::null_mut;
use stowplan::columns::stow_plan_columns;
use stowplan::difference::{
    StowDifference, stow_difference_added, stow_difference_cause, stow_difference_cause_after,
    stow_difference_cause_app, stow_difference_cause_before, stow_difference_free,
    stow_difference_gone, stow_difference_html, stow_difference_moved, stow_difference_moved_cpus,
    stow_difference_moved_gpus, stow_difference_moved_local_rank, stow_difference_moved_nics,
    stow_difference_moved_node, stow_difference_moved_threads, stow_difference_picture,
    stow_difference_reordered, stow_difference_same, stow_difference_text, stow_plan_diff,
};
use stowplan::explanation::{
    StowExplanation, stow_explanation_free, stow_explanation_from, stow_explanation_instead,
    stow_explanation_instead_cpus, stow_explanation_instead_local_rank,
    stow_explanation_instead_node, stow_explanation_option, stow_explanation_rule,
    stow_explanation_sentence, stow_explanation_sentences, stow_explanation_text,
    stow_explanation_value, stow_explanation_words, stow_plan_explain,
};
use stowplan::gpus::{stow_plan_gpu_numbers, stow_plan_gpuset, stow_plan_gpusets};
use stowplan::job::{StowJob, stow_job_free, stow_job_from_words, stow_job_set_env};
use stowplan::machine::{StowMachine, stow_machine_free, stow_machine_new};
use stowplan::many::stow_place_many;
use stowplan::node::{stow_plan_node_slots_free, stow_plan_node_topology};
use stowplan::page::{stow_plan_html, stow_plan_picture, stow_plan_summary};
use stowplan::plan::{StowPlan, stow_plan_free, stow_plan_new, stow_plan_nodes, stow_plan_ranks};
use stowplan::planner::{
    StowPlanner, stow_planner_free, stow_planner_lose, stow_planner_new, stow_planner_plan,
};
use stowplan::refused::{
    StowRefused, stow_refused_asked, stow_refused_change, stow_refused_class, stow_refused_explain,
    stow_refused_free, stow_refused_message, stow_refused_missing, stow_refused_nearest,
    stow_refused_text, stow_refused_there, stow_refused_word, stow_refused_words,
};
use stowplan::session::{
    StowSession, stow_machine_within, stow_session_answer, stow_session_compact,
    stow_session_event, stow_session_free, stow_session_from_journal, stow_session_journal,
    stow_session_kept, stow_session_new,
};
use stowplan::taskmap::{
    StowTaskmap, stow_taskmap_free, stow_taskmap_node_of, stow_taskmap_nodes, stow_taskmap_of_plan,
    stow_taskmap_read, stow_taskmap_tasks, stow_taskmap_tasks_of, stow_taskmap_text,
};
use stowplan::threads::{
    StowThreads, stow_threads_bind, stow_threads_count, stow_threads_cpus, stow_threads_free,
    stow_threads_from_cpus, stow_threads_name, stow_threads_new, stow_threads_place,
    stow_threads_place_cpus, stow_threads_places,
};
use stowplan::topology::{stow_topology_free, stow_topology_read};
use stowplan::{STOW_NOT_FOUND, STOW_OK};

/// The largest job for which all answers are asked.
const SMALL: u32 = 1 << 12;

unsafe fn text(text: *const c_char) -> String {
    // SAFETY: the library gave the string, and its handle lives.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().expect("it is UTF-8").to_owned()
}

/// Asks a plan what it answers for people, and what its nodes and GPUs are.
pub(super) fn ask(plan: *mut StowPlan) {
    // SAFETY: the plan lives, and outputs have the capacity that is passed.
    unsafe {
        let (ranks, nodes) = (stow_plan_ranks(plan), stow_plan_nodes(plan));
        assert!(items(|out, room, needed| stow_plan_summary(plan, out, room, needed)).len() > 1);
        for node in [0, nodes.wrapping_sub(1), nodes] {
            let mut free = 7;
            let status = stow_plan_node_slots_free(plan, node, &raw mut free);
            assert!([STOW_OK, STOW_NOT_FOUND].contains(&status));
            let own = made(|out, errors| stow_plan_node_topology(plan, node, out, errors));
            assert_eq!(own.is_some(), status == STOW_OK);
            stow_topology_free(own.unwrap_or(null_mut()));
        }
        let _ = items(|out, room, needed| stow_plan_gpu_numbers(plan, 0, out, room, needed));
        if ranks > SMALL || nodes > SMALL {
            return;
        }
        for id in [0, stow_plan_gpusets(plan)] {
            let _ = items(|out, room, needed| stow_plan_gpuset(plan, id, out, room, needed));
        }
        let mut columns = vec![vec![u32::MAX; ranks as usize]; 9];
        let outs: Vec<*mut u32> = columns.iter_mut().map(Vec::as_mut_ptr).collect();
        let mut needed = 0;
        let status = stow_plan_columns(plan, outs.as_ptr(), 9, ranks as usize, &raw mut needed);
        assert_eq!((status, needed), (STOW_OK, ranks as usize));
        assert!(columns[2].iter().all(|&node| node < nodes));
        assert!(items(|out, room, needed| stow_plan_picture(plan, out, room, needed)).len() > 1);
        assert!(items(|out, room, needed| stow_plan_html(plan, out, room, needed)).len() > 1);
        explain(plan);
        if let Some(same) = made(|out, errors| stow_plan_diff(plan, plan, out, errors)) {
            differ(same, ranks);
        }
        if let Some(map) = made(|out, errors| stow_taskmap_of_plan(plan, out, errors)) {
            tasks(map);
        }
    }
}

unsafe fn explain(plan: *mut StowPlan) {
    // SAFETY: the plan and the explanation live.
    unsafe {
        let told: Option<*mut StowExplanation> =
            made(|out, errors| stow_plan_explain(plan, 0, out, errors));
        let Some(told) = told else { return };
        assert!(!text(stow_explanation_text(told)).is_empty());
        let sentences = stow_explanation_sentences(told);
        assert!(!text(stow_explanation_sentence(told, 0)).is_empty());
        assert!(text(stow_explanation_sentence(told, sentences)).is_empty());
        for word in 0..stow_explanation_words(told) {
            assert!(!text(stow_explanation_option(told, word)).is_empty());
            let _ = text(stow_explanation_value(told, word));
            let from = text(stow_explanation_from(told, word));
            assert_eq!(
                from == "default",
                !text(stow_explanation_rule(told, word)).is_empty()
            );
        }
        let other = text(stow_explanation_instead(told));
        assert_eq!(
            other.is_empty(),
            text(stow_explanation_instead_node(told)).is_empty()
        );
        let _ = text(stow_explanation_instead_cpus(told));
        let _ = stow_explanation_instead_local_rank(told);
        stow_explanation_free(told);
    }
}

unsafe fn differ(same: *mut StowDifference, ranks: u32) {
    // SAFETY: the difference lives until it is freed here.
    unsafe {
        assert_eq!(stow_difference_same(same), ranks);
        let none = [
            stow_difference_moved,
            stow_difference_moved_node,
            stow_difference_moved_cpus,
            stow_difference_moved_local_rank,
            stow_difference_moved_gpus,
            stow_difference_moved_nics,
            stow_difference_moved_threads,
            stow_difference_gone,
            stow_difference_added,
            stow_difference_reordered,
            stow_difference_cause_app,
        ];
        assert!(none.into_iter().all(|count| count(same) == 0));
        assert!(!text(stow_difference_text(same)).is_empty());
        for part in [
            stow_difference_cause,
            stow_difference_cause_before,
            stow_difference_cause_after,
        ] {
            assert!(text(part(same)).is_empty());
        }
        let _ = items(|out, room, needed| stow_difference_picture(same, out, room, needed));
        let _ = items(|out, room, needed| stow_difference_html(same, out, room, needed));
        stow_difference_free(same);
    }
}

/// Asks a task map every question, and frees it.
unsafe fn tasks(map: *mut StowTaskmap) {
    // SAFETY: the map lives until it is freed here.
    unsafe {
        let (mut tasks, mut nodes, mut node) = (0, 0, 0);
        if called(|errors| stow_taskmap_tasks(map, &raw mut tasks, errors)) {
            assert!(called(|errors| stow_taskmap_nodes(
                map,
                &raw mut nodes,
                errors
            )));
            let last = tasks - 1;
            assert!(called(|errors| stow_taskmap_node_of(
                map,
                last,
                &raw mut node,
                errors
            )));
            assert!(node < nodes);
        }
        if tasks <= SMALL {
            let _ = items(|out, room, needed| {
                stow_taskmap_tasks_of(map, node, out, room, needed, null_mut())
            });
            for form in 0..6 {
                let _ = items(|out, room, needed| {
                    stow_taskmap_text(map, form, out, room, needed, null_mut())
                });
            }
        }
        stow_taskmap_free(map);
    }
}

/// Plans a job again without a node, and three times at once.
pub(super) fn place(job: *mut StowJob, machine: *mut StowMachine) {
    // SAFETY: the handles live, and outputs have the capacity that is passed.
    unsafe {
        let planner: Option<*mut StowPlanner> =
            made(|out, errors| stow_planner_new(job, machine, out, errors));
        if let Some(planner) = planner {
            if let Some(plan) = made(|out, errors| stow_planner_plan(planner, out, errors)) {
                stow_plan_free(plan);
            }
            called(|errors| stow_planner_lose(planner, c"a".as_ptr(), 1, errors));
            stow_planner_free(planner);
        }
        let jobs: [*const StowJob; 3] = [job; 3];
        let (mut plans, mut failed) = ([null_mut(); 3], 7);
        let place = |errors: Errors| {
            let (plans, refused) = (plans.as_mut_ptr(), null_mut());
            stow_place_many(
                jobs.as_ptr(),
                3,
                machine,
                plans,
                refused,
                &raw mut failed,
                errors,
            )
        };
        assert_eq!(called(place), failed == 3);
        plans.into_iter().for_each(|plan| stow_plan_free(plan));
    }
}

/// Passes the bytes as cpus and variables of OpenMP, of a process and of a job.
unsafe fn threads(bytes: &[u8], line: &[*const c_char]) {
    let (text_, len) = (bytes.as_ptr().cast(), bytes.len());
    let gnu = c"gnu".as_ptr();
    // SAFETY: the bytes, the words and the handles live until they are freed here.
    unsafe {
        let small = c"package:2 core:4 pu:2";
        let topology = made(|out, errors| stow_topology_read(small.as_ptr(), 21, out, errors));
        let topology = topology.expect("it is sound");
        for (cpus, room) in [(text_, len), (c"0-7".as_ptr(), 3)] {
            let found: Option<*mut StowThreads> = made(|out, errors| {
                let (variables, count) = (line.as_ptr(), line.len());
                stow_threads_from_cpus(topology, cpus, room, variables, count, gnu, 3, out, errors)
            });
            threaded(found);
        }
        let words = [c"-n", c"1", c"-H", c"a:4", c"./x"].map(CStr::as_ptr);
        let job: *mut StowJob =
            made(|out, errors| stow_job_from_words(words.as_ptr(), 5, out, errors))
                .expect("it is sound");
        let name = c"OMP_PLACES".as_ptr();
        called(|errors| stow_job_set_env(job, 0, name, 10, text_, len, errors));
        called(|errors| stow_job_set_env(job, u32::MAX, text_, len, text_, len, errors));
        let machine: *mut StowMachine =
            made(|out, errors| stow_machine_new(topology, out, errors)).expect("it is sound");
        if let Some(plan) = made(|out, errors| stow_plan_new(job, machine, out, errors)) {
            threaded(made(|out, errors| {
                stow_threads_new(plan, 0, gnu, 3, out, errors)
            }));
            stow_plan_free(plan);
        }
        stow_machine_free(machine);
        stow_job_free(job);
        stow_topology_free(topology);
    }
}

unsafe fn threaded(found: Option<*mut StowThreads>) {
    let Some(threads) = found else { return };
    // SAFETY: the threads live until they are freed here.
    unsafe {
        let (count, places) = (stow_threads_count(threads), stow_threads_places(threads));
        assert!(count > 0 && !text(stow_threads_bind(threads)).is_empty());
        for thread in [0, count - 1, count] {
            let mut place = 7;
            let there = stow_threads_place(threads, thread, &raw mut place) == STOW_OK;
            assert_eq!(there, thread < count);
            assert!(!there || place == u32::MAX || place < places);
            assert_eq!(there, !text(stow_threads_name(threads, thread)).is_empty());
            let _ =
                items(|out, room, needed| stow_threads_cpus(threads, thread, out, room, needed));
            let _ = items(|out, room, needed| {
                stow_threads_place_cpus(threads, thread, out, room, needed)
            });
        }
        stow_threads_free(threads);
    }
}

/// Passes the bytes as a command line that may be refused, as sessions and as a task map.
pub(super) fn bytes(bytes: &[u8], line: &[*const c_char], machine: *mut StowMachine) {
    let (data, len) = (bytes.as_ptr(), bytes.len());
    let words: *const c_char = data.cast();
    // SAFETY: the bytes, the words and the handles live until they are freed here.
    unsafe {
        let told: Option<*mut StowRefused> = made(|out, errors| {
            stow_refused_explain(line.as_ptr(), line.len(), machine, out, errors)
        });
        if let Some(told) = told {
            for part in [
                stow_refused_text,
                stow_refused_class,
                stow_refused_message,
                stow_refused_missing,
            ] {
                assert!(!text(part(told)).is_empty());
            }
            let (mut asked, mut there) = (0, 0);
            let _ = stow_refused_asked(told, &raw mut asked);
            let _ = stow_refused_there(told, &raw mut there);
            for near in 0..stow_refused_nearest(told) {
                assert!(!text(stow_refused_change(told, near)).is_empty());
                let words = 0..stow_refused_words(told, near);
                words.for_each(|word| drop(text(stow_refused_word(told, near, word))));
            }
            stow_refused_free(told);
        }
        if let Some(map) = made(|out, errors| stow_taskmap_read(words, len, out, errors)) {
            tasks(map);
        }
        threads(bytes, line);
        let begin = c"{\"initial\":{\"nodes\":[\"a\",\"b\"]}}";
        for own in [
            made(|out, errors| stow_session_new(words, len, out, errors)),
            made(|out, errors| stow_session_from_journal(data, len, out, errors)),
            made(|out, errors| stow_session_new(begin.as_ptr(), 31, out, errors)),
        ] {
            let own: Option<*mut StowSession> = own;
            let Some(session) = own else { continue };
            let good = called(|errors| stow_session_event(session, words, len, errors));
            let answer = items(|out, room, needed| stow_session_answer(session, out, room, needed));
            assert_eq!(answer.len() > 1, good);
            let _ = items(|out, room, needed| stow_session_journal(session, out, room, needed));
            assert!(called(|errors| stow_session_kept(session, errors)));
            let _ = items(|out, room, needed| {
                stow_session_compact(session, out, room, needed, null_mut())
            });
            let targets = line.as_ptr();
            let (spawner, count) = (c"".as_ptr(), line.len());
            let seen = made(|out, errors| {
                stow_machine_within(machine, session, spawner, 0, targets, count, out, errors)
            });
            stow_machine_free(seen.unwrap_or(null_mut()));
            stow_session_free(session);
        }
    }
}
