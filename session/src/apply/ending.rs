//! How things end: namespaces terminate, records end, nodes leave, until nothing more is due.
//!
//! A queue takes each row once, without recursion. Rules only add to the dead and the ended, so their order does not matter.

use super::request::forget;
use crate::config::Inheritance;
use crate::effects::{Effects, Ended, How, Why};
use crate::state::State;
use crate::tables::{AllocId, Extent, NodeSet, NsId, RunId, Session, Tie};

/// The rows that one event has still to look at.
pub(super) struct Work<'s> {
    state: &'s mut State,
    effects: &'s mut Effects,
    /// Jobs that lost a node.
    doomed: Vec<NsId>,
    /// Records whose disposition may be due.
    suspects: Vec<AllocId>,
}

/// Begins something, and works until nothing more is due.
pub(super) fn settled(state: &mut State, effects: &mut Effects, begin: impl FnOnce(&mut Work<'_>)) {
    let mut work = Work {
        state,
        effects,
        doomed: Vec::new(),
        suspects: Vec::new(),
    };
    begin(&mut work);
    work.settle();
}

impl Work<'_> {
    /// Notes a record that changed and may be due.
    pub(super) fn suspect(&mut self, alloc: AllocId) {
        self.suspects.push(alloc);
    }

    fn settle(&mut self) {
        loop {
            if let Some(ns) = self.doomed.pop() {
                if self.state.spaces.row[ns].live {
                    let name = self.state.spaces.row[ns].name.clone();
                    self.effects.killed.push(name);
                    self.stop(ns);
                }
            } else if let Some(alloc) = self.suspects.pop() {
                if self.state.allocs.has(alloc) && self.state.allocs.is_due(alloc) {
                    let how = match self.state.allocs.row[alloc].inheritance {
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

    /// A live namespace terminates. Source: reservations "Clauses".
    pub(super) fn stop(&mut self, ns: NsId) {
        let state = &mut *self.state;
        let space = &mut state.spaces.row[ns];
        space.live = false;
        let (sessions, run) = (std::mem::take(&mut space.sessions), space.run.take());
        for session in sessions {
            if let Session::Reserved(alloc) = session {
                state.allocs.row[alloc].owners.remove(ns);
            }
        }
        if let Some(time) = run.and_then(|run| state.users.leave(ns, run)) {
            state.nodes.times.forget(time);
        }
        if state.scheduler == Some(ns) {
            state.scheduler = None;
        }
        self.cut_ties(ns);
        self.free_inactive(ns);
    }

    /// Ends what only a live namespace has: requests, ownership, request ids, warnings.
    fn cut_ties(&mut self, ns: NsId) {
        for number in self.state.pending.of(ns) {
            forget(self.state, number);
            self.effects.dropped.push(number);
        }
        for number in self.state.ties.targeting(ns) {
            self.state.pending.forget_target(number);
            self.state.ties.targets.remove(&(ns, number));
        }
        for alloc in self.state.ties.take(ns, Tie::Owns).iter() {
            self.state.allocs.row[alloc].owner_live = false;
            self.state.allocs.row[alloc].owners.remove(ns);
            self.suspects.push(alloc);
        }
        for alloc in self.state.ties.take(ns, Tie::Holds).iter() {
            self.drop_holder(alloc);
        }
        for alloc in self.state.ties.take(ns, Tie::Warned).iter() {
            self.state.allocs.row[alloc].requestor = None;
        }
    }

    /// Frees the record's request id.
    fn drop_holder(&mut self, alloc: AllocId) {
        let Some(ns) = self.state.allocs.row[alloc].req_ns.take() else {
            return;
        };
        if let Some(id) = &self.state.allocs.row[alloc].req_id {
            self.state.holders.remove(&(ns, id.clone()));
        }
        self.state.ties.remove(ns, Tie::Holds, alloc);
    }

    /// Frees the row of a namespace that is no longer active, then its parent's, and so on up.
    fn free_inactive(&mut self, ns: NsId) {
        let mut next = Some(ns);
        while let Some(ns) = next {
            let space = &self.state.spaces.row[ns];
            if space.live || space.children > 0 {
                return;
            }
            next = space.parent;
            for alloc in self.state.ties.take(ns, Tie::Root).iter() {
                self.state.allocs.row[alloc].roots.remove(ns);
                self.suspects.push(alloc);
            }
            self.state.spaces.take(ns);
            if let Some(parent) = next {
                self.state.spaces.row[parent].children -= 1;
            }
        }
    }

    /// A record ends. The jobs on departing nodes are doomed.
    pub(super) fn end(&mut self, alloc: AllocId, how: How, why: Why) {
        let nodes = self.state.allocs.row[alloc].nodes.clone();
        match how {
            How::Released => self.part(alloc, &nodes),
            How::Unreserved => self.revert(alloc, &nodes),
        }
        self.unlink(alloc);
        let alloc_id = self.state.allocs.take(alloc).id;
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

    /// Nodes of a record join the default session. The nodes of a shared record are in it already.
    fn revert(&mut self, alloc: AllocId, nodes: &NodeSet) {
        self.state.nodes.set_alloc(nodes, None);
        self.leave_record(alloc, nodes);
        if !self.state.allocs.row[alloc].shared {
            self.state.nodes.enter_pool(nodes);
            self.show_reverted(alloc, nodes);
            self.effects.reverted.add_all(nodes);
        }
    }

    /// Jobs that sit in the record continue to use the nodes, but are no longer found through the owners of the record.
    fn show_reverted(&mut self, alloc: AllocId, nodes: &NodeSet) {
        let state = &mut *self.state;
        let sits = |ns| {
            let sessions = &state.spaces.row[ns].sessions;
            sessions.contains(&Session::Reserved(alloc))
        };
        if state.allocs.row[alloc].owners.iter().any(sits) {
            state.nodes.show(nodes);
        }
    }

    /// Granted nodes leave the DVM.
    pub(super) fn depart(&mut self, alloc: Option<AllocId>, nodes: &NodeSet) {
        if nodes.is_empty() {
            return;
        }
        self.kill_users(alloc, nodes);
        if let Some(alloc) = alloc {
            self.leave_record(alloc, nodes);
        }
        self.state.nodes.remove(nodes, &mut self.effects.departed);
    }

    fn leave_record(&mut self, alloc: AllocId, nodes: &NodeSet) {
        self.state.allocs.row[alloc].nodes.remove_all(nodes);
        self.state.allocs.row[alloc].kept = None;
    }

    /// Dooms the jobs that use one of these nodes. `alloc`: the record that holds the nodes, if there is one.
    pub(super) fn kill_users(&mut self, alloc: Option<AllocId>, nodes: &NodeSet) {
        self.doom_visitors(nodes);
        let state = &*self.state;
        state.users.listed(nodes, &mut self.doomed);
        // Nodes that no job of a shared set uses from outside are used only by jobs of their own record, so its owners are
        // asked and not every shared set.
        if !nodes.is_disjoint(state.nodes.shown()) {
            return state.users.sharing(nodes, &mut self.doomed);
        }
        let Some(alloc) = alloc else { return };
        let mut asked: Option<(RunId, Verdict)> = None;
        for ns in state.allocs.row[alloc].owners.iter() {
            let Some(run) = state.spaces.row[ns].run else {
                continue;
            };
            // Owners that use the same nodes are mostly in one run.
            let verdict = match asked {
                Some((same, verdict)) if same == run => verdict,
                Some(_) | None => match state.users.extent(run) {
                    Some(Extent::Shared(uses)) if !uses.is_disjoint(nodes) => Verdict::Doomed,
                    Some(Extent::Shared(_) | Extent::Listed(_) | Extent::Session(_)) | None => {
                        Verdict::Spared
                    }
                },
            };
            asked = Some((run, verdict));
            if verdict == Verdict::Doomed {
                self.doomed.push(ns);
            }
        }
    }

    /// Dooms the jobs that use the default session as it was when it had one of these nodes.
    ///
    /// Cost: the spans of time in which the nodes were there, mostly the same for all, and the jobs found.
    fn doom_visitors(&mut self, nodes: &NodeSet) {
        let state = &*self.state;
        let mut spans: Vec<(u64, u64)> = Vec::new();
        for node in nodes.iter() {
            for span in state.nodes.times.spans(state.nodes.seen(node)) {
                if spans.last() != Some(&span) {
                    spans.push(span);
                }
            }
        }
        spans.sort_unstable();
        let mut done = 0;
        for (from, to) in spans {
            // A span that lies within another is done.
            if to > done {
                for run in state.nodes.times.runs(from.max(done), to) {
                    self.doomed.extend(state.users.jobs(run));
                }
                done = to;
            }
        }
    }

    /// Removes all that points at a record.
    fn unlink(&mut self, alloc: AllocId) {
        let owners = std::mem::take(&mut self.state.allocs.row[alloc].owners);
        for ns in owners.iter() {
            let sessions = &mut self.state.spaces.row[ns].sessions;
            let before = sessions.len();
            sessions.retain(|at| *at != Session::Reserved(alloc));
            // A job always has somewhere to put its children.
            if before > 0 && sessions.is_empty() {
                sessions.push(Session::Default);
            }
        }
        let roots = std::mem::take(&mut self.state.allocs.row[alloc].roots);
        for ns in roots.iter() {
            self.state.ties.remove(ns, Tie::Root, alloc);
        }
        if let Some(owner) = self.state.owner(alloc) {
            self.state.ties.remove(owner, Tie::Owns, alloc);
        }
        if let Some(to) = self.state.allocs.row[alloc].requestor {
            self.state.ties.remove(to.ns, Tie::Warned, alloc);
        }
        self.drop_holder(alloc);
    }
}

/// Whether a job loses a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Doomed,
    Spared,
}
