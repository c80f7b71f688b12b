//! The cpu sets that a plan names, as the judge reads them. A set is read once while the nodes that use it follow each other.

use super::bits::Mask;
use stowplan_engine::id::Id as _;
use stowplan_engine::table::cpusets::CpusetId;
use stowplan_engine::table::topologies::TopologyId;

/// The sets that were read last, by logical PU: one for each remainder of their ids.
#[derive(Default)]
pub(super) struct Masks {
    known: Vec<Option<Known>>,
}

/// A set by logical PU; `None` if the topology lacks one of its OS numbers.
struct Known(TopologyId, CpusetId, Option<Mask>);

impl Masks {
    /// How many are kept.
    const KEPT: usize = 1024;

    /// A set of a topology: the one kept, or else read now.
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
