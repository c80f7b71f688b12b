//! What follows from the rows of namespaces, records and requests. A state that is read is given it; the check compares it with what a
//! state has, which events keep as they go.

use super::name::Name;
use super::state::State;
use super::tables::{AllocId, NsId, NsSet, Session, Tie};
use std::collections::{BTreeMap, BTreeSet};
use stowplan_engine::id::Id;

/// All that is kept beside the rows, so that nothing has to be searched for.
pub(crate) struct Derived {
    /// Children that have a row. Shape: `[rows of namespaces]`.
    pub(crate) children: Vec<u32>,
    /// Who may use each record: its owner, and the live jobs that have it as a session. Shape: `[rows of records]`.
    pub(crate) owners: Vec<NsSet>,
    /// From namespaces to rows of records and to numbers of requests.
    pub(crate) ties: BTreeSet<(NsId, Tie, u64)>,
    /// Who holds which request id. Of two records the later one; I-14 forbids it.
    pub(crate) holders: BTreeMap<(NsId, Name), AllocId>,
}

impl Derived {
    /// Works it out from the rows alone. What points at no row is passed over. Cost: linear in the tables.
    pub(crate) fn of(state: &State) -> Self {
        let mut children = vec![0; state.spaces.row.len()];
        let mut owners = vec![NsSet::new(); state.allocs.row.len()];
        for ns in state.spaces.rows() {
            let space = &state.spaces.row[ns];
            if let Some(count) = space.parent.and_then(|ns| children.get_mut(ns.row())) {
                *count += 1;
            }
            for session in space.sessions.iter().filter(|_| space.live) {
                if let Session::Reserved(alloc) = *session
                    && let Some(owners) = owners.get_mut(alloc.row())
                {
                    owners.insert(ns);
                }
            }
        }
        let (mut ties, mut holders) = (BTreeSet::new(), BTreeMap::new());
        for alloc in state.allocs.live() {
            let (record, row) = (&state.allocs.row[alloc], alloc.row() as u64);
            let owner = state.owner(alloc);
            owner.map(|owner| owners[alloc.row()].insert(owner));
            ties.extend(owner.map(|ns| (ns, Tie::Owns, row)));
            ties.extend(record.roots.iter().map(|ns| (ns, Tie::Root, row)));
            ties.extend(record.req_ns.map(|ns| (ns, Tie::Holds, row)));
            ties.extend(record.requestor.map(|to| (to.ns, Tie::Warned, row)));
            let id = record.req_ns.zip(record.req_id.clone());
            holders.extend(id.map(|id| (id, alloc)));
        }
        for (number, request) in state.pending.iter() {
            ties.insert((request.from.ns, Tie::Asked, number));
            ties.extend(state.target(request).map(|ns| (ns, Tie::Target, number)));
        }
        Self {
            children,
            owners,
            ties,
            holders,
        }
    }

    /// Gives it to a state that has the rows and nothing beside them.
    pub(crate) fn give(self, state: &mut State) {
        for (ns, children) in (0..).map(NsId::from_row).zip(self.children) {
            state.spaces.row[ns].children = children;
        }
        for (alloc, owners) in (0..).map(AllocId::from_row).zip(self.owners) {
            state.allocs.row[alloc].owners = owners;
        }
        state.ties = self.ties.into_iter().collect();
        state.holders = self.holders;
    }
}
