//! Where OpenMP puts the threads of a process, by the rules of GNU, LLVM and Intel.
//!
//! The plan gives a process its cpus; the OpenMP runtime inside it places the threads, by variables such as `OMP_PLACES`. Set them
//! with [`JobBuilder::env`](crate::JobBuilder::env) and [`App::env`](crate::App::env), and ask [`Plan::threads`](crate::Plan::threads); or ask [`threads`] about
//! cpus and variables without a job. `docs/threads.md` says what is known of which version.
//!
//! ```
//! use stowplan::{Topology, openmp};
//! let frontier = Topology::parse("builtin:frontier")?;
//! let env = [("OMP_NUM_THREADS", "7"), ("OMP_PROC_BIND", "true")];
//! let cpus = |runtime: &str| -> Result<Vec<String>, stowplan::Error> {
//!     let threads = openmp::threads(&frontier, "1-7,65-71", env, &runtime.parse()?)?;
//!     Ok(threads.iter().map(|(_, _, cpus)| cpus.to_string()).collect())
//! };
//! assert_eq!(cpus("gnu")?, ["1", "65", "2", "66", "3", "67", "4"]);
//! assert_eq!(cpus("llvm")?, ["1,65", "2,66", "3,67", "4,68", "5,69", "6,70", "7,71"]);
//! # Ok::<(), stowplan::Error>(())
//! ```

use crate::answers::openmp;
use crate::answers::openmp::job::JobThreads;
use crate::answers::openmp::runtime::BadRuntime;
use crate::{Cpus, Error, Plan, Rank, Topology};
use roaring::RoaringBitmap;
use std::fmt;
use std::str::FromStr;
use stowplan_engine::count;
use stowplan_engine::limit::PUS_MAX;
use stowplan_engine::table::cpusets::{Cpusets, list_form};
use stowplan_engine::table::topologies::Topologies;
use stowplan_engine::text::cursor::whole_ranges;

/// Where the threads of a process run that starts with these cpus and variables. `cpus`: OS numbers, as `1-7,65-71`. `env`: names and
/// values in the order of the environment; those that have no effect on threads are passed over.
///
/// # Errors
/// `bad-value`: cpus that the topology does not have, or a value that is none; `not-modelled` where no rule is known;
/// `runtime-aborts` where the runtime ends the program, with what to write instead as [`Error::hint`].
///
/// Cost: linear in the cpus of the topology, the text and the threads.
/// ```
/// use stowplan::{Topology, openmp};
/// let topology = Topology::parse("package:2 core:4 pu:1")?;
/// let threads = openmp::threads(&topology, "0-3", [("OMP_PLACES", "cores")], &"gnu".parse()?)?;
/// assert_eq!(threads.len(), 4);
/// let refused = openmp::threads(&topology, "0-8", [("OMP_PLACES", "cores")], &"gnu".parse()?);
/// assert_eq!(refused.unwrap_err().class(), "bad-value");
/// # Ok::<(), stowplan::Error>(())
/// ```
pub fn threads<N: AsRef<str>, V: AsRef<str>>(
    topology: &Topology,
    cpus: &str,
    env: impl IntoIterator<Item = (N, V)>,
    runtime: &Runtime,
) -> Result<Threads, Error> {
    let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
    let id = topologies.add((*topology.shared()).clone(), &mut cpusets);
    let id = id.expect("a topology is sound since it was parsed");
    let machine = openmp::Machine::new(&topologies, &cpusets, id);
    let mask = mask(cpus, machine.all())?;
    let variables: openmp::Variables = env.into_iter().collect();
    let process = openmp::Process {
        machine: &machine,
        mask: &mask,
        allowed: machine.all(),
        variables: &variables,
        levels: None,
    };
    let told = openmp::threads(&process, runtime.inner)?;
    Ok(Threads { told })
}

/// Reads a list of cpus that are among others.
fn mask(list: &str, all: &RoaringBitmap) -> Result<RoaringBitmap, Error> {
    let ranges = whole_ranges(list).filter(|ranges| ranges.iter().all(|own| own.1 < PUS_MAX));
    let ranges = ranges.ok_or_else(|| {
        let needed = "a list of OS numbers of cpus is needed, as 1-7,65-71";
        Error::told("bad-value", &format!("cpus {list:?}: {needed}"))
    })?;
    let mut mask = RoaringBitmap::new();
    for (first, last) in ranges {
        mask.insert_range(first..=last);
    }
    let beyond = &mask - all;
    if beyond.is_empty() {
        return Ok(mask);
    }
    let beyond = list_form(&beyond);
    Err(Error::told(
        "bad-value",
        &format!("cpus {list}: the topology has no cpu {beyond}"),
    ))
}

/// An OpenMP runtime: `gnu`, `llvm` or `intel`, with the version or without, as `llvm@17`.
///
/// ```
/// use stowplan::openmp::Runtime;
/// let runtime: Runtime = "llvm@17".parse()?;
/// assert_eq!(runtime.to_string(), "llvm@17");
/// assert_eq!("gnu@11".parse::<Runtime>().unwrap_err().class(), "not-modelled");
/// assert_eq!("cray".parse::<Runtime>().unwrap_err().class(), "bad-value");
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Runtime {
    inner: openmp::Runtime,
}

impl Runtime {
    /// GNU's libgomp: versions 12 to 16 have the same rules.
    /// ```
    /// assert_eq!(stowplan::openmp::Runtime::GNU.to_string(), "gnu");
    /// ```
    pub const GNU: Self = Self {
        inner: openmp::Runtime::GNU,
    };
    /// LLVM's libomp 19.
    /// ```
    /// assert_eq!(stowplan::openmp::Runtime::LLVM.to_string(), "llvm");
    /// ```
    pub const LLVM: Self = Self {
        inner: openmp::Runtime::LLVM,
    };
    /// Intel's libiomp5 of 2026.
    /// ```
    /// assert_eq!(stowplan::openmp::Runtime::INTEL.to_string(), "intel");
    /// ```
    pub const INTEL: Self = Self {
        inner: openmp::Runtime::INTEL,
    };
}

impl FromStr for Runtime {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let inner = text.parse()?;
        Ok(Self { inner })
    }
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

/// Where the threads of a process run.
///
/// ```
#[doc = include_str!("example_threads.txt")]
/// assert_eq!((threads.len(), threads.number(), threads.bind()), (7, 7, "close"));
/// assert_eq!(threads.start().to_string(), "1,65", "GNU binds the first thread at once");
/// let (thread, place, cpus) = threads.iter().nth(3).ok_or("seven threads have this one")?;
/// assert_eq!((thread.to_string(), place, cpus.to_string()), ("3".to_owned(), Some(3), "4,68".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Threads {
    told: openmp::Threads,
}

impl Threads {
    /// Threads of all levels.
    /// ```
    #[doc = include_str!("example_threads.txt")]
    /// assert_eq!(threads.len(), 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.told.len()
    }

    /// Whether there are none. A process has at least one.
    /// ```
    #[doc = include_str!("example_threads.txt")]
    /// assert!(!threads.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.told.is_empty()
    }

    /// Threads of the outer team.
    /// ```
    #[doc = include_str!("example_threads.txt")]
    /// assert_eq!(threads.number(), 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn number(&self) -> u32 {
        self.told.number()
    }

    /// What `omp_get_proc_bind` says: `false`, `true`, `primary`, `close` or `spread`; `kmp` where another variable binds.
    /// ```
    #[doc = include_str!("example_threads.txt")]
    /// assert_eq!(threads.bind(), "close");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bind(&self) -> &'static str {
        self.told.bind()
    }

    /// Where the first thread may run before any parallel region, and with it all that it starts.
    /// ```
    #[doc = include_str!("example_threads.txt")]
    /// assert_eq!(threads.start().to_string(), "1,65");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn start(&self) -> Cpus<'_> {
        Cpus::new(Some(self.told.start()))
    }

    /// The places, in the order of the runtime's list. None where nothing is bound to places.
    /// ```
    #[doc = include_str!("example_threads.txt")]
    /// let places: Vec<String> = threads.places().map(|cpus| cpus.to_string()).collect();
    /// assert_eq!(places[..3], ["1,65", "2,66", "3,67"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn places(&self) -> impl ExactSizeIterator<Item = Cpus<'_>> {
        self.told.places().iter().map(|cpus| Cpus::new(Some(cpus)))
    }

    /// Each thread with the number of its place, if it has one, and the cpus on which it may run: by number, the threads of an
    /// inner team behind the first of them.
    /// ```
    #[doc = include_str!("example_threads.txt")]
    /// let cpus: Vec<String> = threads.iter().map(|(_, _, cpus)| cpus.to_string()).collect();
    /// assert_eq!(cpus[5..], ["6,70", "7,71"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Thread, Option<usize>, Cpus<'_>)> {
        let each = self.told.iter();
        each.map(|(told, place, cpus)| (Thread { told: *told }, place, Cpus::new(Some(cpus))))
    }
}

/// The number of a thread: `3`, or with two levels `3.1`.
///
/// ```
#[doc = include_str!("example_threads.txt")]
/// let (thread, _, _) = threads.iter().next().ok_or("seven threads")?;
/// assert_eq!((thread.to_string(), thread.outer(), thread.inner()), ("0".to_owned(), 0, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thread {
    told: openmp::Thread,
}

impl Thread {
    /// Its number in the outer team; for a thread of an inner team, that of the thread that opened it.
    /// ```
    #[doc = include_str!("example_threads.txt")]
    /// assert!(threads.iter().map(|(thread, _, _)| thread.outer()).eq(0..7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn outer(self) -> u32 {
        self.told.outer
    }

    /// Its number in the inner team, if there are two levels.
    /// ```
    /// # use stowplan::{Topology, openmp};
    /// let topology = Topology::parse("package:2 core:4 pu:1")?;
    /// let threads = openmp::threads(&topology, "0-7", [("OMP_NUM_THREADS", "2,3")], &"gnu".parse()?)?;
    /// let names: Vec<String> = threads.iter().map(|(thread, _, _)| thread.to_string()).collect();
    /// assert_eq!(names, ["0.0", "0.1", "0.2", "1.0", "1.1", "1.2"]);
    /// assert_eq!(threads.iter().last().and_then(|(thread, _, _)| thread.inner()), Some(2));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub const fn inner(self) -> Option<u32> {
        self.told.inner
    }
}

impl fmt::Display for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told.name())
    }
}

impl Plan {
    /// Where the threads of a rank run, by the variables of its app. An unbound rank may use all cpus of its node.
    ///
    /// # Errors
    /// `no-such-rank`; `bad-plan` for a plan that was read from a broadcast, which has no topologies; else as [`threads`].
    ///
    /// Cost: that of [`threads`].
    /// ```
    /// use stowplan::openmp::Runtime;
    /// use stowplan::{App, Job, Machine, Plan, Rank, Topology};
    /// let machine = Machine::uniform(Topology::parse("builtin:frontier")?);
    /// let app = App::new("./x").procs(8).hosts("a:8").env("OMP_PLACES", "cores").env("OMP_NUM_THREADS", "7");
    /// let plan = Plan::new(&Job::builder().map_by("l3cache").app(app).build()?, &machine)?;
    /// let threads = plan.threads(Rank::new(1), &Runtime::LLVM)?;
    /// let cpus: Vec<String> = threads.iter().map(|(_, _, cpus)| cpus.to_string()).collect();
    /// assert_eq!(cpus[..2], ["9,73", "10,74"]);
    /// assert_eq!(plan.threads(Rank::new(8), &Runtime::LLVM).unwrap_err().class(), "no-such-rank");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn threads(&self, rank: Rank, runtime: &Runtime) -> Result<Threads, Error> {
        self.whole()?;
        let place = self.inner().place(count::Rank(u32::from(rank)));
        let place = place.ok_or_else(|| {
            let ranks = count::counted(self.inner().ranks(), "rank");
            Error::told(
                "no-such-rank",
                &format!("rank {rank}: the plan has {ranks}"),
            )
        })?;
        let mut threads = JobThreads::new(self.inner(), Some(runtime.inner))?;
        let key = threads.key(&place);
        let answer = threads.answer(key);
        if let Some((_, refused)) = answer.refused.first() {
            return Err(refused.clone().into());
        }
        let told = answer.told.first().map(|(_, told)| told.clone());
        let told = told.ok_or_else(|| Error::told("internal", "no runtime was asked"))?;
        Ok(Threads { told })
    }
}

#[doc(hidden)]
impl From<BadRuntime> for Error {
    fn from(error: BadRuntime) -> Self {
        Self::told(error.class(), &error.to_string())
    }
}

#[doc(hidden)]
impl From<openmp::Refused> for Error {
    fn from(error: openmp::Refused) -> Self {
        let class = error.class();
        match error {
            openmp::Refused::Aborts {
                runtime,
                message,
                instead,
            } => Self::with_hint(
                class,
                &format!("{runtime} ends the program: {message}"),
                instead,
            ),
            error @ (openmp::Refused::BadValue { .. } | openmp::Refused::NotModelled { .. }) => {
                Self::told(class, &error.to_string())
            }
        }
    }
}
