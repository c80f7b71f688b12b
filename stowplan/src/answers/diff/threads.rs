//! Threads of OpenMP that two plans put elsewhere.

use crate::answers::openmp::answer::Answer;
use crate::answers::openmp::classes::Key;
use crate::answers::openmp::job::JobThreads;
use std::collections::HashMap;
use stowplan_engine::count::{Rank, counted};
use stowplan_engine::plan::{Plan, ProcPlace};

/// The threads of two plans whose words for them differ.
pub(super) struct OtherThreads<'p> {
    plans: [&'p Plan; 2],
    threads: [JobThreads<'p>; 2],
    known: HashMap<[Key; 2], bool>,
}

impl<'p> OtherThreads<'p> {
    /// `None` if both plans say the same, or a plan names no runtime that is known. Cost: the words of both.
    pub(super) fn of(a: &'p Plan, b: &'p Plan) -> Option<Self> {
        if a.thread_words() == b.thread_words() {
            return None;
        }
        Some(Self {
            plans: [a, b],
            threads: [
                JobThreads::new(a, None).ok()?,
                JobThreads::new(b, None).ok()?,
            ],
            known: HashMap::new(),
        })
    }

    /// Whether the threads of a rank run on other cpus. Cost: two searches, and the threads once for each pair of kinds of processes.
    pub(super) fn differ(&mut self, rank: Rank) -> bool {
        let [Some(ours), Some(theirs)] = self.plans.map(|plan| plan.place(rank)) else {
            return false;
        };
        let [a, b] = &mut self.threads;
        let keys = [a.key(&ours), b.key(&theirs)];
        let differs = || differs(&a.answer(keys[0]), &b.answer(keys[1]));
        *self.known.entry(keys).or_insert_with(differs)
    }

    /// How many threads a rank has and what binds them, in the first plan and in the second.
    pub(super) fn cells(&mut self, rank: Rank) -> [String; 2] {
        let [ours, theirs] = self.plans.map(|plan| plan.place(rank));
        let [a, b] = &mut self.threads;
        [cell(a, ours), cell(b, theirs)]
    }
}

fn differs(a: &Answer, b: &Answer) -> bool {
    let (a, b) = (a.each(), b.each());
    a.len() != b.len() || a.iter().zip(b).any(|((_, a), (_, b))| a.differs(b))
}

fn cell(threads: &mut JobThreads<'_>, place: Option<ProcPlace>) -> String {
    let answer = place.map(|place| threads.answer(threads.key(&place)));
    let first = answer.as_ref().and_then(|answer| answer.each().first());
    first.map_or_else(
        || "-".to_owned(),
        |(_, own)| {
            format!(
                "{}, bind {}",
                counted(u64::from(own.number()), "thread"),
                own.bind()
            )
        },
    )
}
