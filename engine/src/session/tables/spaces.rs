//! The namespaces: jobs, tools, the scheduler. A row exists exactly while its namespace is active.

use super::{AllocId, NodeSet, RunId};
use crate::define_id;
use crate::id::Column;
use crate::session::name::{Name, NameIndex};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::sync::Arc;

define_id! {
    /// A row of the namespace table. Rows are used again when nothing points at them any more.
    NsId
}

/// What a namespace is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// A job: it has processes on nodes.
    Job,
    /// A tool: no job of its own, no nodes.
    Tool,
    /// The tool that answers requests.
    Scheduler,
}

impl Kind {
    /// Whether it is a job.
    #[must_use]
    pub fn is_job(self) -> bool {
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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Session {
    /// The nodes held by no reservation.
    Default,
    /// The nodes of a reservation.
    Reserved(AllocId),
}

/// The sessions of a job, in the order of first mention.
pub(crate) type Sessions = SmallVec<[Session; 4]>;

/// Whether and where a namespace stands in the genealogy. What every event about it reads is in one row: at a hundred
/// thousand jobs the time of an event is the number of rows it fetches from memory (measured: a row for each of these
/// fields took twice as long).
#[derive(Clone, Copy, Default)]
pub(crate) struct Life {
    /// `None` for a row that is free.
    pub(crate) kind: Option<Kind>,
    pub(crate) live: bool,
    pub(crate) parent: Option<NsId>,
    /// Children that have a row.
    pub(crate) children: u32,
    /// Entries in the table of ties.
    pub(crate) ties: u32,
}

/// Where a job may be and where it is.
#[derive(Clone, Default)]
pub(crate) struct Seat {
    pub(crate) sessions: Sessions,
    pub(crate) uses: Option<Arc<NodeSet>>,
    pub(crate) run: Option<RunId>,
}

/// The namespace table. Shape of each column: `[rows]`.
#[derive(Clone, Default)]
pub(crate) struct SpaceTable {
    pub(crate) name: Column<NsId, Name>,
    pub(crate) life: Column<NsId, Life>,
    pub(crate) seat: Column<NsId, Seat>,
    by_name: NameIndex<NsId>,
    free: Vec<NsId>,
}

impl SpaceTable {
    /// Adds a live namespace without sessions and uses.
    pub(crate) fn add(&mut self, name: &str, kind: Kind, parent: Option<NsId>) -> NsId {
        let ns = if let Some(ns) = self.free.pop() {
            ns
        } else {
            self.grow()
        };
        self.name[ns] = Name::new(name);
        self.by_name.insert(&self.name[ns], ns);
        self.life[ns] = Life {
            kind: Some(kind),
            live: true,
            parent,
            children: 0,
            ties: 0,
        };
        if let Some(parent) = parent {
            self.life[parent].children += 1;
        }
        ns
    }
    fn grow(&mut self) -> NsId {
        let ns = self.name.push(Name::default());
        self.life.push(Life::default());
        let same = self.seat.push(Seat::default());
        debug_assert_eq!(ns, same, "columns grow in this function only");
        ns
    }
    /// Frees a row; its parent is told by the caller.
    pub(crate) fn remove(&mut self, ns: NsId) {
        let name = std::mem::take(&mut self.name[ns]);
        self.by_name.remove(&name, ns);
        self.life[ns] = Life::default();
        self.free.push(ns);
    }
    /// The row of a name, live or not.
    pub(crate) fn find(&self, name: &str) -> Option<NsId> {
        self.by_name.find(name, |ns| &self.name[ns])
    }
    /// The row of a name, if it lives.
    pub(crate) fn find_live(&self, name: &str) -> Option<NsId> {
        self.find(name).filter(|&ns| self.life[ns].live)
    }
    /// Rows that are in use.
    pub(crate) fn rows(&self) -> impl Iterator<Item = NsId> + '_ {
        self.life
            .iter()
            .filter(|row| row.1.kind.is_some())
            .map(|row| row.0)
    }
    pub(crate) fn len(&self) -> u64 {
        self.by_name.len() as u64
    }
    pub(crate) fn is_job(&self, ns: NsId) -> bool {
        self.life[ns].kind == Some(Kind::Job)
    }
}
