//! Who uses a node: found without looking at every job.
//!
//! A job on few nodes is listed under each of them. Jobs that use the same large set (all candidates of a session as
//! they were at spawn) form one *run*; runs are few, and asking one costs a bitmap operation.

use super::{NodeId, NodeSet, NsId, NsSet};
use crate::define_id;
use crate::id::Column;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Up to this many nodes a job is listed under each of them.
const LISTED_MAX: u64 = 16;

define_id! {
    /// Jobs that use the same large set.
    #[expect(unreachable_pub, reason = "the macro makes public ids; this one stays inside")]
    RunId
}

#[derive(Clone)]
struct Run {
    nodes: Arc<NodeSet>,
    jobs: NsSet,
}

/// The index of users.
#[derive(Clone, Default)]
pub(crate) struct Users {
    listed: BTreeSet<(NodeId, NsId)>,
    runs: Column<RunId, Option<Run>>,
    free: Vec<RunId>,
    /// The run made last: the next job mostly uses the very same set.
    last: Option<RunId>,
}

impl Users {
    /// A job uses these nodes. Gives the run it is in, if it is in one.
    pub(crate) fn add(&mut self, ns: NsId, nodes: &Arc<NodeSet>) -> Option<RunId> {
        if let Some(last) = self.last
            && let Some(run) = &mut self.runs[last]
            && Arc::ptr_eq(&run.nodes, nodes)
        {
            run.jobs.insert(ns);
            return Some(last);
        }
        if nodes.len() <= LISTED_MAX {
            self.listed.extend(nodes.iter().map(|node| (node, ns)));
            return None;
        }
        let run = Some(Run {
            nodes: Arc::clone(nodes),
            jobs: std::iter::once(ns).collect(),
        });
        let id = if let Some(id) = self.free.pop() {
            self.runs[id] = run;
            id
        } else {
            self.runs.push(run)
        };
        self.last = Some(id);
        Some(id)
    }

    /// A job has ended.
    pub(crate) fn remove(&mut self, ns: NsId, nodes: &NodeSet, run: Option<RunId>) {
        let Some(id) = run else {
            for node in nodes.iter() {
                self.listed.remove(&(node, ns));
            }
            return;
        };
        let Some(run) = &mut self.runs[id] else {
            return;
        };
        run.jobs.remove(ns);
        if run.jobs.is_empty() {
            self.runs[id] = None;
            self.free.push(id);
            if self.last == Some(id) {
                self.last = None;
            }
        }
    }

    /// Jobs listed under one of these nodes.
    pub(crate) fn listed(&self, nodes: &NodeSet, out: &mut Vec<NsId>) {
        if nodes.len() > self.listed.len() as u64 {
            out.extend(
                self.listed
                    .iter()
                    .filter(|row| nodes.contains(row.0))
                    .map(|row| row.1),
            );
            return;
        }
        for node in nodes.iter() {
            let Some((low, high)) = ns_bounds() else {
                return;
            };
            out.extend(
                self.listed
                    .range((node, low)..=(node, high))
                    .map(|row| row.1),
            );
        }
    }

    /// Jobs of every run that uses one of these nodes.
    pub(crate) fn running(&self, nodes: &NodeSet, out: &mut Vec<NsId>) {
        for run in self.runs.values().iter().flatten() {
            if !run.nodes.is_disjoint(nodes) {
                out.extend(run.jobs.iter());
            }
        }
    }

    /// Whether the index has this job as using these nodes: for the judge.
    pub(crate) fn knows(&self, ns: NsId, nodes: &NodeSet, run: Option<RunId>) -> bool {
        match run {
            None => nodes.iter().all(|node| self.listed.contains(&(node, ns))),
            Some(id) => self
                .runs
                .get(id)
                .and_then(Option::as_ref)
                .is_some_and(|run| run.jobs.contains(ns) && *run.nodes == *nodes),
        }
    }

    /// Entries, counted for the judge: pairs listed, and jobs in runs.
    pub(crate) fn entries(&self) -> (u64, u64) {
        (
            self.listed.len() as u64,
            self.runs
                .values()
                .iter()
                .flatten()
                .map(|run| run.jobs.len())
                .sum(),
        )
    }
}

/// The lowest and the highest namespace row there can be.
fn ns_bounds() -> Option<(NsId, NsId)> {
    use crate::id::Id;
    let highest = usize::try_from(u32::MAX - 1).ok()?;
    Some((NsId::from_row(0), NsId::from_row(highest)))
}
