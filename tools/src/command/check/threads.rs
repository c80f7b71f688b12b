//! Threads of a running job, beside what `probe` says of its ranks.

use crate::report::{Refused, told};
use stowplan::answers::openmp::Runtime;
use stowplan::answers::openmp::job::JobThreads;
use stowplan::answers::openmp::live::{Compared, compare};
use stowplan::answers::openmp::witness::{Taken, take};
use stowplan::launchers::live::{BadLive, Lines, read};
use stowplan_engine::count::counted;
use stowplan_engine::plan::Plan;

/// What a file says: lines of ranks, if there are any, and those of threads.
pub(super) struct Witnessed {
    pub(super) ranks: Option<Lines>,
    /// Lines that are of neither.
    pub(super) foreign: u64,
    pub(super) threads: Option<Compared>,
}

/// Reads a file, and compares its lines of threads with a plan.
///
/// # Errors
/// `bad-live`: no line of a rank or thread, or a broken one; as the threads of a rank are refused.
pub(super) fn witnessed(
    plan: &Plan,
    text: &[u8],
    runtime: Option<Runtime>,
    bad: &dyn Fn(String) -> Refused,
) -> Result<Witnessed, Refused> {
    let Taken { witnesses, rest } = take(text).map_err(bad)?;
    let ranks = match read(&rest) {
        Ok(lines) => Some(lines),
        Err(_) if !witnesses.is_empty() && !has_ranks(&rest) => None,
        Err(BadLive(why)) => return Err(bad(why)),
    };
    let lines = rest.split(|&byte| byte == b'\n');
    let written = lines.filter(|line| !line.trim_ascii().is_empty()).count();
    let foreign = { ranks.as_ref() }.map_or(written as u64, |lines| lines.foreign);
    let threads = if witnesses.is_empty() {
        None
    } else {
        let mut threads = JobThreads::new(plan, runtime)
            .map_err(|error| told(error.class(), error.to_string()))?;
        let compared = compare(plan, &mut threads, &witnesses);
        Some(compared.map_err(|(class, sentence)| told(class, sentence))?)
    };
    Ok(Witnessed {
        ranks,
        foreign,
        threads,
    })
}

/// Whether a line has the fields of a line of `probe`.
fn has_ranks(text: &[u8]) -> bool {
    let mut lines = text.split(|&byte| byte == b'\n');
    lines.any(|line| line.iter().filter(|byte| **byte == b'\t').count() == 4)
}

/// The value of `threads` in JSON.
pub(super) fn json(threads: &Compared) -> String {
    let outside = threads.first.as_ref().map_or("", |own| &own.thread);
    format!(
        "{{\"equal\":{},\"inside\":{},\"outside\":\"{outside}\",\"missing\":\"{}\",\"twice\":\"{}\"}}",
        threads.equal,
        threads.inside,
        threads.missing.join(","),
        threads.twice.join(",")
    )
}

/// What is said of threads to people.
pub(super) fn text(threads: &Compared) -> String {
    let whose = threads.runtime.as_ref();
    let whose = whose.map_or_else(String::new, |own| format!(" by the rules of {own}"));
    if threads.is_same() {
        let equal = match (threads.equal, threads.inside) {
            (1, 0) => "the only thread is where it was planned".to_owned(),
            (equal, 0) => format!("all {equal} threads are where they were planned"),
            (0, inside) => format!("{} seen inside what was planned", counted(inside, "thread")),
            (equal, inside) => format!(
                "{} where planned, {inside} seen inside what was planned",
                counted(equal, "thread")
            ),
        };
        return format!("{equal}{whose}\n");
    }
    let mut text = format!(
        "{} where planned{whose}, {} seen inside\n",
        counted(threads.equal, "thread"),
        threads.inside
    );
    if let Some(first) = &threads.first {
        text.push_str(&format!(
            "  on other cpus: {}, first {}: planned on {}, got {}\n",
            counted(threads.outside, "thread"),
            first.thread,
            first.planned,
            first.real
        ));
    }
    if let Some(first) = threads.missing.first() {
        let count = counted(threads.missing_count, "thread");
        text.push_str(&format!("  no line tells of {count}: first {first}\n"));
    }
    if let Some(first) = threads.twice.first() {
        let count = counted(threads.twice.len() as u64, "thread");
        text.push_str(&format!("  told of twice: {count}, first {first}\n"));
    }
    text
}
