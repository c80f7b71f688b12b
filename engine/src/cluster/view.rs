//! Some nodes of a cluster, as a job sees them.

use super::standing::Standing;
use crate::error::{MapError, PlaceError};
use crate::id::Id as _;
use crate::map::Candidates;
use crate::stage::alloc::build_pool::within_sessions;
use crate::stage::alloc::named::by_number;
use crate::stage::resolve::Resolved;
use crate::table::names::{NameRange, Names, NodeId, NodeRange, cut_around, push_joined};
use crate::table::states::{Runs, StateRuns};
use crate::text::host_types::{HostEntry, HostfileWhat, Hosts};
use std::sync::Arc;

/// Some nodes of a cluster, in the order in which a job sees them.
#[derive(Clone, Debug)]
pub(super) struct View {
    names: Arc<Names>,
    local: Option<NodeId>,
    /// Rows of the cluster, in the order of the view.
    pieces: Vec<NodeRange>,
    /// The first node of each piece in the view. Shape `[pieces]`.
    starts: Vec<u32>,
}

impl View {
    /// The nodes that are up, the launcher's own first.
    pub(super) fn open(
        names: &Arc<Names>,
        local: Option<NodeId>,
        standing: &Runs<Standing>,
    ) -> Self {
        let mut pieces = Vec::new();
        for (range, standing) in standing.iter() {
            if standing == Standing::Up {
                push_joined(&mut pieces, range);
            }
        }
        Self::new(names, local, pieces)
    }

    /// Those that are up and of the candidates, in the order of these.
    pub(super) fn of_candidates(
        names: &Arc<Names>,
        local: Option<NodeId>,
        standing: &Runs<Standing>,
        candidates: &Candidates,
    ) -> Self {
        let mut pieces = Vec::new();
        for range in &candidates.nodes {
            for found in names.find(range).0 {
                let up = standing.within(found);
                let up = up.filter(|&(_, standing)| standing == Standing::Up);
                up.for_each(|(part, _)| push_joined(&mut pieces, part));
            }
        }
        Self::new(names, local, pieces)
    }

    /// These rows of the cluster, that of the launcher's own node first.
    pub(super) fn new(all: &Arc<Names>, local: Option<NodeId>, mut pieces: Vec<NodeRange>) -> Self {
        let local = local.map(|local| local.number());
        let local = local.filter(|&local| pieces.iter().any(|piece| piece.holds(local)));
        if let Some(local) = local {
            let rest = pieces.iter().flat_map(|&piece| cut_around(piece, local));
            let rest = rest.filter(|piece| piece.first != local);
            let mut own = vec![NodeRange::one(local)];
            rest.for_each(|piece| push_joined(&mut own, piece));
            pieces = own;
        }
        let mut next = 0;
        let starts = pieces.iter().map(|piece| {
            let start = next;
            next += piece.count;
            start
        });
        let starts = starts.collect();
        let whole = NodeRange::until(0, all.len());
        let names = match pieces[..] {
            [one] if one == whole => Arc::clone(all),
            _ => Arc::new(named(all, &pieces)),
        };
        Self {
            names,
            local: local.map(|_| NodeId::from_row(0)),
            pieces,
            starts,
        }
    }

    pub(super) const fn names(&self) -> &Arc<Names> {
        &self.names
    }
    /// Rows of the cluster, in the order of the view, and the first node of each piece in the view.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (NodeRange, u32)> + '_ {
        let starts = self.starts.iter().copied();
        self.pieces.iter().copied().zip(starts)
    }
    pub(super) const fn local(&self) -> Option<NodeId> {
        self.local
    }

    /// What the nodes of the cluster have, for those of the view.
    pub(super) fn gather(&self, runs: &StateRuns) -> StateRuns {
        let mut gathered = StateRuns::default();
        for &piece in &self.pieces {
            for (part, state) in runs.within(piece) {
                gathered.push(part.count, state);
            }
        }
        gathered
    }

    /// The rows that some nodes of the view are in the cluster.
    pub(super) fn rows(&self, nodes: NodeRange) -> impl Iterator<Item = NodeRange> + '_ {
        let from = self.starts.partition_point(|&start| start <= nodes.first) - 1;
        let pieces = self.pieces[from..].iter().zip(&self.starts[from..]);
        pieces.map_while(move |(piece, &start)| {
            let here = NodeRange::until(start, start + piece.count).overlap(nodes)?;
            Some(NodeRange {
                first: piece.first + (here.first - start),
                count: here.count,
            })
        })
    }

    /// Checks that there are nodes, that the job names none that is closed, and none outside its sessions.
    pub(super) fn check(
        &self,
        names: &Names,
        standing: &Runs<Standing>,
        resolved: &Resolved,
        candidates: Option<&Candidates>,
    ) -> Result<(), MapError> {
        if let Some(candidates) = candidates {
            within_sessions(resolved, candidates, &self.names)?;
        }
        let closed = |&(_, standing): &(NodeRange, Standing)| standing != Standing::Up;
        let Some((first, why)) = standing.iter().find(closed) else {
            return Ok(());
        };
        for range in named_by(&resolved.hosts) {
            let found = match by_number(names, range) {
                Some(node) => [NodeRange::one(node.number())].as_slice().into(),
                None => names.find(range).0,
            };
            let mut parts = found
                .into_iter()
                .flat_map(|found| standing.within(found).collect::<Vec<_>>());
            if let Some((part, why)) = parts.find(closed) {
                return Err(refused(names, part, why));
            }
        }
        if self.names.is_empty() {
            return Err(refused(names, first, why));
        }
        Ok(())
    }
}

fn refused(names: &Names, part: NodeRange, standing: Standing) -> MapError {
    PlaceError::NodeClosed {
        node: names.name(NodeId::from_row(part.first as usize)),
        why: match standing {
            Standing::Up => "up",
            Standing::Drained => "drained",
            Standing::Down => "down",
        },
    }
    .into()
}

/// The names of some nodes, in their order.
pub(super) fn named(names: &Names, pieces: &[NodeRange]) -> Names {
    let mut all = Names::apart(names.shared_labels());
    for &piece in pieces {
        for range in names.ranges_within(piece) {
            let added = all.add(&range);
            added.expect("there are as many nodes as before");
        }
    }
    all
}

/// The ranges of names that host lists and hostfiles name.
pub(super) fn named_by(hosts: &Hosts) -> impl Iterator<Item = &NameRange> {
    let lists = hosts.lists.values().iter().flatten();
    let listed = lists
        .chain(&hosts.lsf_pool)
        .filter_map(|entry| match entry {
            HostEntry::Names(range, _) => Some(range),
            HostEntry::Nth(_) | HostEntry::Empty(_) => None,
        });
    let lines = hosts.hostfiles.values().iter().flat_map(|file| &file.lines);
    let in_files = lines.filter_map(|line| match &line.what {
        HostfileWhat::Name(range) | HostfileWhat::Ranked(range) => Some(range),
        HostfileWhat::Exclude(_) | HostfileWhat::Nth(_) | HostfileWhat::Empty(_) => None,
    });
    listed.chain(in_files)
}
