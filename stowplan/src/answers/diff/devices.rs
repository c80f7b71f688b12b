//! GPUs and network cards that two plans give their processes.

use crate::answers::gpus::list;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::gpus::GivenGpus;
use stowplan_engine::plan::{Plan, ProcPlace};
use stowplan_engine::table::names::NodeId;

/// The GPUs of two plans that give their processes others.
pub(crate) struct OtherGpus {
    ours: GivenGpus,
    theirs: GivenGpus,
}

impl OtherGpus {
    /// `None` if both give the same. Cost: the kinds of nodes of both.
    pub(crate) fn of(a: &Plan, b: &Plan) -> Option<Self> {
        if !a.tells_gpus() && !b.tells_gpus() {
            return None;
        }
        let (ours, theirs) = (a.given_gpus(), b.given_gpus());
        (ours != theirs).then_some(Self { ours, theirs })
    }

    /// Whether a process that has the same node and local rank in both is given other GPUs. `at`: by the first plan.
    pub(super) fn differ(&self, at: (u32, u32), their_node: u32) -> bool {
        let node = |row: u32| NodeId::from_row(row as usize);
        self.ours.of(node(at.0), at.1) != self.theirs.of(node(their_node), at.1)
    }

    /// The GPUs of a process, in the first plan or in the second.
    pub(crate) fn cells(&self, [here, there]: [Option<ProcPlace>; 2]) -> [String; 2] {
        let cell = |given: &GivenGpus, place: Option<ProcPlace>| {
            place.map_or_else(
                || "-".to_owned(),
                |place| list(given.of(place.node, place.local_rank)),
            )
        };
        [cell(&self.ours, here), cell(&self.theirs, there)]
    }
}

/// The network cards of two plans, one of which maps by them.
pub(super) struct OtherNics<'p> {
    plans: [&'p Plan; 2],
}

impl<'p> OtherNics<'p> {
    /// `None` if neither plan maps by network card.
    pub(super) fn of(a: &'p Plan, b: &'p Plan) -> Option<Self> {
        let any = a.nics().any() || b.nics().any();
        any.then_some(Self { plans: [a, b] })
    }

    /// Whether a rank has other cards. Cost: two searches in each plan.
    pub(super) fn differ(&self, rank: Rank) -> bool {
        let [Some(ours), Some(theirs)] = self.plans.map(|plan| plan.place(rank)) else {
            return false;
        };
        let [a, b] = self.plans;
        a.nics().of(&ours) != b.nics().of(&theirs)
    }

    /// The cards of a rank, in the first plan and in the second.
    pub(super) fn cells(&self, rank: Rank) -> [String; 2] {
        self.plans.map(|plan| {
            let place = plan.place(rank);
            let names = place.map_or_else(Vec::new, |place| plan.nics().of(&place).to_vec());
            match names.is_empty() {
                true => "-".to_owned(),
                false => names.join(","),
            }
        })
    }
}
