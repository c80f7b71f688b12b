//! The namespaces: jobs, tools, the scheduler. A row exists exactly while its namespace is active.

use super::ids::{AllocId, NsId, RunId};
use crate::id_row::{at_row, maybe_at_row};
use crate::name::{Name, NameIndex};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use stowplan_engine::id::Column;

/// What a namespace is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SpaceKind {
    /// A job: it has processes on nodes.
    #[default]
    Job,
    /// A tool: no job of its own, no nodes.
    Tool,
    /// The tool that answers requests.
    Scheduler,
}

impl SpaceKind {
    /// Whether it is a job.
    #[must_use]
    pub(crate) fn is_job(self) -> bool {
        self == Self::Job
    }
    /// The word in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Job => "job",
            Self::Tool => "tool",
            Self::Scheduler => "scheduler",
        }
    }
}

/// A pool of nodes that a job may use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) enum Session {
    /// The nodes held by no reservation.
    Default,
    /// The nodes of a reservation.
    Reserved(#[serde(with = "at_row")] AllocId),
}

/// The sessions of a job, in the order of first mention.
pub(crate) type Sessions = SmallVec<[Session; 4]>;

/// A namespace: its name, whether it lives, its place in the genealogy, the nodes it may use and the nodes it uses.
///
/// All of it is in one row and one cache line. At a hundred thousand jobs the number of rows that an event fetches from
/// memory decides its time (measured: a column for each field took twice as long).
///
/// A snapshot has the fields in this order. The last two follow from other rows.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[repr(align(64))]
pub(crate) struct Space {
    /// Its name; empty for a row that is free.
    pub(crate) name: Name,
    pub(crate) kind: SpaceKind,
    #[serde(with = "maybe_at_row")]
    pub(crate) parent: Option<NsId>,
    pub(crate) live: bool,
    /// None if the namespace is no live job.
    pub(crate) sessions: Sessions,
    /// The run of jobs that use the same nodes; `None` if the namespace is no live job.
    #[serde(skip)]
    pub(crate) run: Option<RunId>,
    /// Children that have a row.
    #[serde(skip)]
    pub(crate) children: u32,
}

const _: () = assert!(size_of::<Space>() == 64, "one cache line");

/// The namespace table. Shape: `[rows]`.
#[derive(Clone, Default)]
pub(crate) struct SpaceTable {
    pub(crate) row: Column<NsId, Space>,
    by_name: NameIndex<NsId>,
    free: Vec<NsId>,
}

impl SpaceTable {
    /// Adds a live namespace that has no sessions and uses no nodes.
    pub(crate) fn add(&mut self, name: &str, kind: SpaceKind, parent: Option<NsId>) -> NsId {
        if let Some(parent) = parent {
            self.row[parent].children += 1;
        }
        self.put(Space {
            name: Name::new(name),
            kind,
            live: true,
            parent,
            ..Space::default()
        })
    }
    /// Puts a namespace into a row.
    pub(crate) fn put(&mut self, space: Space) -> NsId {
        let ns = if let Some(ns) = self.free.pop() {
            self.row[ns] = space;
            ns
        } else {
            self.row.push(space)
        };
        self.by_name.insert(ns, |ns| &self.row[ns].name);
        ns
    }
    /// Frees a row. The caller updates the parent.
    pub(crate) fn remove(&mut self, ns: NsId) {
        let row = std::mem::take(&mut self.row[ns]);
        self.by_name.remove(&row.name, ns);
        self.free.push(ns);
    }
    /// The row of a name, live or not.
    pub(crate) fn find(&self, name: &str) -> Option<NsId> {
        self.by_name.find(name, |ns| &self.row[ns].name)
    }
    /// The row of a name, if it lives.
    pub(crate) fn find_live(&self, name: &str) -> Option<NsId> {
        self.find(name).filter(|&ns| self.row[ns].live)
    }
    /// Rows that are in use.
    pub(crate) fn rows(&self) -> impl Iterator<Item = NsId> + '_ {
        self.row
            .iter()
            .filter(|row| !row.1.name.as_str().is_empty())
            .map(|row| row.0)
    }
    pub(crate) fn len(&self) -> u64 {
        self.by_name.count() as u64
    }
    pub(crate) fn is_job(&self, ns: NsId) -> bool {
        self.row[ns].kind.is_job()
    }
}
