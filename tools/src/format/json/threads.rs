//! The threads of processes, one entry for each distinct app, topology and mask.

use serde::Serialize;
use stowplan::answers::openmp::classes::classes;
use stowplan::answers::openmp::job::JobThreads;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::cpusets::list_form;
use stowplan_engine::table::topologies::TopologyId;

/// The most entries.
const MOST: usize = 100;

/// The threads of the processes of a class, by the rules of one runtime.
#[derive(Serialize)]
pub(super) struct ThreadsView {
    app: u32,
    runtime: String,
    /// Row in the document's topologies.
    topology: usize,
    mask: String,
    ranks: u64,
    first_rank: u32,
    number: u32,
    bind: &'static str,
    places: Vec<String>,
    threads: Vec<ThreadView>,
}

#[derive(Serialize)]
struct ThreadView {
    thread: String,
    place: Option<usize>,
    cpus: String,
}

/// The entries, and how many there are beyond them; `None`: the job says nothing about threads.
pub(super) fn view(plan: &Plan, topologies: &[TopologyId]) -> Option<(Vec<ThreadsView>, usize)> {
    if plan.thread_words().is_empty() {
        return None;
    }
    let mut threads = JobThreads::new(plan, None).ok()?;
    let (mut views, mut more) = (Vec::new(), 0);
    for class in classes(plan) {
        let answer = threads.answer(class.key);
        for (runtime, own) in &answer.told {
            if views.len() == MOST {
                more += 1;
                continue;
            }
            let each = own.iter().map(|(thread, place, cpus)| ThreadView {
                thread: thread.name(),
                place,
                cpus: list_form(cpus),
            });
            let row = topologies.iter().position(|&id| id == class.key.topology);
            views.push(ThreadsView {
                app: plan.resolved_apps().number(class.key.app),
                runtime: runtime.clone(),
                topology: row.unwrap_or(0),
                mask: list_form(&answer.mask),
                ranks: class.ranks,
                first_rank: class.first,
                number: own.number(),
                bind: own.bind(),
                places: own.places().iter().map(list_form).collect(),
                threads: each.collect(),
            });
        }
    }
    Some((views, more))
}
