//! Why a process is given its GPUs.

use super::{Dealer, Words};
use crate::id::Id as _;
use crate::plan::{Plan, ProcPlace};
use crate::policy::{GpuShare, ObjKind};
use crate::table::names::NodeId;

/// Why a process is given its GPUs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GpuReason {
    /// Its node has none.
    NoGpus,
    /// `--gpus none`.
    None,
    /// It is mapped to this one, by logical number.
    Mapped(u32),
    /// Its map deals them: mpibind.
    Map,
    /// Dealt in a group.
    Dealt {
        /// By these words; `None`: nothing was said, they are split.
        share: Option<GpuShare>,
        /// Visible numbers of the GPUs near it, in logical order.
        near: Vec<u32>,
        /// Processes of the node with the same words and the same GPUs near.
        size: u32,
        /// Its number among these, from 0.
        at: u32,
    },
}

impl Plan {
    /// Why a process is given its GPUs; `None`: the plan knows no policies. Cost: the patterns of its node.
    #[must_use]
    pub fn gpu_reason(&self, place: &ProcPlace) -> Option<GpuReason> {
        let policy = self.app(place.app).policy()?;
        let policy = self.table.policies.get(policy)?;
        let state = self.world.before.state(place.node);
        let topology = self.world.states.get(state).topology;
        if self.world.topologies.count(topology, ObjKind::Gpu) == 0 {
            return Some(GpuReason::NoGpus);
        }
        Some(match (Words::of(policy), place.object) {
            (Words::Dealt(GpuShare::None), _) => GpuReason::None,
            (Words::Mapped, Some((_, gpu))) => GpuReason::Mapped(gpu),
            (Words::Mapped, None) => GpuReason::Map,
            (Words::Dealt(_), _) => {
                let (near, size, at) = Dealer::new(self).group_of(place, topology)?;
                GpuReason::Dealt {
                    share: policy.gpus,
                    near,
                    size,
                    at,
                }
            }
        })
    }
}

impl Dealer<'_> {
    /// The GPUs near a process, by visible number in logical order, how many have the same near, and which of them it is.
    fn group_of(
        &self,
        place: &ProcPlace,
        topology: crate::table::topologies::TopologyId,
    ) -> Option<(Vec<u32>, u32, u32)> {
        let here = self.guests_on(NodeId::from_row(place.node.row()));
        let mut near = super::near::NearGpus::new(self.plan, topology);
        let (runs, groups) = self.gather(&here, &mut near)?;
        let mut local = here.first()?.run.own_before;
        let visible = self.visible(topology);
        for (_, count, got) in runs {
            if let super::deal::GpuGrant::Dealt(share, set, first) = got
                && (local..local + count).contains(&place.local_rank)
            {
                let size = *groups.get(&(share, set))?;
                let gpus = near.sets[set as usize].iter();
                let gpus = gpus.filter_map(|&gpu| visible.get(gpu as usize).copied());
                return Some((gpus.collect(), size, first + (place.local_rank - local)));
            }
            local += count;
        }
        None
    }
}
