//! Why a process is given its GPUs.

use super::near::NearGpus;
use super::nodes::{Dealer, GpuGrant, GpuRun, Words};
use crate::plan::{Plan, ProcPlace};
use crate::policy::GpuShare;

/// Why a process is given its GPUs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GpuReason {
    /// Its node has no GPUs.
    NoGpus,
    /// `--gpus none`.
    None,
    /// It is mapped to this GPU, by logical number.
    Mapped(u32),
    /// Its map deals them: mpibind.
    Map,
    /// Dealt in a group.
    Dealt {
        /// By these words; `None`: nothing was said, so they are split.
        share: Option<GpuShare>,
        /// Visible numbers of the GPUs near it, in logical order.
        near: Vec<u32>,
        /// Processes of the node with the same words and the same GPUs near.
        size: u32,
        /// Its number among these processes, from 0.
        at: u32,
    },
}

impl Plan {
    /// Why a process is given its GPUs; `None`: the plan knows no policies. Cost: the patterns of its node.
    #[must_use]
    pub fn gpu_reason(&self, place: &ProcPlace) -> Option<GpuReason> {
        let policy = self.policy_of(self.app(place.app))?;
        let topology = self.topology_of(place.node);
        if self.world.topologies.gpus(topology).is_empty() {
            return Some(GpuReason::NoGpus);
        }
        Some(
            match (
                Words::on(policy, &self.world.topologies, topology),
                place.object,
            ) {
                (Words::Dealt(GpuShare::None), _) => GpuReason::None,
                (Words::Mapped, Some((_, gpu))) => GpuReason::Mapped(gpu),
                (Words::Named(gpu), _) => GpuReason::Mapped(gpu),
                (Words::Mapped, None) => GpuReason::Map,
                (Words::Dealt(_), _) => {
                    let (near, size, at) = Dealer::new(self).group_of(place)?;
                    GpuReason::Dealt {
                        share: policy.gpus,
                        near,
                        size,
                        at,
                    }
                }
            },
        )
    }
}

impl Dealer<'_> {
    /// The GPUs near a process, by visible number in logical order; the size of its group; and its number in the group.
    fn group_of(&self, place: &ProcPlace) -> Option<(Vec<u32>, u32, u32)> {
        let topology = self.plan.topology_of(place.node);
        let here = self.guests_on(place.node);
        let mut near = NearGpus::new(self.plan, topology);
        let (runs, sizes) = self.gather(&here, &mut near)?;
        let visible = self.visible(topology);
        let mut ahead = place.local_rank.checked_sub(here.first()?.run.own_before)?;
        for GpuRun { count, grant, .. } in runs {
            if ahead < count {
                let GpuGrant::Dealt { group, first } = grant else {
                    return None;
                };
                let gpus = near.sets.keys()[group.1 as usize].iter();
                let gpus = gpus.filter_map(|&gpu| visible.get(gpu as usize).copied());
                return Some((gpus.collect(), sizes[&group], first + ahead));
            }
            ahead -= count;
        }
        None
    }
}
