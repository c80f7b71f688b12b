//! The live allocations: what each granted request gave.

use super::ids::{AllocId, NodeSet, NsId, NsSet, RunId};
use crate::config::Inheritance;
use crate::id_row::{at_row, maybe_at_row};
use crate::name::{Name, NameIndex};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;
use stowplan_engine::id::Column;

/// A process, as sender or recipient.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Process {
    #[serde(with = "at_row")]
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
    /// Session number, from 1, never used twice; 0 for a row that is free.
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
    #[serde(with = "maybe_at_row")]
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

/// The allocation table. Shape: `[rows]`.
#[derive(Clone, Default)]
pub(crate) struct AllocTable {
    pub(crate) row: Column<AllocId, Alloc>,
    by_id: NameIndex<AllocId>,
    free: Vec<AllocId>,
}

impl AllocTable {
    /// Adds a record.
    pub(crate) fn add(&mut self, alloc: Alloc) -> AllocId {
        let row = if let Some(row) = self.free.pop() {
            self.row[row] = alloc;
            row
        } else {
            self.row.push_tight(alloc)
        };
        self.by_id.insert(row, |row| &self.row[row].id);
        row
    }
    /// Takes a record out and gives its id.
    pub(crate) fn remove(&mut self, row: AllocId) -> Name {
        let Alloc { id, .. } = std::mem::take(&mut self.row[row]);
        self.by_id.remove(&id, row);
        self.free.push(row);
        id
    }
    pub(crate) fn find(&self, id: &str) -> Option<AllocId> {
        self.by_id.find(id, |row| &self.row[row].id)
    }
    pub(crate) fn is_live(&self, row: AllocId) -> bool {
        self.row[row].session != 0
    }
    /// Live records, by row.
    pub(crate) fn live(&self) -> impl Iterator<Item = AllocId> + '_ {
        self.row
            .iter()
            .filter(|row| row.1.session != 0)
            .map(|row| row.0)
    }
    pub(crate) fn len(&self) -> u64 {
        self.by_id.count() as u64
    }
    /// Whether the disposition says that the record ends now.
    pub(crate) fn is_due(&self, row: AllocId) -> bool {
        let drained = match self.row[row].inheritance {
            Inheritance::None | Inheritance::Default => true,
            Inheritance::Child | Inheritance::ChildDefault => self.row[row].roots.is_empty(),
        };
        !self.row[row].owner_live && drained
    }
}
