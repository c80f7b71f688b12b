//! What follows from the rows of nodes, namespaces, records and requests. A state that is read is given it; the check compares it with what a
//! state has, which events keep as they go.

use super::id_set::IdSet;
use super::name::Name;
use super::state::State;
use super::tables::{AllocId, NodeSet, NsId, NsSet, Session, Tie, Ties};
use std::collections::BTreeMap;
use stowplan_engine::id::{Column, Id};

/// All that is kept beside the rows, so that nothing has to be searched for.
pub(crate) struct Derived {
    /// Children that have a row.
    pub(crate) children: Column<NsId, u32>,
    /// The nodes that each record holds.
    pub(crate) nodes: Column<AllocId, NodeSet>,
    /// The default session: the nodes that no reservation holds.
    pub(crate) pool: NodeSet,
    /// Who may use each record: its owner, and the live jobs that have it as a session.
    pub(crate) owners: Column<AllocId, NsSet>,
    /// From namespaces to rows of records and to numbers of requests.
    pub(crate) ties: Ties,
    /// Who holds which request id. Of two records the later one; I-14 forbids it.
    pub(crate) holders: BTreeMap<(NsId, Name), AllocId>,
}

impl Derived {
    /// Works it out from the rows alone, which point at rows that are there. Cost: linear in the tables.
    pub(crate) fn of(state: &State) -> Self {
        let mut children: Column<NsId, u32> = state.spaces.row.ids().map(|_| 0).collect();
        let mut owners: Column<AllocId, NsSet> = Self::sets(state);
        for ns in state.spaces.rows() {
            let space = &state.spaces.row[ns];
            if let Some(parent) = space.parent {
                children[parent] += 1;
            }
            for session in space.sessions.iter().filter(|_| space.live) {
                if let Session::Reserved(alloc) = *session {
                    owners[alloc].insert(ns);
                }
            }
        }
        let (mut nodes, mut pool) = (Self::sets(state), NodeSet::new());
        for node in state.nodes.all().iter() {
            let holder = state.nodes.alloc(node);
            holder.map(|alloc| nodes[alloc].insert(node));
            if holder.is_none_or(|alloc| state.allocs.row[alloc].shared) {
                pool.insert(node);
            }
        }
        let (mut ties, mut holders) = (Ties::default(), BTreeMap::new());
        for alloc in state.allocs.rows() {
            let record = &state.allocs.row[alloc];
            if let Some(owner) = state.owner(alloc) {
                owners[alloc].insert(owner);
                ties.add(owner, Tie::Owns, alloc);
            }
            record
                .roots
                .iter()
                .for_each(|ns| ties.add(ns, Tie::Root, alloc));
            record
                .req_ns
                .iter()
                .for_each(|&ns| ties.add(ns, Tie::Holds, alloc));
            record
                .requestor
                .iter()
                .for_each(|to| ties.add(to.ns, Tie::Warned, alloc));
            let id = record.req_ns.zip(record.req_id.clone());
            holders.extend(id.map(|id| (id, alloc)));
        }
        for (number, request) in state.pending.iter() {
            let target = state.target(request);
            ties.targets.extend(target.map(|ns| (ns, number)));
        }
        Self {
            children,
            nodes,
            pool,
            owners,
            ties,
            holders,
        }
    }

    /// An empty set for each record.
    fn sets<I: Id>(state: &State) -> Column<AllocId, IdSet<I>> {
        let records = state.allocs.row.ids();
        records.map(|_| IdSet::new()).collect()
    }

    /// Gives it to a state that has the rows and nothing beside them.
    pub(crate) fn give(mut self, state: &mut State) {
        for ns in self.children.ids() {
            state.spaces.row[ns].children = self.children[ns];
        }
        for alloc in self.owners.ids() {
            let record = &mut state.allocs.row[alloc];
            record.nodes = std::mem::take(&mut self.nodes[alloc]);
            record.owners = std::mem::take(&mut self.owners[alloc]);
        }
        state.nodes.enter_pool(&self.pool);
        (state.ties, state.holders) = (self.ties, self.holders);
    }
}
