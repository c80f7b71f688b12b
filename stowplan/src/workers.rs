//! The threads that large jobs share.
//!
//! Small work is done on the thread that calls. Large work is shared between workers: those that the caller gave, else those of the
//! library, which are started when they are first needed. A child of `fork` does not have the workers of its parent. Neither its
//! process id nor anything else says so for certain, because in a new namespace of process ids a child may have the id of its
//! parent. So workers are asked before large work is given to them, and where none answers the work is done without them.

use crate::Error;
use std::cell::RefCell;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::time::Duration;

/// The most workers. More would only wait for each other.
const MOST: usize = 256;

/// How long workers may take to answer. Those that are busy for longer are left to what they do.
const PATIENCE: Duration = Duration::from_millis(50);

/// The threads that large jobs share. Calls made inside [`Workers::run`] use them.
///
/// Without it, the library starts workers of its own when large work comes first: as many as the process may use cpus. It reads no
/// environment variable, `RAYON_NUM_THREADS` neither. The number of workers changes no answer. A child of `fork` may use all
/// calls and all workers: where they did not come along, it works alone.
/// ```
/// use stowplan::{Job, Machine, Plan, Topology, Workers};
/// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
/// let job = Job::from_command_line(["-n", "4", "-H", "a:4", "./x"])?;
/// let alone = Workers::none().run(|| Plan::new(&job, &machine))?;
/// let shared = Workers::new(2)?.run(|| Plan::new(&job, &machine))?;
/// assert_eq!(alone, shared);
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone)]
pub struct Workers {
    /// `None`: nobody.
    pool: Option<Arc<Pool>>,
}

struct Pool {
    threads: Arc<rayon::ThreadPool>,
    /// The process that made it.
    home: u32,
    /// Whether the last question is still open: then nothing is asked again, and nothing is waited for.
    silent: Arc<AtomicBool>,
}

/// The workers that are started when nobody gave any.
static OWN: OnceLock<Workers> = OnceLock::new();

thread_local! {
    /// The workers of the call that this thread is in, if they are not its own pool.
    static GIVEN: RefCell<Option<Workers>> = const { RefCell::new(None) };
}

impl Workers {
    /// No workers: every call works on one thread, mostly the one that makes it.
    /// ```
    /// assert_eq!(stowplan::Workers::none().threads(), 0);
    /// ```
    #[must_use]
    pub const fn none() -> Self {
        Self { pool: None }
    }

    /// Starts this many workers, at least 1 and at most 256. They end when the last clone is dropped.
    ///
    /// # Errors
    /// `bad-value` for 0 or more than 256; `internal` when the system gives no more threads.
    /// ```
    /// use stowplan::Workers;
    /// assert_eq!(Workers::new(2)?.threads(), 2);
    /// assert_eq!(Workers::new(0).unwrap_err().class(), "bad-value");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn new(threads: usize) -> Result<Self, Error> {
        if threads == 0 || threads > MOST {
            let sentence = format!(
                "{threads} workers are asked for, 1 to {MOST} are possible; Workers::none() has none"
            );
            return Err(Error::told("bad-value", &sentence));
        }
        Ok(Self::from(Arc::new(started(threads)?)))
    }

    /// How many workers there are.
    /// ```
    /// assert_eq!(stowplan::Workers::new(3)?.threads(), 3);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn threads(&self) -> usize {
        let threads = |pool: &Arc<Pool>| pool.threads.current_num_threads();
        self.pool.as_ref().map_or(0, threads)
    }

    /// Does something with these workers: large work of the calls inside it is shared between them, and between no other threads.
    /// Calls inside it run on one of the workers. Where no worker answers, which is so in a child of `fork`, they run on this thread.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology, Workers};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// # let job = Job::from_command_line(["-n", "4", "-H", "a:4", "./x"])?;
    /// let plans = Workers::new(2)?.run(|| Plan::many(&[job.clone(), job], &machine));
    /// assert!(plans.iter().all(Result::is_ok));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match self.answering() {
            Some(pool) => pool.threads.install(work),
            None => {
                let before = GIVEN.replace(Some(Self::none()));
                let _back = Back(before);
                work()
            }
        }
    }

    /// The workers, if they answer.
    fn answering(&self) -> Option<&Pool> {
        let pool = self.pool.as_deref()?;
        pool.answers().then_some(pool)
    }

    /// Those of the call that this thread is in, else those of the library.
    fn here() -> Self {
        GIVEN.with_borrow(Clone::clone).unwrap_or_else(|| {
            let own = OWN.get_or_init(|| {
                let cpus = std::thread::available_parallelism();
                let threads = cpus.map_or(1, |cpus| cpus.get().min(MOST));
                started(threads).map_or(Self::none(), |pool| Self::from(Arc::new(pool)))
            });
            own.clone()
        })
    }
}

/// Puts back the workers of the call around.
struct Back(Option<Workers>);

impl Drop for Back {
    fn drop(&mut self) {
        GIVEN.set(self.0.take());
    }
}

/// A pool that the caller has already. It ends when its last owner drops it.
/// ```
/// use std::sync::Arc;
/// let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
/// assert_eq!(stowplan::Workers::from(Arc::new(pool)).threads(), 2);
/// # Ok::<(), rayon::ThreadPoolBuildError>(())
/// ```
impl From<Arc<rayon::ThreadPool>> for Workers {
    fn from(threads: Arc<rayon::ThreadPool>) -> Self {
        Self {
            pool: Some(Arc::new(Pool {
                threads,
                home: std::process::id(),
                silent: Arc::default(),
            })),
        }
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Workers({})", self.threads())
    }
}

impl Pool {
    /// Asks the workers whether they are there.
    fn answers(&self) -> bool {
        if self.home != std::process::id() || self.silent.load(Ordering::Relaxed) {
            return false;
        }
        // A thread of the pool is there itself.
        if self.threads.current_thread_index().is_some() {
            return true;
        }
        let (tell, told) = mpsc::sync_channel(1);
        let silent = Arc::clone(&self.silent);
        silent.store(true, Ordering::Relaxed);
        self.threads.spawn(move || {
            silent.store(false, Ordering::Relaxed);
            // Who asked may have gone on without an answer.
            let _ = tell.send(());
        });
        told.recv_timeout(PATIENCE).is_ok()
    }
}

/// Starts threads. Their number is always given: without one, rayon would read an environment variable.
fn started(threads: usize) -> Result<rayon::ThreadPool, Error> {
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|number| format!("stowplan-{number}"))
        .build();
    threads.map_err(|error| Error::told("internal", &error.to_string()))
}

/// How much work there is, as far as it is known before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Size {
    /// No more than waking another thread costs.
    Small,
    /// Worth the time of other threads.
    Large,
}

/// Runs work that places: here, or if it is large on the workers. Outside of a pool the engine shares nothing.
///
/// # Errors
/// None: the type is that of [`share`].
pub(crate) fn place<R: Send>(size: Size, work: impl FnOnce() -> R + Send) -> Result<R, Error> {
    if size == Size::Small || rayon::current_thread_index().is_some() {
        return Ok(work());
    }
    match Workers::here().answering() {
        Some(pool) => Ok(pool.threads.install(work)),
        None => Ok(work()),
    }
}

/// Runs work that is small, on this thread.
///
/// # Errors
/// As [`place`].
pub(crate) fn run<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R, Error> {
    place(Size::Small, work)
}

/// Runs work that always looks for a pool: on the workers, and where there are none on a thread that ends with it.
///
/// # Errors
/// `internal` when that thread cannot be started.
pub(crate) fn share<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R, Error> {
    if rayon::current_thread_index().is_some() {
        return Ok(work());
    }
    match Workers::here().answering() {
        Some(pool) => Ok(pool.threads.install(work)),
        None => Ok(started(1)?.install(work)),
    }
}
