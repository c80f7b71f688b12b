//! The devices that `device=` goes over on a node. `docs/policies.md`, "device=gpu, network, block, NAME".

use crate::cpus::Cpus;
use crate::machine::{Device, Machine, Object};
use stowplan_engine::devices::DeviceClass;
use stowplan_engine::policy::{DeviceMap, Devices, ObjKind};

/// What one process is mapped to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Group {
    /// The first of its devices, with the cpus near all of them.
    pub(crate) object: Object,
    /// Its devices by logical number, in their order.
    pub(crate) devices: Vec<u32>,
}

/// The devices of each process, in the order of the map. Devices that are too few for a process are left out.
pub(crate) fn groups(machine: &Machine, options: DeviceMap) -> Vec<Group> {
    let mut devices = meant(machine, options.of);
    if let Some(level) = options.interleave {
        devices = dealt(machine, level, &devices).unwrap_or(devices);
    }
    let each = usize::from(options.each.count());
    let group = |own: &[Object]| Group {
        object: Object {
            cpus: if each == 1 {
                own[0].cpus.clone()
            } else {
                around(machine, own)
            },
            ..own[0].clone()
        },
        devices: own.iter().map(|device| device.logical).collect(),
    };
    devices.chunks_exact(each).map(group).collect()
}

/// The class of the refusal on a node where there is no group.
pub(crate) fn lacking(machine: &Machine, options: DeviceMap) -> &'static str {
    match options.of {
        _ if !meant(machine, options.of).is_empty() => "not-enough-gpus",
        Devices::Named(_) => "no-such-device",
        Devices::Gpus | Devices::Networks | Devices::Blocks => "device-not-found",
    }
}

/// The names of the network cards of the process whose first device is `first`.
pub(crate) fn cards(machine: &Machine, options: DeviceMap, first: u32) -> Vec<String> {
    if options.of == Devices::Gpus {
        return Vec::new();
    }
    let groups = groups(machine, options);
    let own = groups.iter().find(|group| group.object.logical == first);
    let devices = own.into_iter().flat_map(|group| &group.devices);
    devices
        .map(|&device| &machine.devices[device as usize])
        .filter(|device| device.class == DeviceClass::Network)
        .map(|device| device.name.clone())
        .collect()
}

/// The devices that are meant, in the order of PCI addresses, or of visible numbers.
fn meant(machine: &Machine, of: Devices) -> Vec<Object> {
    let rows = || (0..).zip(&machine.devices);
    let object = |(logical, device): (u32, &Device)| Object {
        kind: ObjKind::Device,
        logical,
        os: None,
        cpus: device.place.clone(),
    };
    let class = match of {
        Devices::Gpus => {
            let mut gpus = machine.objects(ObjKind::Gpu).to_vec();
            gpus.sort_by_key(|gpu| machine.visible[gpu.logical as usize]);
            return gpus;
        }
        Devices::Named(name) => {
            let named = rows().find(|(_, device)| device.name == name.text());
            return named.map(object).into_iter().collect();
        }
        Devices::Networks => DeviceClass::Network,
        Devices::Blocks => DeviceClass::Block,
    };
    let of_class = rows().filter(|(_, device)| device.class == class && device.turn.is_some());
    let mut found: Vec<(u32, &Device)> = of_class.collect();
    found.sort_by_key(|(_, device)| device.turn);
    found.into_iter().map(object).collect()
}

/// One device of each object of the level in turn; `None` if a device is in none of them.
fn dealt(machine: &Machine, level: ObjKind, devices: &[Object]) -> Option<Vec<Object>> {
    let home = |device: &Object| {
        let holds = |object: &Object| !device.cpus.is_empty() && object.cpus.holds(&device.cpus);
        machine.objects(level).iter().position(holds)
    };
    let homes = devices.iter().map(home).collect::<Option<Vec<usize>>>()?;
    // Objects are in the order in which a device is first near them.
    let first = |home: usize| homes.iter().position(|&other| other == home);
    let turn = |at: usize| {
        homes[..at]
            .iter()
            .filter(|&&other| other == homes[at])
            .count()
    };
    let mut order: Vec<usize> = (0..devices.len()).collect();
    order.sort_by_key(|&at| (turn(at), first(homes[at])));
    Some(order.into_iter().map(|at| devices[at].clone()).collect())
}

/// The cpus of the smallest object around some devices: the whole machine where one of them is near no cpu.
fn around(machine: &Machine, devices: &[Object]) -> Cpus {
    let holds = |object: &&Object| {
        devices
            .iter()
            .all(|device| !device.cpus.is_empty() && object.cpus.holds(&device.cpus))
    };
    let kinds = ObjKind::ALL.into_iter();
    let all = kinds.flat_map(|kind| machine.objects(kind)).filter(holds);
    let smallest = all.min_by_key(|object| object.cpus.iter().count());
    smallest.map_or_else(|| machine.cpus.clone(), |object| object.cpus.clone())
}
