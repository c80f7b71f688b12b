//! A broken promise: which, where, what was promised and what was found.

use roaring::RoaringBitmap;
use std::fmt;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::cpusets::list_form;

/// What a plan promises. [`Promise::words`] has the text that people read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Promise {
    /// An app has as many processes as it asked for, or as its policy gives (`semantics` 3.4).
    Procs,
    /// An app is on each of its nodes once.
    NodeOnce,
    /// A node is one of the pool.
    NodeKnown,
    /// A node holds no more processes than slots (`semantics` 1.3).
    Slots,
    /// A node never passes max_slots (`semantics` 1.4).
    MaxSlots,
    /// Local ranks continue after those of the job's earlier apps on the node.
    LocalRank,
    /// Node ranks continue after those of earlier processes on the node.
    NodeRank,
    /// The state that the job leaves on a node is what its apps made of the state before the job.
    StateAfter,
    /// Under NOLOCAL no process is on the launcher's node.
    NoLocal,
    /// A pattern says what every process of its node gets.
    PatternLength,
    /// Processes are mapped to objects of the promised kind (`semantics` 4).
    ObjectKind,
    /// The object exists, and its turn has come (`semantics` 4.3, 4.4).
    Object,
    /// The cpus belong to the node and may be used (`semantics` 1.1, 1.7).
    CpusAllowed,
    /// The cpus are those that the binding names (`semantics` 7).
    Cpus,
    /// A process that asked for cpus has some (`semantics` 7.6).
    Bound,
    /// A process that asked for no cpus has none (`semantics` 7.1).
    Unbound,
    /// The default bind target follows the size of the job (`semantics` 3.6).
    DefaultTarget,
    /// A listed process has the node and the cpus that its entry names (`semantics` 4.5, 4.6).
    Entry,
    /// An app's ranks start where the earlier apps' ended.
    Base,
    /// Nodes are in the order in which they first received a process (`semantics` 6).
    NodeOrder,
    /// A rank is where the promised order puts it (`semantics` 6).
    RankOrder,
    /// The rank of a place and the place of a rank agree.
    RankInverse,
    /// A saved plan answers the job it is compared with.
    SameJob,
    /// The job of the plan, placed again by the rules, gets these places.
    Again,
    /// An app is on nodes that it names.
    NodeNamed,
    /// A node got its share: as many processes as the policy deals to it (`semantics` 4.1 to 4.3).
    Share,
    /// A process is given the GPUs that the words ask for: how many, and which (`docs/gpus.md`).
    GpuAsked,
    /// A process is given GPUs that are near it, and no others.
    GpuNear,
    /// No GPU that is near a process is lost: some process is given it.
    GpuLost,
    /// GPUs are dealt as evenly as possible, in logical order, to processes by local rank.
    GpuEven,
    /// A process placed by mpibind has as many threads as its share of the cpus holds.
    Threads,
}

impl Promise {
    /// The promise in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Procs => "an app has the processes it asked for",
            Self::NodeOnce => "an app is on each of its nodes once",
            Self::NodeKnown => "every node is one of the pool",
            Self::Slots => "a node holds no more processes than slots",
            Self::MaxSlots => "a node never passes max_slots",
            Self::LocalRank => "local ranks follow the job's earlier processes on the node",
            Self::NodeRank => "node ranks follow earlier processes on the node",
            Self::StateAfter => "the job leaves what its apps made of what it found",
            Self::NoLocal => "NOLOCAL keeps off the launcher's node",
            Self::PatternLength => "a pattern serves every process of its node",
            Self::ObjectKind => "processes are mapped to objects of the promised kind",
            Self::Object => "the object is there, and its turn has come",
            Self::CpusAllowed => "cpus are of the node and may be used",
            Self::Cpus => "the cpus are those that the binding names",
            Self::Bound => "a process that asked for cpus has some",
            Self::Unbound => "a process that asked for no cpus has none",
            Self::DefaultTarget => "the default bind target follows the size of the job",
            Self::Entry => "a listed process has what its entry says",
            Self::Base => "an app's ranks start where the earlier ones end",
            Self::NodeOrder => "nodes are in the order of their first process",
            Self::RankOrder => "a rank is where the promised order puts it",
            Self::RankInverse => "the rank of a place and the place of a rank agree",
            Self::SameJob => "the plan answers this job",
            Self::Again => "the plan's own job, placed again, gets these places",
            Self::NodeNamed => "an app is on nodes that it may use",
            Self::Share => "a node got what the policy deals to it",
            Self::GpuAsked => "a process is given the GPUs that the words ask for",
            Self::GpuNear => "a process is given GPUs that are near it",
            Self::GpuLost => "no GPU that is near a process is lost",
            Self::GpuEven => "GPUs are dealt evenly, in logical order",
            Self::Threads => "a process has the threads that mpibind gives it",
        }
    }
}

/// A value on either side of a fault: found or promised.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    /// Nothing: unbound, no object, no entry.
    Nothing,
    /// A count, rank or place.
    Number(u64),
    /// PUs by OS number.
    Cpus(RoaringBitmap),
    /// GPUs by visible number.
    Gpus(Vec<u32>),
    /// An object: kind and logical index.
    Object(ObjKind, u32),
    /// A kind of object.
    Kind(ObjKind),
    /// A name.
    Name(String),
    /// At most this many.
    AtMost(u64),
    /// Something, no matter which: some cpus, some node.
    Some,
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => write!(f, "none"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Cpus(set) => write!(f, "cpus {}", list_form(set)),
            Self::Gpus(numbers) if numbers.is_empty() => write!(f, "no GPU"),
            Self::Gpus(numbers) => {
                write!(f, "GPUs {}", list_form(&numbers.iter().copied().collect()))
            }
            Self::Object(kind, at) => write!(f, "{}:{at}", kind.word()),
            Self::Kind(kind) => write!(f, "a {}", kind.word()),
            Self::Name(name) => write!(f, "{name}"),
            Self::AtMost(number) => write!(f, "at most {number}"),
            Self::Some => write!(f, "some"),
        }
    }
}

/// Where a fault is. Fields that do not apply are absent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Where {
    /// The app, from 0.
    pub app: Option<u32>,
    /// The node, by name.
    pub node: Option<String>,
    /// Which process of the app on that node, in placement order.
    pub local: Option<u32>,
    /// The rank.
    pub rank: Option<u32>,
}

impl fmt::Display for Where {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            ("rank", self.rank.map(|rank| rank.to_string())),
            ("app", self.app.map(|app| app.to_string())),
            ("node", self.node.clone()),
            ("process", self.local.map(|local| local.to_string())),
        ];
        let mut first = true;
        for (word, value) in parts {
            if let Some(value) = value {
                write!(f, "{}{word} {value}", if first { "" } else { ", " })?;
                first = false;
            }
        }
        if first {
            write!(f, "the job")?;
        }
        Ok(())
    }
}

/// A promise that a plan breaks. Class `plan-fault`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {found} found, {promised} promised, at {at}", promise.words())]
pub struct Fault {
    /// Which promise.
    pub promise: Promise,
    /// Where.
    pub at: Where,
    /// What the plan has.
    pub found: Seen,
    /// What it should have.
    pub promised: Seen,
}

impl Fault {
    /// The stable class.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        "plan-fault"
    }
}

/// The first faults found. The rest is dropped, so that a wholly wrong plan costs no more than a slightly wrong one.
#[derive(Clone, Debug, Default)]
pub(super) struct Faults {
    pub(super) list: Vec<Fault>,
}

impl Faults {
    /// How many faults are kept at most.
    const MOST: usize = 64;

    pub(super) fn add(&mut self, promise: Promise, at: Where, found: Seen, promised: Seen) {
        if self.list.len() < Self::MOST {
            self.list.push(Fault {
                promise,
                at,
                found,
                promised,
            });
        }
    }
    /// Whether there are enough faults to stop.
    pub(super) fn full(&self) -> bool {
        self.list.len() >= Self::MOST
    }
    /// Adds a fault if two numbers differ that should be equal.
    pub(super) fn equal(
        &mut self,
        promise: Promise,
        at: impl FnOnce() -> Where,
        found: u64,
        promised: u64,
    ) {
        if found != promised {
            self.add(promise, at(), Seen::Number(found), Seen::Number(promised));
        }
    }
}

/// A broken promise of one process of the node.
#[derive(Clone, Debug)]
pub(super) struct Broken {
    pub(super) local: u32,
    pub(super) promise: Promise,
    pub(super) found: Seen,
    pub(super) promised: Seen,
}
