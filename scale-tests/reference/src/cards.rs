//! What the OS devices of a file are: network cards and block devices in the order of PCI addresses, GPUs by the names of one family.

use crate::cpus::Cpus;
use crate::machine::{Device, Machine};
use stowplan_engine::devices::DeviceClass;
use stowplan_engine::policy::ObjKind;

/// Domain, bus, device, function.
pub(crate) type Address = [u32; 4];

/// A device as the file has it.
pub(crate) struct Plugged {
    pub(crate) device: Device,
    /// Whether it is the name that a library for fabrics knows a card by.
    pub(crate) fabric: bool,
    /// The PCI address above it.
    pub(crate) address: Option<Address>,
}

/// Reads `0000:5e:00.0`.
pub(crate) fn address(text: &str) -> Option<Address> {
    let parts = text.split([':', '.']);
    let numbers: Option<Vec<u32>> = parts
        .map(|part| u32::from_str_radix(part, 16).ok())
        .collect();
    numbers?.try_into().ok()
}

/// The class of a device by the number of its type, and whether it is a fabric's name. In dialect 3 types are bits.
pub(crate) fn class(number: Option<u32>, bits: Dialect) -> (DeviceClass, bool) {
    let has = |plain: u32, bit: u32| match bits {
        Dialect::Numbers => number == Some(plain),
        Dialect::Bits => number.is_some_and(|number| number & bit != 0),
    };
    match () {
        () if has(3, 32) => (DeviceClass::Network, true),
        () if has(2, 16) => (DeviceClass::Network, false),
        () if has(0, 1) => (DeviceClass::Block, false),
        () => (DeviceClass::Other, false),
    }
}

/// How a file says what a device is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Numbers,
    Bits,
}

/// Gives each card of a class its place in the order of addresses. Of the names of a card, a fabric's has it, else the first; cards
/// without an address come last, by name.
pub(crate) fn in_order(found: Vec<Plugged>) -> Vec<Device> {
    let speaks = |at: usize| {
        let own = &found[at];
        let same = |other: &&Plugged| {
            other.device.class == own.device.class
                && other.address.is_some()
                && other.address == own.address
        };
        let fabric = found.iter().filter(same).any(|other| other.fabric);
        let mut before = found[..at].iter().filter(same);
        if fabric {
            own.fabric && !before.any(|other| other.fabric)
        } else {
            before.next().is_none()
        }
    };
    let mut turns = vec![None; found.len()];
    for class in [DeviceClass::Network, DeviceClass::Block] {
        let mut own: Vec<usize> = (0..found.len())
            .filter(|&at| found[at].device.class == class && speaks(at))
            .collect();
        own.sort_by_key(|&at| {
            let Plugged {
                device, address, ..
            } = &found[at];
            let name = address.is_none().then_some(&device.name);
            (address.is_none(), *address, name)
        });
        for (turn, at) in (0..).zip(own) {
            turns[at] = Some(turn);
        }
    }
    let devices = found.into_iter().zip(turns);
    devices
        .map(|(plugged, turn)| Device {
            turn,
            ..plugged.device
        })
        .collect()
}

/// The same machine with the GPUs among its devices: those of the first family of names that there is, by their last hwthread, those
/// near fewer cpus first. Tiles of a card are not known here.
pub(crate) fn with_gpus(machine: Machine) -> Machine {
    for family in ["rsmi", "ze", "cuda", "nvml"] {
        let number = |device: &Device| device.name.strip_prefix(family)?.parse::<u32>().ok();
        let named = machine.devices.iter().filter_map(|device| {
            let last = |cpus: &Cpus| {
                let threads = machine.objects(ObjKind::Hwthread).iter();
                threads
                    .rev()
                    .find(|pu| cpus.meets(&pu.cpus))
                    .map(|pu| pu.logical)
            };
            let place = &device.place;
            let at = (last(place), place.iter().count(), number(device)?);
            Some((at, (device.name.clone(), number(device)?, place.clone())))
        });
        let mut found: Vec<_> = named.collect();
        if found.is_empty() {
            continue;
        }
        found.sort_by_key(|(at, _)| *at);
        return machine.with_named_gpus(found.into_iter().map(|(_, gpu)| gpu));
    }
    machine
}
