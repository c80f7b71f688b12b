//! Lines of the page on threads: one for each class of ranks with the same words and the same picture.

use crate::format::Told;
use roaring::RoaringBitmap;
use std::collections::BTreeMap;
use stowplan::answers::openmp::answer::Answer;
use stowplan::answers::openmp::classes::classes;
use stowplan::answers::openmp::job::JobThreads;
use stowplan::answers::openmp::{Machine, Threads, Variables};
use stowplan_engine::plan::Plan;
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::cpusets::list_form;

/// The most lines.
const LINES: usize = 8;
/// The most threads that a line shows.
const SHOWN: usize = 8;

/// The lines; none if the job says nothing about threads.
pub(super) fn lines(told: &Told<'_>) -> Vec<String> {
    let plan = told.plan;
    let Some(mut threads) = words(plan) else {
        return Vec::new();
    };
    let mut alike: BTreeMap<(AppId, String), usize> = BTreeMap::new();
    // The line, and how many more masks have the same picture.
    let mut lines: Vec<(String, usize)> = Vec::new();
    for class in classes(plan) {
        let answer = threads.answer(class.key);
        let variables = threads.variables(class.key.app).clone();
        let machine = threads.machine(class.key.topology);
        let key = (class.key.app, picture(&answer));
        // Masks that look alike differ only in their numbers.
        match alike.get(&key) {
            Some(&row) => lines[row].1 += 1,
            None => {
                alike.insert(key, lines.len());
                lines.push((line(&answer, &variables, &machine), 0));
            }
        }
    }
    let more = lines.len().saturating_sub(LINES);
    let mut shown: Vec<String> = { lines.into_iter().take(LINES) }
        .map(|(line, masks)| match masks {
            0 => line,
            1 => format!("{line}; 1 more mask alike"),
            masks => format!("{line}; {masks} more masks alike"),
        })
        .collect();
    if more > 0 {
        shown.push(format!(
            "threads  {more} more kinds of ranks; --format json has them"
        ));
    }
    shown
}

fn words(plan: &Plan) -> Option<JobThreads<'_>> {
    let said = !plan.thread_words().is_empty();
    said.then(|| JobThreads::new(plan, None).ok()).flatten()
}

/// Where the cpus of threads are in the mask: equal for masks that look alike.
fn picture(answer: &Answer) -> String {
    let mut text = String::new();
    for (runtime, own) in &answer.told {
        text.push_str(runtime);
        text.push_str(own.bind());
        for (_, place, cpus) in own.iter() {
            let at = cpus.iter().map(|cpu| answer.mask.rank(cpu).to_string());
            let at: Vec<String> = at.collect();
            text.push_str(&format!("|{place:?}:{}", at.join(",")));
        }
    }
    for (runtime, why) in &answer.refused {
        text.push_str(&format!("|{runtime}{}", why.class()));
    }
    text
}

fn line(answer: &Answer, variables: &Variables, machine: &Machine) -> String {
    if variables.is_empty() {
        let cores = machine.cores(&answer.mask);
        return format!(
            "threads  write OMP_NUM_THREADS={cores} OMP_PLACES=cores OMP_PROC_BIND=close: one a core, alike in gnu, llvm and intel unless packages alternate"
        );
    }
    let words = [
        "OMP_PLACES",
        "OMP_PROC_BIND",
        "GOMP_CPU_AFFINITY",
        "KMP_AFFINITY",
    ];
    let words: Vec<&str> = words
        .iter()
        .filter_map(|name| variables.get(name))
        .collect();
    let words = if words.is_empty() {
        "no words".to_owned()
    } else {
        words.join(", ")
    };
    let told = answer.told.iter().map(|(runtime, own)| {
        let whose = match runtime.as_str() {
            "any" => "gnu and llvm",
            other => other,
        };
        format!("{}   {words}; {whose}", shown(own, machine))
    });
    let mut parts: Vec<String> = told.collect();
    parts.extend(answer.refused.iter().map(|(runtime, why)| {
        let why = why.to_string();
        let first = why.lines().next().unwrap_or_default();
        format!("{runtime}: {first}")
    }));
    format!("threads  {}", parts.join(" / "))
}

/// How many threads a rank has, and on which cpus.
fn shown(own: &Threads, machine: &Machine) -> String {
    let count = own.len();
    if !own.is_bound() {
        let first = own.iter().next();
        let cpus = first.map_or_else(String::new, |(_, _, cpus)| list_form(cpus));
        return format!("{count} a rank, unbound: all on {cpus}");
    }
    let sets: Vec<String> = own
        .iter()
        .take(SHOWN)
        .map(|(_, _, cpus)| list_form(cpus))
        .collect();
    let dots = if count > SHOWN { " | …" } else { "" };
    let single = own.iter().all(|(_, _, cpus)| machine.cores(cpus) == 1);
    let one_each = single && machine.cores(&all(own)) == count;
    let how = if one_each { ", one a core" } else { "" };
    format!("{count} a rank{how}: {}{dots}", sets.join(" | "))
}

/// All cpus of threads.
fn all(own: &Threads) -> RoaringBitmap {
    own.iter()
        .fold(RoaringBitmap::new(), |all, (_, _, cpus)| all | cpus)
}
