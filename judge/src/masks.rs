//! The cpus that a plan names, as the judge reads them: each set once while its nodes follow each other.

use super::bits::Mask;
use stowplan_engine::id::Id as _;
use stowplan_engine::table::cpusets::CpusetId;
use stowplan_engine::table::topologies::TopologyId;

/// Sets by logical PU, as they were met last: one for each remainder of their ids.
#[derive(Default)]
pub(super) struct Masks {
    known: Vec<Option<Known>>,
}

/// A set by logical PU; `None`: a number that the topology lacks.
struct Known(TopologyId, CpusetId, Option<Mask>);

impl Masks {
    /// How many are kept.
    const KEPT: usize = 1024;

    /// A set of a topology: as it was read last, or read now.
    pub(super) fn of(
        &mut self,
        topology: TopologyId,
        id: CpusetId,
        read: impl FnOnce() -> Option<Mask>,
    ) -> Option<Mask> {
        if self.known.is_empty() {
            self.known.resize_with(Self::KEPT, || None);
        }
        let known = &mut self.known[id.row() % Self::KEPT];
        match known {
            Some(Known(of, set, mask)) if (*of, *set) == (topology, id) => mask.clone(),
            Some(_) | None => {
                let mask = read();
                *known = Some(Known(topology, id, mask.clone()));
                mask
            }
        }
    }
}
