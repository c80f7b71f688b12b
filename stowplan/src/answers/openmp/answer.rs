//! Where the threads of a process run.

use super::refused::Refused;
use super::runtime::Runtime;
use roaring::RoaringBitmap;

/// A thread: its number, its place, and the cpus on which it may run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thread {
    /// Its number in the outer team.
    pub outer: u32,
    /// Its number in the inner team, if there are two levels.
    pub inner: Option<u32>,
    /// Its place in the list of places; `None`: it is not bound to a place.
    pub place: Option<usize>,
    /// A row of [`Threads::sets`].
    pub cpus: usize,
}

impl Thread {
    /// Its number as it is written: `3`, or `3.1`.
    #[must_use]
    pub fn name(&self) -> String {
        match self.inner {
            None => self.outer.to_string(),
            Some(inner) => format!("{}.{inner}", self.outer),
        }
    }
}

/// Where the threads of a process run, by the rules of one runtime.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Threads {
    /// Whose rules.
    pub(super) runtime: Runtime,
    /// Threads of the outer team.
    pub(super) number: u32,
    /// What `omp_get_proc_bind` says, or `kmp`.
    pub(super) bind: &'static str,
    /// Whether the runtime binds threads, be it to one place that is the whole mask.
    pub(super) bound: bool,
    /// Where the first thread may run before any parallel region.
    pub(super) start: RoaringBitmap,
    /// The list of places, in its order; empty: nothing is bound to places.
    pub(super) places: Vec<RoaringBitmap>,
    /// Sets of cpus to which threads refer.
    pub(super) sets: Vec<RoaringBitmap>,
    pub(super) threads: Vec<Thread>,
}

impl Threads {
    /// Whose rules.
    #[must_use]
    pub fn runtime(&self) -> Runtime {
        self.runtime
    }
    /// How many threads there are, of all levels.
    #[must_use]
    pub fn len(&self) -> usize {
        self.threads.len()
    }
    /// Whether there are none; never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }
    /// Threads of the outer team.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }
    /// What `omp_get_proc_bind` says: `false true primary close spread`; `kmp` where another variable binds.
    #[must_use]
    pub fn bind(&self) -> &'static str {
        self.bind
    }
    /// Whether the runtime binds threads, be it to one place that is the whole mask.
    #[must_use]
    pub fn is_bound(&self) -> bool {
        self.bound
    }
    /// Where the first thread may run before any parallel region.
    #[must_use]
    pub fn start(&self) -> &RoaringBitmap {
        &self.start
    }
    /// The list of places, in its order; empty: nothing is bound to places.
    #[must_use]
    pub fn places(&self) -> &[RoaringBitmap] {
        &self.places
    }
    /// The threads, by outer number, then by inner number.
    #[must_use]
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }
    /// Sets of cpus to which threads refer.
    #[must_use]
    pub fn sets(&self) -> &[RoaringBitmap] {
        &self.sets
    }
    /// The cpus on which any thread may run.
    #[must_use]
    pub fn sets_used(&self) -> RoaringBitmap {
        let rows: std::collections::BTreeSet<usize> =
            self.threads.iter().map(|own| own.cpus).collect();
        rows.iter()
            .fold(RoaringBitmap::new(), |all, &row| all | &self.sets[row])
    }
    /// The cpus on which a thread may run.
    #[must_use]
    pub fn cpus(&self, thread: &Thread) -> &RoaringBitmap {
        &self.sets[thread.cpus]
    }
    /// Each thread with its place and its cpus.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Thread, Option<usize>, &RoaringBitmap)> {
        let each = self.threads.iter();
        each.map(|thread| (thread, thread.place, self.cpus(thread)))
    }
    /// Whether threads run on other cpus than in another answer, or there are more or fewer.
    #[must_use]
    pub fn differs(&self, other: &Self) -> bool {
        let cpus = |own: &Self, at: usize| own.sets[own.threads[at].cpus].clone();
        self.threads.len() != other.threads.len()
            || self.number != other.number
            || (0..self.threads.len()).any(|at| {
                self.threads[at].name() != other.threads[at].name()
                    || cpus(self, at) != cpus(other, at)
            })
    }
}

/// Where the threads of a process go: once, if the runtimes that are asked put them on the same cpus, else for each.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The cpus of the process.
    pub mask: RoaringBitmap,
    /// Whose rules, as rows say it, and the threads.
    pub told: Vec<(String, Threads)>,
    /// The answers of the runtimes that are told as one; they may still differ in what they bind.
    alike: Vec<(String, Threads)>,
    /// The runtimes that end the program or have no answer.
    pub refused: Vec<(Runtime, Refused)>,
}

impl Answer {
    /// The answers of runtimes, by their names. Two that put every thread on the same cpus are told as one, `any`.
    #[must_use]
    pub fn new(
        mask: RoaringBitmap,
        mut told: Vec<(String, Threads)>,
        refused: Vec<(Runtime, Refused)>,
    ) -> Self {
        let mut alike = Vec::new();
        if let [(_, one), (_, other)] = told.as_slice()
            && !one.differs(other)
        {
            alike.clone_from(&told);
            told.truncate(1);
            told[0].0 = "any".to_owned();
        }
        Self {
            mask,
            told,
            alike,
            refused,
        }
    }

    /// The answer of each runtime, also where they are told as one.
    #[must_use]
    pub fn each(&self) -> &[(String, Threads)] {
        if self.alike.is_empty() {
            &self.told
        } else {
            &self.alike
        }
    }

    /// The answer of a runtime.
    #[must_use]
    pub fn of(&self, runtime: Runtime) -> Option<&Threads> {
        let mut each = self.each().iter();
        each.find(|(_, own)| own.runtime() == runtime)
            .map(|(_, own)| own)
    }
}
