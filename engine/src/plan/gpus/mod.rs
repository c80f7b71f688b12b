//! Which GPUs each process is given: dealt node by node among those near it, once for each kind of node.
//!
//! What a process gets hangs on the other processes of the job on its node, of all apps. It follows from what the plan
//! holds: the places, the words of the apps and the GPUs of the topologies. So it is worked out when it is asked for, and a
//! plan that nobody asks costs nothing.

// One group's GPUs.
mod deal;
// Which GPUs are near a process.
mod near;
// Node by node.
mod nodes;

use super::{PlacedRun, Plan};
use crate::error::{MapError, Note, PlaceError};
use crate::id::Id as _;
use crate::policy::{GpuShare, MapBy, ObjKind};
use crate::table::apps::{AppId, Policy};
use crate::table::names::{NodeId, NodeRange};
use crate::table::patterns::PatternId;
use crate::table::topologies::TopologyId;
use nodes::Dealer;
use std::sync::Arc;

/// The GPUs of every process of a plan.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GivenGpus {
    /// Distinct sets of visible numbers, ascending. The first is empty.
    pub(super) sets: Vec<Vec<u32>>,
    /// Nodes with processes, ascending, and their row of `kinds`.
    pub(super) nodes: Vec<(NodeRange, u32)>,
    /// Kinds of nodes.
    pub(super) kinds: Vec<NodeKind>,
    /// What could not be had.
    lacks: Lacks,
}

/// Nodes whose processes get the same. Processes stand in stretches, in each of which they get some sets in turn.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct NodeKind {
    /// The local rank of the first process.
    pub(super) first: u32,
    /// Processes before the end of each stretch. Shape `[stretches]`.
    pub(super) ends: Vec<u32>,
    /// How many sets each stretch takes in turn, at least 1. Shape `[stretches]`.
    pub(super) turns: Vec<u32>,
    /// Rows of the sets, stretch by stretch.
    pub(super) rows: Vec<u32>,
    /// Sets before the end of each stretch. Shape `[stretches]`.
    pub(super) row_ends: Vec<u32>,
}

impl NodeKind {
    /// So many processes more get these sets in turn.
    pub(super) fn push(&mut self, count: u32, rows: &[u32]) {
        let end = self.ends.last().map_or(0, |&end| end) + count;
        let same =
            rows.len() == 1 && self.turns.last() == Some(&1) && self.rows.last() == rows.first();
        if let (true, Some(last)) = (same, self.ends.last_mut()) {
            *last = end;
            return;
        }
        self.ends.push(end);
        self.turns.push(super::row(rows.len()));
        self.rows.extend_from_slice(rows);
        self.row_ends.push(super::row(self.rows.len()));
    }

    /// The stretch that a process is in, from it on.
    fn stretch(&self, local_rank: u32) -> Option<(u32, &[u32], u32)> {
        let local = local_rank.checked_sub(self.first)?;
        let at = self.ends.partition_point(|&end| end <= local);
        let (turns, end) = (*self.turns.get(at)?, *self.row_ends.get(at)?);
        let inside = local - at.checked_sub(1).map_or(0, |before| self.ends[before]);
        let rows = self.rows.get((end - turns) as usize..end as usize)?;
        Some((self.ends[at] - local, rows, inside % turns))
    }

    /// The row of the set that a process gets.
    fn row_of(&self, local_rank: u32) -> Option<usize> {
        let (_, rows, turn) = self.stretch(local_rank)?;
        Some(rows[turn as usize] as usize)
    }
}

/// Neighbours on a node that are given some sets in turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turns<'g> {
    /// How many processes, from the one asked for on.
    pub count: u32,
    sets: &'g [Vec<u32>],
    rows: &'g [u32],
    turn: u32,
}

impl<'g> Turns<'g> {
    /// How many sets take turns, at least 1.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// There is always one.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Visible numbers of the GPUs of the process that stands so many behind the one asked for, ascending.
    #[must_use]
    pub fn set(&self, ahead: u32) -> &'g [u32] {
        let at = (u64::from(self.turn) + u64::from(ahead)) % self.rows.len() as u64;
        let row = usize::try_from(at).unwrap_or(0);
        &self.sets[self.rows[row] as usize]
    }
}

/// What could not be had.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Lacks {
    /// Fewer GPUs near than each process shall get: the first.
    few: Option<PlaceError>,
    /// For each app: processes without a GPU on nodes that have some, the first such node, and whether any node has one.
    apps: Vec<Lack>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Lack {
    procs: u64,
    node: Option<u32>,
    some: bool,
}

/// One app on nodes that are alike.
#[derive(Clone, Copy)]
struct Guest<'p> {
    app: AppId,
    run: &'p PlacedRun,
    policy: &'p Policy,
}

/// What makes nodes alike: the topology, and of each app its pattern, processes, kind, words and first local rank.
type Key = (
    TopologyId,
    Vec<(PatternId, u32, Option<ObjKind>, Words, u32)>,
);

/// How an app's processes get GPUs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Words {
    /// The map says it.
    Mapped,
    /// Dealt among those near.
    Dealt(GpuShare),
}

impl Words {
    fn of(policy: &Policy) -> Self {
        let by_gpu = policy.map.object_kind() == Some(ObjKind::Gpu);
        let mapped = by_gpu || matches!(policy.map, MapBy::Mpibind(_));
        match policy.gpus {
            Some(GpuShare::None) => Self::Dealt(GpuShare::None),
            _ if mapped => Self::Mapped,
            other => Self::Dealt(other.unwrap_or(GpuShare::Split)),
        }
    }
}

impl GivenGpus {
    /// Visible numbers of the GPUs of a process, ascending. Cost: two searches.
    #[must_use]
    pub fn of(&self, node: NodeId, local_rank: u32) -> &[u32] {
        let kind = self.kind_of(node).map(|kind| &self.kinds[kind as usize]);
        let row = kind.and_then(|kind| kind.row_of(local_rank));
        row.map_or(&[], |row| &self.sets[row])
    }

    /// The neighbours of a process, itself the first, that are given sets in turn; `None`: no such process. Cost: two searches.
    #[must_use]
    pub fn turns(&self, node: NodeId, local_rank: u32) -> Option<Turns<'_>> {
        let kind = &self.kinds[self.kind_of(node)? as usize];
        let (count, rows, turn) = kind.stretch(local_rank)?;
        Some(Turns {
            count,
            sets: &self.sets,
            rows,
            turn,
        })
    }

    /// Nodes with processes, ascending, and their kind: nodes of one kind are given the same.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (NodeRange, u32)> + '_ {
        self.nodes.iter().copied()
    }

    /// What nodes have in common whose processes, by local rank, are given the same; `None`: there are none on this node.
    #[must_use]
    pub fn kind_of(&self, node: NodeId) -> Option<u32> {
        let row = u32::try_from(node.row()).unwrap_or(u32::MAX);
        let at = self.nodes.partition_point(|(nodes, _)| nodes.end() <= row);
        let (nodes, kind) = self.nodes.get(at)?;
        (nodes.first <= row).then_some(*kind)
    }

    /// Whether any process is given one.
    #[must_use]
    pub fn any(&self) -> bool {
        self.sets.len() > 1
    }
}

impl Plan {
    /// The GPUs of every process. Cost: the placed runs, and the places of each kind of node; nothing per rank. A plan that
    /// was read has them written.
    #[must_use]
    pub fn given_gpus(&self) -> GivenGpus {
        match &self.told {
            Some(told) => GivenGpus::clone(told),
            None => self.dealt_gpus(),
        }
    }

    /// The GPUs of every process, dealt again also where they were read. Cost: as [`Plan::given_gpus`].
    #[must_use]
    pub fn dealt_gpus(&self) -> GivenGpus {
        let mut dealer = Dealer::new(self);
        dealer.all();
        dealer.given
    }

    /// The GPUs of the processes of one node. Cost: the runs of their patterns.
    #[must_use]
    pub fn given_gpus_on(&self, node: NodeId) -> GivenGpus {
        if let Some(told) = &self.told {
            return GivenGpus::clone(told);
        }
        let mut dealer = Dealer::new(self);
        dealer.one(node);
        dealer.given
    }

    /// The same plan with its GPUs written, so that nobody deals them again.
    #[must_use]
    pub fn with_gpus(mut self, given: GivenGpus) -> Self {
        self.told = Some(Arc::new(given));
        self
    }

    /// Whether its nodes have GPUs, or anything was said of them: then its bytes tell them.
    #[must_use]
    pub fn tells_gpus(&self) -> bool {
        let world = &self.world;
        let has = |state| {
            let topology = world.states.get(state).topology;
            world.topologies.count(topology, ObjKind::Gpu) > 0
        };
        let shares = |run: &PlacedRun| {
            let mut segments = self.patterns.get(run.pattern).segments().iter();
            segments.any(|segment| !segment.shares.is_empty())
        };
        self.told.is_some()
            || self
                .table
                .policies
                .values()
                .iter()
                .any(|policy| policy.gpus.is_some())
            || world.before.iter().any(|(_, state)| has(state))
            || self.apps.iter().any(|app| app.runs().iter().any(shares))
    }

    /// Threads that a process shall run, where its map says them (mpibind). Cost: two searches.
    #[must_use]
    pub fn threads_of(&self, place: &super::ProcPlace) -> Option<u32> {
        let app = self.app(place.app);
        let run = &app.runs()[app.run_of(place.node)?];
        let local = place.local_rank.checked_sub(run.own_before)?;
        let share = self.patterns.get(run.pattern).share(local)?;
        Some(share.threads)
    }

    /// Whether GPUs were asked for, by an option or a map.
    #[must_use]
    pub fn asks_for_gpus(&self) -> bool {
        let policies = self.apps.iter().filter_map(super::AppPlan::policy);
        let mut policies = policies.filter_map(|id| self.table.policies.get(id));
        policies.any(asks)
    }

    /// What the GPUs that were asked for come to.
    ///
    /// # Errors
    /// `device-not-found`: an option asks, and no node of the app has a GPU. `not-enough-gpus`: fewer are near than each
    /// process shall get.
    pub(crate) fn judge_gpus(&self, notes: &mut Vec<Note>) -> Result<(), MapError> {
        if !self.asks_for_gpus() {
            return Ok(());
        }
        let given = self.given_gpus();
        for (app, plan) in (0..).zip(&self.apps) {
            let policy = plan.policy().and_then(|id| self.table.policies.get(id));
            let words = policy.and_then(|policy| policy.gpus);
            let asks = words.is_some_and(|words| words != GpuShare::None);
            if let (true, false, Some(run)) =
                (asks, given.lacks.apps[app].some, plan.runs().first())
            {
                let node = self
                    .world
                    .names
                    .name(NodeId::from_row(run.nodes.first as usize));
                let app = super::row(app);
                return Err(PlaceError::DeviceNotFound { app, node }.into());
            }
        }
        if let Some(few) = &given.lacks.few {
            return Err(few.clone().into());
        }
        notes.extend(self.without_gpu(&given, |policy| policy.is_some_and(asks)));
        Ok(())
    }

    /// A note on the processes that no GPU is near, on nodes that have some.
    #[must_use]
    pub fn gpu_note(&self, given: &GivenGpus) -> Option<Note> {
        self.without_gpu(given, |_| true)
    }

    fn without_gpu(
        &self,
        given: &GivenGpus,
        counts: impl Fn(Option<&Policy>) -> bool,
    ) -> Option<Note> {
        let (mut procs, mut first) = (0, None);
        for (plan, lack) in self.apps.iter().zip(&given.lacks.apps) {
            let policy = plan.policy().and_then(|id| self.table.policies.get(id));
            if lack.procs > 0 && counts(policy) {
                procs += lack.procs;
                first = first.or(lack.node);
            }
        }
        let node = self.world.names.name(NodeId::from_row(first? as usize));
        Some(Note::NoNearGpu { procs, node })
    }
}

fn asks(policy: &Policy) -> bool {
    match policy.gpus {
        Some(GpuShare::None) => false,
        Some(_) => true,
        None => Words::of(policy) == Words::Mapped,
    }
}
