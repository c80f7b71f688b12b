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
use std::collections::HashMap;

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

/// Nodes whose processes get the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct NodeKind {
    /// The local rank of the first process.
    pub(super) first: u32,
    /// By local rank: where neighbours that get the same end, and their row of the sets.
    pub(super) runs: Vec<(u32, u32)>,
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
        let row = u32::try_from(node.row()).unwrap_or(u32::MAX);
        let at = self.nodes.partition_point(|(nodes, _)| nodes.end() <= row);
        let Some(&(nodes, kind)) = self.nodes.get(at) else {
            return &[];
        };
        let kind = &self.kinds[kind as usize];
        let Some(local) = local_rank
            .checked_sub(kind.first)
            .filter(|_| nodes.first <= row)
        else {
            return &[];
        };
        let at = kind.runs.partition_point(|&(end, _)| end <= local);
        kind.runs
            .get(at)
            .map_or(&[], |&(_, set)| &self.sets[set as usize])
    }

    /// Whether any process is given one.
    #[must_use]
    pub fn any(&self) -> bool {
        self.sets.len() > 1
    }
}

impl Plan {
    /// The GPUs of every process. Cost: the placed runs, and the places of each kind of node; nothing per rank.
    #[must_use]
    pub fn given_gpus(&self) -> GivenGpus {
        let mut dealer = Dealer {
            plan: self,
            given: GivenGpus {
                sets: vec![Vec::new()],
                ..GivenGpus::default()
            },
            sets: HashMap::from([(Vec::new(), 0)]),
            kinds: HashMap::new(),
        };
        dealer.given.lacks.apps = vec![Lack::default(); self.apps.len()];
        dealer.all();
        dealer.given
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
