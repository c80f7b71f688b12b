//! The live allocations: what each granted request gave.

use super::{NodeSet, NsId, NsSet, RunId};
use crate::define_id;
use crate::id::Column;
use crate::session::config::Inheritance;
use crate::session::id_set::IdSet;
use crate::session::name::{Name, NameIndex};
use std::collections::BTreeSet;
use std::sync::Arc;

define_id! {
    /// A row of the allocation table. Rows are used again; the session number beside it never is.
    AllocId
}

/// A process: who is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Process {
    pub(crate) ns: NsId,
    pub(crate) rank: u32,
}

/// A row to be made.
pub(crate) struct NewAlloc {
    pub(crate) id: Name,
    pub(crate) session: u32,
    pub(crate) owner: Option<NsId>,
    pub(crate) owner_name: Name,
    pub(crate) shared: bool,
    pub(crate) inheritance: Inheritance,
    pub(crate) warn_timeout: Option<u32>,
    pub(crate) requestor: Option<Process>,
    pub(crate) req_ns: Option<NsId>,
    pub(crate) req_id: Option<Name>,
}

/// The allocation table. Shape of each column: `[rows]`; a row is live when its session number is not 0.
#[derive(Clone, Default)]
pub(crate) struct AllocTable {
    pub(crate) id: Column<AllocId, Name>,
    /// Session number, from 1, never used twice.
    pub(crate) session: Column<AllocId, u32>,
    /// The owning namespace while it lives.
    pub(crate) owner: Column<AllocId, Option<NsId>>,
    pub(crate) owner_name: Column<AllocId, Name>,
    pub(crate) shared: Column<AllocId, bool>,
    pub(crate) inheritance: Column<AllocId, Inheritance>,
    /// Unit: seconds.
    pub(crate) warn_timeout: Column<AllocId, Option<u32>>,
    /// Who gets the warning.
    pub(crate) requestor: Column<AllocId, Option<Process>>,
    /// Who asked for it, and so holds the request id.
    pub(crate) req_ns: Column<AllocId, Option<NsId>>,
    pub(crate) req_id: Column<AllocId, Option<Name>>,
    pub(crate) nodes: Column<AllocId, NodeSet>,
    /// Of a large reservation: its nodes that are up, as the last job that took all of them found them, and those jobs.
    /// `None` when its nodes changed since. Kept so that candidates are borrowed and equal sets are one set.
    pub(crate) kept: Column<AllocId, Option<(Arc<NodeSet>, RunId)>>,
    /// Names, because lent nodes have left the node table.
    pub(crate) lent: Column<AllocId, BTreeSet<Name>>,
    pub(crate) owners: Column<AllocId, NsSet>,
    pub(crate) roots: Column<AllocId, NsSet>,
    by_id: NameIndex<AllocId>,
    free: Vec<AllocId>,
}

impl AllocTable {
    /// Adds a record without nodes, owners and roots.
    pub(crate) fn add(&mut self, new: NewAlloc) -> AllocId {
        let row = if let Some(row) = self.free.pop() {
            row
        } else {
            self.grow()
        };
        self.by_id.insert(&new.id, row);
        self.id[row] = new.id;
        self.session[row] = new.session;
        self.owner[row] = new.owner;
        self.owner_name[row] = new.owner_name;
        self.shared[row] = new.shared;
        self.inheritance[row] = new.inheritance;
        self.warn_timeout[row] = new.warn_timeout;
        self.requestor[row] = new.requestor;
        self.req_ns[row] = new.req_ns;
        self.req_id[row] = new.req_id;
        row
    }
    fn grow(&mut self) -> AllocId {
        if self.id.len() == self.id.capacity() {
            self.make_room(self.id.len() / 8 + 16);
        }
        let row = self.id.push(Name::default());
        self.session.push(0);
        self.owner.push(None);
        self.owner_name.push(Name::default());
        self.shared.push(false);
        self.inheritance.push(Inheritance::Default);
        self.warn_timeout.push(None);
        self.requestor.push(None);
        self.req_ns.push(None);
        self.req_id.push(None);
        self.nodes.push(NodeSet::default());
        self.kept.push(None);
        self.lent.push(BTreeSet::new());
        self.owners.push(NsSet::default());
        let same = self.roots.push(NsSet::default());
        debug_assert_eq!(row, same, "columns grow in this function only");
        row
    }
    /// Room for so many rows more, in all columns: an eighth at a time, since a row is wide.
    fn make_room(&mut self, more: usize) {
        self.id.reserve_exact(more);
        self.session.reserve_exact(more);
        self.owner.reserve_exact(more);
        self.owner_name.reserve_exact(more);
        self.shared.reserve_exact(more);
        self.inheritance.reserve_exact(more);
        self.warn_timeout.reserve_exact(more);
        self.requestor.reserve_exact(more);
        self.req_ns.reserve_exact(more);
        self.req_id.reserve_exact(more);
        self.nodes.reserve_exact(more);
        self.kept.reserve_exact(more);
        self.lent.reserve_exact(more);
        self.owners.reserve_exact(more);
        self.roots.reserve_exact(more);
    }
    /// Takes a record out and gives its id.
    pub(crate) fn remove(&mut self, row: AllocId) -> Name {
        let id = std::mem::take(&mut self.id[row]);
        self.by_id.remove(&id, row);
        self.session[row] = 0;
        self.owner[row] = None;
        self.owner_name[row] = Name::default();
        self.requestor[row] = None;
        self.req_ns[row] = None;
        self.req_id[row] = None;
        self.nodes[row] = IdSet::default();
        self.kept[row] = None;
        self.lent[row] = BTreeSet::new();
        self.owners[row] = IdSet::default();
        self.roots[row] = IdSet::default();
        self.free.push(row);
        id
    }
    pub(crate) fn find(&self, id: &str) -> Option<AllocId> {
        self.by_id.find(id, |row| &self.id[row])
    }
    pub(crate) fn is_live(&self, row: AllocId) -> bool {
        self.session[row] != 0
    }
    /// Live records, by row.
    pub(crate) fn live(&self) -> impl Iterator<Item = AllocId> + '_ {
        self.session
            .iter()
            .filter(|row| *row.1 != 0)
            .map(|row| row.0)
    }
    pub(crate) fn len(&self) -> u64 {
        self.by_id.len() as u64
    }
    /// Whether the disposition says that the record ends now.
    pub(crate) fn is_due(&self, row: AllocId) -> bool {
        let drained = match self.inheritance[row] {
            Inheritance::None | Inheritance::Default => true,
            Inheritance::Child | Inheritance::ChildDefault => self.roots[row].is_empty(),
        };
        self.owner[row].is_none() && drained
    }
}
