//! How things end: namespaces terminate, records end, nodes leave, until nothing more is due.
//!
//! A queue, each row once; no recursion. Each rule only adds to the dead and the ended, so the order cannot matter.

use super::{alloc_at, forget, row};
use crate::session::config::Inheritance;
use crate::session::effects::{Effects, Ended, How, Why};
use crate::session::state::State;
use crate::session::tables::{AllocId, NodeSet, NsId, Session, Tie};

/// What is still to be looked at, in one event.
pub(super) struct Work<'s> {
    state: &'s mut State,
    effects: &'s mut Effects,
    /// Jobs whose node has gone.
    doomed: Vec<NsId>,
    /// Records whose disposition may be due.
    suspects: Vec<AllocId>,
}

impl<'s> Work<'s> {
    pub(super) fn new(state: &'s mut State, effects: &'s mut Effects) -> Self {
        Self {
            state,
            effects,
            doomed: Vec::new(),
            suspects: Vec::new(),
        }
    }

    /// A record that changed may be due.
    pub(super) fn suspect(&mut self, alloc: AllocId) {
        self.suspects.push(alloc);
    }

    /// Works until nothing more is due.
    pub(super) fn settle(&mut self) {
        loop {
            if let Some(ns) = self.doomed.pop() {
                if self.state.spaces.life[ns].live {
                    self.effects.killed.push(self.state.spaces.name[ns].clone());
                    self.stop(ns);
                }
            } else if let Some(alloc) = self.suspects.pop() {
                if self.state.allocs.is_live(alloc) && self.state.allocs.is_due(alloc) {
                    let how = match self.state.allocs.inheritance[alloc] {
                        Inheritance::None | Inheritance::Child => How::Released,
                        Inheritance::Default | Inheritance::ChildDefault => How::Unreserved,
                    };
                    self.end(alloc, how, Why::Inheritance);
                }
            } else {
                return;
            }
        }
    }

    /// A live namespace terminates. Source: `reservations.md` 6.
    pub(super) fn stop(&mut self, ns: NsId) {
        let state = &mut *self.state;
        state.spaces.life[ns].live = false;
        if state.scheduler == Some(ns) {
            state.scheduler = None;
        }
        for session in std::mem::take(&mut state.spaces.seat[ns].sessions) {
            if let Session::Reserved(alloc) = session {
                state.allocs.owners[alloc].remove(ns);
            }
        }
        let run = state.spaces.seat[ns].run.take();
        if let Some(uses) = state.spaces.seat[ns].uses.take() {
            state.users.remove(ns, &uses, run);
        }
        if state.spaces.life[ns].ties > 0 {
            self.cut_ties(ns);
        }
        self.free_inactive(ns);
    }

    /// What only the living have: requests, ownership, request ids, warnings.
    fn cut_ties(&mut self, ns: NsId) {
        for number in self.state.tied(ns, Tie::Asked) {
            forget(self.state, number);
            self.effects.dropped.push(number);
        }
        for number in self.state.tied(ns, Tie::Target) {
            self.state.pending.forget_target(number);
            self.state.untie(ns, Tie::Target, number);
        }
        for at in self.state.tied(ns, Tie::Owns) {
            let alloc = alloc_at(at);
            self.state.allocs.owner[alloc] = None;
            self.state.allocs.owners[alloc].remove(ns);
            self.state.untie(ns, Tie::Owns, at);
            self.suspects.push(alloc);
        }
        for at in self.state.tied(ns, Tie::Holds) {
            self.drop_holder(alloc_at(at));
        }
        for at in self.state.tied(ns, Tie::Warned) {
            self.state.allocs.requestor[alloc_at(at)] = None;
            self.state.untie(ns, Tie::Warned, at);
        }
    }

    /// The record's request id is free again.
    fn drop_holder(&mut self, alloc: AllocId) {
        let Some(ns) = self.state.allocs.req_ns[alloc].take() else {
            return;
        };
        if let Some(id) = &self.state.allocs.req_id[alloc] {
            self.state.holders.remove(&(ns, id.clone()));
        }
        self.state.untie(ns, Tie::Holds, row(alloc));
    }

    /// Frees the row of a namespace that is no longer active, then its parent's, and so on up.
    fn free_inactive(&mut self, ns: NsId) {
        let mut next = Some(ns);
        while let Some(ns) = next {
            if self.state.spaces.life[ns].live || self.state.spaces.life[ns].children > 0 {
                return;
            }
            for at in self.state.tied(ns, Tie::Root) {
                let alloc = alloc_at(at);
                self.state.allocs.roots[alloc].remove(ns);
                self.state.untie(ns, Tie::Root, at);
                self.suspects.push(alloc);
            }
            next = self.state.spaces.life[ns].parent;
            self.state.spaces.remove(ns);
            if let Some(parent) = next {
                self.state.spaces.life[parent].children -= 1;
            }
        }
    }

    /// A record ends. The jobs of departing nodes are doomed.
    pub(super) fn end(&mut self, alloc: AllocId, how: How, why: Why) {
        let nodes = self.state.allocs.nodes[alloc].clone();
        match how {
            How::Released => self.part(alloc, &nodes),
            How::Unreserved => self.revert(alloc, &nodes),
        }
        self.unlink(alloc);
        let alloc_id = self.state.allocs.remove(alloc);
        self.effects.ended.push(Ended { alloc_id, how, why });
    }

    /// Nodes leave a record: scheduler-owned ones depart, carved ones revert.
    pub(super) fn part(&mut self, alloc: AllocId, nodes: &NodeSet) {
        let carved = nodes.and(self.state.nodes.startup());
        if carved.is_empty() {
            return self.depart(Some(alloc), nodes);
        }
        self.revert(alloc, &carved);
        let granted = nodes.minus(&carved);
        self.depart(Some(alloc), &granted);
    }

    /// Nodes of a record join the default session, where those of a shared one are already.
    fn revert(&mut self, alloc: AllocId, nodes: &NodeSet) {
        self.state.nodes.set_alloc(nodes, None);
        self.state.allocs.nodes[alloc].remove_all(nodes);
        if !self.state.allocs.shared[alloc] {
            self.state.nodes.enter_pool(nodes);
            self.effects.reverted.add_all(nodes);
        }
    }

    /// Granted nodes leave the DVM.
    pub(super) fn depart(&mut self, alloc: Option<AllocId>, nodes: &NodeSet) {
        if nodes.is_empty() {
            return;
        }
        self.kill_users(alloc, nodes);
        if let Some(alloc) = alloc {
            self.state.allocs.nodes[alloc].remove_all(nodes);
        }
        let gone = self.state.nodes.remove(nodes);
        self.effects.departed.extend(gone);
    }

    /// Dooms the jobs that use one of these nodes, which `alloc` holds if it is given.
    ///
    /// A node that never was in the default session is used by jobs of its only record alone: its owners are asked,
    /// not every run of jobs.
    pub(super) fn kill_users(&mut self, alloc: Option<AllocId>, nodes: &NodeSet) {
        let state = &*self.state;
        state.users.listed(nodes, &mut self.doomed);
        match alloc {
            Some(alloc) if nodes.is_disjoint(state.nodes.shown()) => {
                for ns in state.allocs.owners[alloc]
                    .iter()
                    .filter(|&ns| state.spaces.seat[ns].run.is_some())
                {
                    if state.spaces.seat[ns]
                        .uses
                        .as_ref()
                        .is_some_and(|uses| !uses.is_disjoint(nodes))
                    {
                        self.doomed.push(ns);
                    }
                }
            }
            Some(_) | None => state.users.running(nodes, &mut self.doomed),
        }
    }

    /// Nothing points at a record any more.
    fn unlink(&mut self, alloc: AllocId) {
        let owners = std::mem::take(&mut self.state.allocs.owners[alloc]);
        for ns in owners.iter() {
            let sessions = &mut self.state.spaces.seat[ns].sessions;
            let before = sessions.len();
            sessions.retain(|session| *session != Session::Reserved(alloc));
            // A job always has somewhere to put its children.
            if before > 0 && sessions.is_empty() {
                sessions.push(Session::Default);
            }
        }
        let roots = std::mem::take(&mut self.state.allocs.roots[alloc]);
        for ns in roots.iter() {
            self.state.untie(ns, Tie::Root, row(alloc));
        }
        if let Some(owner) = self.state.allocs.owner[alloc] {
            self.state.untie(owner, Tie::Owns, row(alloc));
        }
        if let Some(to) = self.state.allocs.requestor[alloc] {
            self.state.untie(to.ns, Tie::Warned, row(alloc));
        }
        self.drop_holder(alloc);
    }
}
