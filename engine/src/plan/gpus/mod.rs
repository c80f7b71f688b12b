//! Which GPUs each process is given. The GPUs near processes are dealt node by node, once for each kind of node.
//!
//! The GPUs of a process depend on the other processes of the job on its node, of all apps. They follow from data that the plan
//! holds: the places, the words of the apps and the GPUs of the topologies. So GPUs are dealt when somebody asks for them, and
//! a plan that nobody asks costs nothing.

// Deals GPUs within one group.
mod deal;
// The result.
pub(crate) mod given;
// Which GPUs are near a process.
mod near;
// Deals GPUs node by node.
mod nodes;
// Why a process is given its GPUs.
mod reason;

pub use reason::GpuReason;

use super::placed::PlacedRun;
use super::{AppPlan, Plan};
use crate::error::{MapError, Note, PlaceError};
use crate::id::Id as _;
use crate::policy::{Devices, GpuShare};
use crate::table::apps::Policy;
use crate::table::gpus::GpuFamily;
use crate::table::names::NodeId;
use crate::table::topologies::TopologyId;
pub use given::{GivenGpus, Turns};
use nodes::{Dealer, Words};
use std::sync::Arc;

impl Plan {
    /// The GPUs of every process. Cost: the placed runs, and the places of each kind of node; nothing per rank. A plan that was
    /// read with its GPUs has them already.
    #[must_use]
    pub fn given_gpus(&self) -> GivenGpus {
        match &self.told {
            Some(told) => GivenGpus::clone(told),
            None => self.dealt_gpus(),
        }
    }

    /// The GPUs of every process, dealt again even if the plan has them already. Cost: as [`Plan::given_gpus`].
    #[must_use]
    pub fn dealt_gpus(&self) -> GivenGpus {
        let mut dealer = Dealer::new(self);
        dealer.all();
        dealer.given()
    }

    /// The GPUs of the processes of one node. Cost: the runs of their patterns.
    #[must_use]
    pub fn given_gpus_on(&self, node: NodeId) -> GivenGpus {
        if let Some(told) = &self.told {
            return GivenGpus::clone(told);
        }
        let mut dealer = Dealer::new(self);
        dealer.one(node);
        dealer.given()
    }

    /// The same plan with these GPUs kept in it, so that nobody deals them again.
    #[must_use]
    pub fn with_gpus(mut self, given: GivenGpus) -> Self {
        self.told = Some(Arc::new(given));
        self
    }

    /// Whether its nodes have GPUs, or anything was said of GPUs. Then the bytes of the plan have GPUs.
    #[must_use]
    pub fn tells_gpus(&self) -> bool {
        let world = &self.world;
        let has = |state| {
            let topology = world.states.get(state).topology;
            !world.topologies.gpus(topology).is_empty()
        };
        let shares = |run: &PlacedRun| {
            let mut segments = self.patterns.get(run.pattern).segments().iter();
            segments.any(|segment| !segment.shares.is_empty())
        };
        let mut policies = self.table.policies.values().iter();
        self.told.is_some()
            || policies.any(|policy| policy.gpus.is_some())
            || world.before.iter().any(|(_, state)| has(state))
            || self.apps.iter().any(|app| app.runs().iter().any(shares))
    }

    /// How many threads a process shall run, if its map says so (mpibind). Cost: two searches.
    #[must_use]
    pub fn threads_of(&self, place: &super::ProcPlace) -> Option<u32> {
        let app = self.app(place.app);
        let run = &app.runs()[app.run_of(place.node)?];
        let local = place.local_rank.checked_sub(run.own_before)?;
        let share = self.patterns.get(run.pattern).share(local)?;
        Some(share.threads).filter(|&threads| threads > 0)
    }

    /// Whether GPUs were asked for, by an option or a map.
    #[must_use]
    pub fn asks_for_gpus(&self) -> bool {
        let mut policies = self.apps.iter().filter_map(|app| self.policy_of(app));
        policies.any(|policy| asks(policy) || self.names_gpu(policy))
    }

    /// Whether a policy maps to a GPU by its name. Cost: for a name, the GPUs of the topologies.
    fn names_gpu(&self, policy: &Policy) -> bool {
        let Some(Devices::Named(name)) = policy.map.devices().map(|options| options.of) else {
            return false;
        };
        let topologies = &self.world.topologies;
        let known = |topology| {
            let mut gpus = topologies.gpus(topology).iter();
            gpus.any(|gpu| gpu.name == name.text())
        };
        policy.gpus.is_none() && topologies.ids().any(known)
    }

    /// The policy of an app; `None`: it is a hole, or the plan knows no policies.
    fn policy_of(&self, app: &AppPlan) -> Option<&Policy> {
        self.table.policies.get(app.policy()?)
    }

    /// The topology of a node.
    fn topology_of(&self, node: NodeId) -> TopologyId {
        let state = self.world.before.state(node);
        self.world.states.get(state).topology
    }

    /// GPUs of another make than those that count, on the first node that has some (`docs/gpus.md`: one make a node).
    fn other_makes(&self) -> Option<Note> {
        let world = &self.world;
        world.before.iter().find_map(|(nodes, state)| {
            let topology = world.states.get(state).topology;
            let counted = world.topologies.gpus(topology).first()?.family.make()?;
            let others = world.topologies.devices(topology).iter().filter_map(|device| {
                let family = GpuFamily::of_name(&device.name)?;
                family.make().filter(|make| *make != counted).map(|make| (make, &device.name))
            });
            let others: Vec<_> = others.collect();
            let (make, first) = *others.first()?;
            let node = world.names.name(NodeId::from_row(nodes.first as usize));
            Some(Note::OfLine {
                class: "gpus-left-out",
                text: format!(
                    "{node} has GPUs of two makes: those of {counted} count, {first} and the others of {make} are left out"
                ),
            })
        })
    }

    /// Checks the GPUs that were asked for, and adds the notes about them.
    ///
    /// # Errors
    /// `device-not-found`: an option asks for GPUs, and no node of the app has one. `not-enough-gpus`: fewer GPUs are near than
    /// each process shall get.
    pub(crate) fn check_gpus(&self, notes: &mut Vec<Note>) -> Result<(), MapError> {
        if !self.asks_for_gpus() {
            return Ok(());
        }
        notes.extend(self.other_makes());
        let given = self.given_gpus();
        for ((app, plan), lack) in (0..).zip(&self.apps).zip(&given.lacks.apps) {
            let words = self.policy_of(plan).and_then(|policy| policy.gpus);
            let asks = words.is_some_and(|words| words != GpuShare::None);
            if let (true, false, Some(run)) = (asks, lack.some, plan.runs().first()) {
                let node = NodeId::from_row(run.nodes.first as usize);
                let node = self.world.names.name(node);
                let of = Devices::Gpus;
                return Err(PlaceError::DeviceNotFound { app, of, node }.into());
            }
        }
        if let Some(few) = &given.lacks.few {
            return Err(few.clone().into());
        }
        notes.extend(self.without_gpu(&given, |policy| policy.is_some_and(asks)));
        Ok(())
    }

    /// A note on the processes that have no GPU near, on nodes that have GPUs.
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
            if lack.procs > 0 && counts(self.policy_of(plan)) {
                procs += lack.procs;
                first = first.or(lack.node);
            }
        }
        let node = self.world.names.name(NodeId::from_row(first? as usize));
        Some(Note::NoNearGpu { procs, node })
    }
}

fn asks(policy: &Policy) -> bool {
    gpus_of_each(policy).is_some()
}

/// How many GPUs a policy asks for, for each process; `None`: it asks for none.
pub(crate) fn gpus_of_each(policy: &Policy) -> Option<u32> {
    match policy.gpus {
        Some(GpuShare::None) => None,
        Some(GpuShare::PerRank(each)) => Some(each.into()),
        Some(GpuShare::Split | GpuShare::Share) => Some(1),
        None => (Words::of(policy) == Words::Mapped).then_some(1),
    }
}
