//! A topology as it was handed in, from the tables that keep it.

use super::gpus::DraftGpu;
use super::topologies::{DraftObject, ObjectId, Topologies, TopologyDraft, TopologyId};
use crate::policy::ObjKind;
use std::ops::Range;

impl Topologies {
    /// A topology as it was handed in, but for its network cards, which are not kept: what another table takes.
    ///
    /// Cost: linear in its objects.
    #[must_use]
    pub fn draft(&self, topology: TopologyId) -> TopologyDraft {
        let kinds = ObjKind::ALL.into_iter();
        let kinds = kinds.filter(|&kind| kind != ObjKind::Hwthread);
        let objects = kinds.flat_map(|kind| {
            self.objects(topology, kind).map(move |object| DraftObject {
                kind,
                os: self.os(object),
                pus: self.pus_of(object),
            })
        });
        let gpus = self.gpus(topology).iter();
        let gpus = gpus.zip(self.objects(topology, ObjKind::Gpu));
        let gpus = gpus.map(|(gpu, object)| DraftGpu {
            visible: gpu.visible,
            name: gpu.name.clone(),
            family: gpu.family,
            pus: self.pus_of(object),
        });
        TopologyDraft {
            pus_os: self.pus_os(topology).to_vec(),
            objects: objects.collect(),
            devices: self.devices(topology).to_vec(),
            gpus: gpus.collect(),
            latency: self.latency(topology).cloned(),
            ..TopologyDraft::default()
        }
    }

    fn pus_of(&self, object: ObjectId) -> Vec<Range<u32>> {
        let ranges = self.ranges(object).iter();
        ranges.map(|&(first, end)| first..end).collect()
    }
}
