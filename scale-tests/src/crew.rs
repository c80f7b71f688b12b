//! Compares jobs on one thread, then places them again on two threads and on seven: in batches, so that no thread has to be woken
//! for each job.

use crate::compare::{Lab, Said, Verdict};
use crate::job::Job;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The least number of jobs that a thread takes at once.
const SHARE: usize = 8;

thread_local! {
    static LAB: Lab = Lab::new();
}

/// A job, its verdict, and what the engine said.
type Found = (Job, Verdict, Option<Said>);

/// The thread pools to compare on.
pub struct Crew {
    /// Pools of one thread each; together they compare a batch.
    alone: Vec<rayon::ThreadPool>,
    /// Pools of several threads: the engine shares everything it can between them.
    together: Vec<rayon::ThreadPool>,
}

impl Crew {
    /// Starts the threads; `workers` of them work alone, at the same time.
    ///
    /// # Panics
    /// When threads cannot be started.
    #[must_use]
    pub fn new(workers: usize) -> Self {
        let pool = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().expect("threads")
        };
        Self {
            alone: (0..workers.max(1)).map(|_| pool(1)).collect(),
            together: [2, 7].map(pool).into(),
        }
    }

    /// Makes and compares this many jobs. The engine must give the same answer with 1, 2 and 7 threads. The results are in the
    /// order of the jobs.
    #[must_use]
    pub fn compare(&self, jobs: usize, make: impl Fn(usize) -> Job + Sync) -> Vec<(Job, Verdict)> {
        let next = AtomicUsize::new(0);
        let share = || share(jobs, &next, &make);
        let mut found: Vec<(usize, Found)> = std::thread::scope(|scope| {
            let start = |pool| scope.spawn(move || rayon::ThreadPool::install(pool, share));
            let parts: Vec<_> = self.alone.iter().map(start).collect();
            let parts = parts.into_iter();
            parts
                .flat_map(|part| part.join().unwrap_or_default())
                .collect()
        });
        found.sort_unstable_by_key(|(at, _)| *at);
        for pool in &self.together {
            pool.install(|| {
                found
                    .par_iter_mut()
                    .with_min_len(SHARE)
                    .for_each(|(_, found)| again(found))
            });
        }
        let told = |(_, (job, verdict, _))| (job, verdict);
        found.into_iter().map(told).collect()
    }

    /// [`Crew::compare`] for one job.
    #[must_use]
    pub fn compare_one(&self, job: &Job) -> Verdict {
        let mut found = self.compare(1, |_| job.clone());
        found
            .pop()
            .map_or_else(Verdict::panicked, |(_, verdict)| verdict)
    }
}

/// Whether the engine places a job.
#[must_use]
pub fn is_placed(job: &Job) -> bool {
    LAB.with(|lab| lab.is_placed(job))
}

/// Takes the next jobs of a batch until none is left.
fn share(
    jobs: usize,
    next: &AtomicUsize,
    make: &(impl Fn(usize) -> Job + Sync),
) -> Vec<(usize, Found)> {
    let mut found = Vec::new();
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        if at >= jobs {
            return found;
        }
        let job = make(at);
        let one = guarded(|| LAB.with(|lab| lab.compare(&job)));
        let (verdict, said) = one.unwrap_or_else(|panicked| (panicked, None));
        found.push((at, (job, verdict, said)));
    }
}

/// Places a job once more, on the threads of the current pool.
fn again((job, verdict, said): &mut Found) {
    let Some(said) = said else { return };
    let other = guarded(|| said.again(job));
    if let Some(other) = other.unwrap_or_else(Some) {
        *verdict = other;
    }
}

/// Runs the work; a panic counts as a difference.
fn guarded<R>(work: impl FnOnce() -> R) -> Result<R, Verdict> {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    caught.map_err(|_| Verdict::panicked())
}
