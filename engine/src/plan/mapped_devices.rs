//! The devices that processes are mapped to by `device=`: GPUs are dealt in `gpus`, all others follow from the map alone.

use super::{Plan, ProcPlace};
use crate::devices::Devices;
use crate::id::Id as _;
use crate::policy::DeviceMap;
use crate::table::device_order::devices_of;
use crate::table::topologies::TopologyId;

/// How a process is mapped to devices: those of a topology, the map's way over them, and the first of its devices.
pub type OnDevices = (TopologyId, DeviceMap, u32);

impl Plan {
    /// How a process is mapped to devices; `None`: it is not, or the plan knows no policies. Processes for which this is equal
    /// have equal devices. Cost: a search.
    #[must_use]
    pub fn on_devices(&self, place: &ProcPlace) -> Option<OnDevices> {
        let policy = self.apps.get(place.app.row())?.policy()?;
        let options = self.table.policies.get(policy)?.map.devices()?;
        let (_, first) = place.object?;
        let state = self.world.before.state(place.node);
        Some((self.world.states.get(state).topology, options, first))
    }

    /// The names of these devices, in their order. A GPU without a name has its visible number, `gpu0`.
    #[must_use]
    pub fn device_names(&self, (topology, options, first): OnDevices) -> Vec<String> {
        let topologies = &self.world.topologies;
        let own = devices_of(topologies, topology, options, first).into_iter();
        match options.of {
            Devices::Gpus => {
                let gpus = topologies.gpus(topology);
                let own = own.filter_map(|gpu| gpus.get(gpu as usize));
                own.map(|gpu| match gpu.name.is_empty() {
                    true => format!("gpu{}", gpu.visible),
                    false => gpu.name.clone(),
                })
                .collect()
            }
            Devices::Networks | Devices::Blocks | Devices::Named(_) => {
                let names: Vec<&str> = topologies.device_names(topology).collect();
                own.filter_map(|device| Some((*names.get(device as usize)?).to_owned()))
                    .collect()
            }
        }
    }
}
