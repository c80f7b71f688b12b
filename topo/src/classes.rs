//! What OS devices are, and the order in which maps go over those of a class. Source: `lines/prte/spec.md` 2.

use std::collections::BTreeMap;
use stowplan_engine::devices::DeviceClass;
use stowplan_engine::table::topologies::Device;

/// The PCI address above a device, if the file has one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Plugged(pub Option<u64>);

/// What an OS device is known as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KnownAs {
    Block,
    Network,
    /// A network card, as libraries for fabrics name it.
    OpenFabrics,
    Other,
}

impl KnownAs {
    pub const fn class(self) -> DeviceClass {
        match self {
            Self::Block => DeviceClass::Block,
            Self::Network | Self::OpenFabrics => DeviceClass::Network,
            Self::Other => DeviceClass::Other,
        }
    }
}

/// Numbers the devices of each class by PCI address, those without one last, by name. A card with several names has one number,
/// which its OpenFabrics name gets, else its first. `plugged`, `known`: shape `[devices]`.
///
/// Cost: devices, sorted.
pub fn number(devices: &mut [Device], plugged: &[Plugged], known: &[KnownAs]) {
    for class in [DeviceClass::Network, DeviceClass::Block] {
        let of_class = |&at: &usize| devices[at].class == class;
        let own: Vec<usize> = (0..devices.len()).filter(of_class).collect();
        let mut cards: BTreeMap<u64, usize> = BTreeMap::new();
        let mut apart: Vec<usize> = Vec::new();
        for at in own {
            match plugged[at].0 {
                Some(address) => {
                    let named = cards.entry(address).or_insert(at);
                    if (known[at], known[*named]) == (KnownAs::OpenFabrics, KnownAs::Network) {
                        *named = at;
                    }
                }
                None => apart.push(at),
            }
        }
        apart.sort_by(|&a, &b| devices[a].name.cmp(&devices[b].name));
        for (turn, at) in (0..).zip(cards.into_values().chain(apart)) {
            devices[at].turn = Some(turn);
        }
    }
}
