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

/// The namespace table. Shape of each column: `[rows]`; a free row has no kind.
#[derive(Clone, Default)]
pub(crate) struct SpaceTable {
    pub(crate) name: Column<NsId, Name>,
    pub(crate) kind: Column<NsId, Option<Kind>>,
    pub(crate) parent: Column<NsId, Option<NsId>>,
    pub(crate) live: Column<NsId, bool>,
    /// Children that have a row.
    pub(crate) children: Column<NsId, u32>,
    /// Entries in the table of ties.
    pub(crate) ties: Column<NsId, u32>,
    pub(crate) sessions: Column<NsId, Sessions>,
    pub(crate) uses: Column<NsId, Option<Arc<NodeSet>>>,
    pub(crate) run: Column<NsId, Option<RunId>>,
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
        self.kind[ns] = Some(kind);
        self.parent[ns] = parent;
        self.live[ns] = true;
        if let Some(parent) = parent {
            self.children[parent] += 1;
        }
        ns
    }
    fn grow(&mut self) -> NsId {
        let ns = self.name.push(Name::default());
        self.kind.push(None);
        self.parent.push(None);
        self.live.push(false);
        self.children.push(0);
        self.ties.push(0);
        self.sessions.push(Sessions::new());
        self.uses.push(None);
        let same = self.run.push(None);
        debug_assert_eq!(ns, same, "columns grow in this function only");
        ns
    }
    /// Frees a row; its parent is told by the caller.
    pub(crate) fn remove(&mut self, ns: NsId) {
        let name = std::mem::take(&mut self.name[ns]);
        self.by_name.remove(&name, ns);
        self.kind[ns] = None;
        self.parent[ns] = None;
        self.free.push(ns);
    }
    /// The row of a name, live or not.
    pub(crate) fn find(&self, name: &str) -> Option<NsId> {
        self.by_name.find(name, |ns| &self.name[ns])
    }
    /// The row of a name, if it lives.
    pub(crate) fn find_live(&self, name: &str) -> Option<NsId> {
        self.find(name).filter(|&ns| self.live[ns])
    }
    /// Rows that are in use.
    pub(crate) fn rows(&self) -> impl Iterator<Item = NsId> + '_ {
        self.kind
            .iter()
            .filter(|row| row.1.is_some())
            .map(|row| row.0)
    }
    pub(crate) fn len(&self) -> u64 {
        self.by_name.len() as u64
    }
    pub(crate) fn is_job(&self, ns: NsId) -> bool {
        self.kind[ns] == Some(Kind::Job)
    }
}
