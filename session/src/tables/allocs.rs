//! The live allocations: what each granted request gave.

use super::ids::{AllocId, NodeSet, NsId, NsSet, RunId};
use super::named::Named;
use crate::config::Inheritance;
use crate::name::Name;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A process, as sender or recipient.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Process {
    pub(crate) ns: NsId,
    pub(crate) rank: u32,
}

/// A record. Everything that a grant or a release of it reads and writes is in one row (measured: fifteen columns caused a
/// third of the cache misses of all events, although only one event in ten is about a record).
///
/// A snapshot has the fields in this order. The last three follow from other rows.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Alloc {
    pub(crate) id: Name,
    /// Session number, from 1, never used twice.
    pub(crate) session: u32,
    /// The owning namespace, by name: it may be gone.
    pub(crate) owner: Name,
    /// Whether that namespace lives (a live one of the same name may be another).
    pub(crate) owner_live: bool,
    pub(crate) shared: bool,
    pub(crate) inheritance: Inheritance,
    /// Unit: seconds.
    pub(crate) warn_timeout: Option<u32>,
    /// Who gets the warning.
    pub(crate) requestor: Option<Process>,
    /// Who asked for it, and so holds the request id.
    pub(crate) req_ns: Option<NsId>,
    pub(crate) req_id: Option<Name>,
    /// Names, because lent nodes have left the node table.
    pub(crate) lent: BTreeSet<Name>,
    pub(crate) roots: NsSet,
    #[serde(skip)]
    pub(crate) nodes: NodeSet,
    /// If a job took the whole reservation: its nodes that were up at that time, and the run of jobs on them. `None` if its
    /// nodes changed since. Kept so that candidates are borrowed and equal sets are one set.
    #[serde(skip)]
    pub(crate) kept: Option<(Arc<NodeSet>, RunId)>,
    #[serde(skip)]
    pub(crate) owners: NsSet,
}

impl Borrow<Name> for Alloc {
    fn borrow(&self) -> &Name {
        &self.id
    }
}

/// The allocation table.
pub(crate) type AllocTable = Named<AllocId, Alloc>;

impl AllocTable {
    /// Whether the disposition says that the record ends now.
    pub(crate) fn is_due(&self, row: AllocId) -> bool {
        let drained = match self.row[row].inheritance {
            Inheritance::None | Inheritance::Default => true,
            Inheritance::Child | Inheritance::ChildDefault => self.row[row].roots.is_empty(),
        };
        !self.row[row].owner_live && drained
    }
}
