//! Who uses a node: found without looking at every job.
//!
//! Jobs that use the same set of nodes form a *run*. The whole default session as it was at a time is one such set
//! ([`super::times`] finds its runs), a whole reservation is another. A job that chose its nodes is listed under each of
//! them, which costs no more than reading their names did.

use super::ids::{NodeId, NodeSet, NsId, NsSet, RunId};
use std::collections::BTreeSet;
use std::sync::Arc;
use stowplan_engine::id::{Column, Id as _};

/// A job that chose up to this many nodes is listed under each of them.
pub(crate) const LISTED_MAX: u64 = 4096;

/// Which nodes the jobs of a run use.
#[derive(Clone)]
pub(crate) enum Extent {
    /// All nodes of the default session that were up at this time.
    Session(u64),
    /// These nodes. To find the users of a node, each such run is asked.
    Shared(Arc<NodeSet>),
    /// These nodes. The run has one job, which is listed under each of them.
    Listed(Arc<NodeSet>),
}

#[derive(Clone)]
struct Run {
    extent: Extent,
    jobs: NsSet,
}

/// The index of users.
#[derive(Clone, Default)]
pub(crate) struct Users {
    listed: BTreeSet<(NodeId, NsId)>,
    runs: Column<RunId, Option<Run>>,
    /// Runs of shared sets.
    shared: BTreeSet<RunId>,
    free: Vec<RunId>,
}

impl Users {
    /// A job begins a run.
    pub(crate) fn open(&mut self, ns: NsId, extent: Extent) -> RunId {
        if let Extent::Listed(nodes) = &extent {
            self.listed.extend(nodes.iter().map(|node| (node, ns)));
        }
        let is_shared = matches!(extent, Extent::Shared(_));
        let mut jobs = NsSet::new();
        jobs.insert(ns);
        let run = Some(Run { extent, jobs });
        let id = if let Some(id) = self.free.pop() {
            self.runs[id] = run;
            id
        } else {
            self.runs.push(run)
        };
        if is_shared {
            self.shared.insert(id);
        }
        id
    }
    /// A job joins the run of jobs that use the same nodes.
    pub(crate) fn join(&mut self, ns: NsId, run: RunId) {
        if let Some(run) = &mut self.runs[run] {
            run.jobs.insert(ns);
        }
    }
    /// Whether jobs of a run share this very set.
    pub(crate) fn share(&self, run: RunId, nodes: &Arc<NodeSet>) -> bool {
        match self.extent(run) {
            Some(Extent::Shared(set)) => Arc::ptr_eq(set, nodes),
            Some(Extent::Session(_) | Extent::Listed(_)) | None => false,
        }
    }
    /// A job has ended. Gives the time of the default session that no job uses any more, if there is one.
    pub(crate) fn leave(&mut self, ns: NsId, id: RunId) -> Option<u64> {
        let run = self.runs[id].as_mut()?;
        run.jobs.remove(ns);
        if !run.jobs.is_empty() {
            return None;
        }
        self.free.push(id);
        match self.runs[id].take()?.extent {
            Extent::Session(time) => Some(time),
            Extent::Shared(_) => {
                self.shared.remove(&id);
                None
            }
            Extent::Listed(nodes) => {
                for node in nodes.iter() {
                    self.listed.remove(&(node, ns));
                }
                None
            }
        }
    }
    /// The nodes that the jobs of a run use.
    pub(crate) fn extent(&self, run: RunId) -> Option<&Extent> {
        self.runs.get(run)?.as_ref().map(|run| &run.extent)
    }
    /// The jobs of a run.
    pub(crate) fn jobs(&self, run: RunId) -> impl Iterator<Item = NsId> + '_ {
        self.runs[run].iter().flat_map(|run| run.jobs.iter())
    }
    /// Jobs listed under one of these nodes.
    pub(crate) fn listed(&self, nodes: &NodeSet, out: &mut Vec<NsId>) {
        if self.listed.is_empty() {
            return;
        }
        if nodes.len() > self.listed.len() as u64 {
            let named = self.listed.iter().filter(|row| nodes.contains(row.0));
            out.extend(named.map(|row| row.1));
            return;
        }
        let highest = usize::try_from(u32::MAX - 1).expect("32 bits fit an index");
        let (low, high) = (NsId::from_row(0), NsId::from_row(highest));
        for node in nodes.iter() {
            let here = self.listed.range((node, low)..=(node, high));
            out.extend(here.map(|row| row.1));
        }
    }
    /// Jobs of every run of a shared set that has one of these nodes.
    pub(crate) fn sharing(&self, nodes: &NodeSet, out: &mut Vec<NsId>) {
        for &id in &self.shared {
            if let Some(Extent::Shared(set)) = self.extent(id)
                && !set.is_disjoint(nodes)
            {
                out.extend(self.jobs(id));
            }
        }
    }
    /// All runs, for the judge: their jobs and the nodes they use.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (RunId, &NsSet, &Extent)> + '_ {
        self.runs
            .iter()
            .filter_map(|(id, run)| run.as_ref().map(|run| (id, &run.jobs, &run.extent)))
    }
    /// Who is listed under which node, and the runs of shared sets, for the judge.
    pub(crate) fn indexed(&self) -> (&BTreeSet<(NodeId, NsId)>, &BTreeSet<RunId>) {
        (&self.listed, &self.shared)
    }
}
