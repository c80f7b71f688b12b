//! GPUs and network cards as Linux shows them, without a vendor's library.
//!
//! A card counts as a GPU if a compute driver has it: for NVIDIA in `/proc/driver/nvidia`, for AMD in the list of the KFD, for
//! Intel if the DRM driver has the card and it is not a display. A server's VGA is none of these. Names and numbers are those of
//! the vendors' libraries: `nvml` by PCI address, `rsmi` in the order of the KFD, `ze` by PCI address, with the tiles that the
//! driver shows.

use crate::classes::{self, KnownAs, Plugged};
use crate::files::{Lookup, Names, numbers, ranges};
use crate::os_devices;
use std::collections::BTreeMap;
use std::ops::Range;
use stowplan_engine::table::topologies::{Device, TopologyDraft};

const PCI: &str = "/sys/bus/pci/devices";
const NUMA: &str = "/sys/devices/system/node";
const KFD: &str = "/sys/class/kfd/kfd/topology/nodes";
const NVIDIA: &str = "/proc/driver/nvidia/gpus";
/// The most PCI devices that are looked at.
const DEVICES_MAX: usize = 1 << 16;
/// The folders below a device in which the names of network cards are.
const CARDS: [(&str, KnownAs); 3] = [
    ("net", KnownAs::Network),
    ("infiniband", KnownAs::OpenFabrics),
    ("cxi", KnownAs::Network),
];

/// A PCI device of a class that matters.
struct Pci<'f> {
    file: Lookup<'f>,
    names: Names<'f>,
    base: String,
    /// The address as folders spell it, `0000:c1:00.0`.
    written: String,
    address: u64,
}

impl Pci<'_> {
    fn hex(&self, name: &str) -> u32 {
        let text = (self.file)(&format!("{}/{name}", self.base)).unwrap_or_default();
        let digits = text.trim().trim_start_matches("0x");
        u32::from_str_radix(digits, 16).unwrap_or(0)
    }

    /// The cpus near it, by OS number. Empty if the system does not say.
    fn cpus(&self) -> Vec<u32> {
        let list = |path: String| numbers(&(self.file)(&path)?).filter(|cpus| !cpus.is_empty());
        list(format!("{}/local_cpulist", self.base))
            .or_else(|| {
                let node = (self.file)(&format!("{}/numa_node", self.base))?;
                let node: u32 = node.trim().parse().ok()?;
                list(format!("{NUMA}/node{node}/cpulist"))
            })
            .unwrap_or_default()
    }

    fn has(&self, name: &str) -> bool {
        (self.names)(&self.base).iter().any(|known| known == name)
    }

    /// The tiles that the driver shows, by number. Empty if it shows fewer than two.
    fn tiles(&self) -> Vec<u32> {
        let names = (self.names)(&self.base);
        let tiles = names.iter().filter_map(|name| name.strip_prefix("tile"));
        let mut tiles: Vec<u32> = tiles.filter_map(|tile| tile.parse().ok()).collect();
        tiles.sort_unstable();
        if tiles.len() < 2 {
            tiles.clear();
        }
        tiles
    }
}

/// `0000:c1:00.0` as a number that orders addresses.
fn address(written: &str) -> Option<u64> {
    let parts: Vec<&str> = written.split([':', '.']).collect();
    let [domain, bus, device, function] = parts[..] else {
        return None;
    };
    let part = |text: &str| {
        u64::from_str_radix(text, 16)
            .ok()
            .filter(|&part| part < 1 << 32)
    };
    let small = |text: &str| part(text).filter(|&part| part < 1 << 8);
    Some(part(domain)? << 24 | small(bus)? << 16 | small(device)? << 8 | small(function)?)
}

/// The OS devices that were found, each with the address of its card.
#[derive(Default)]
struct Found {
    devices: Vec<Device>,
    plugged: Vec<Plugged>,
    known: Vec<KnownAs>,
}

impl Found {
    fn add(&mut self, name: String, subtype: &str, near: Vec<Range<u32>>, address: u64) {
        self.add_known(name, subtype, KnownAs::Other, near, address);
    }

    fn add_known(
        &mut self,
        name: String,
        subtype: &str,
        known: KnownAs,
        near: Vec<Range<u32>>,
        address: u64,
    ) {
        self.devices.push(Device {
            name,
            subtype: subtype.to_owned(),
            pus: near,
            class: known.class(),
            turn: None,
        });
        self.known.push(known);
        self.plugged.push(Plugged(Some(address)));
    }
}

/// Gives a topology of all online cpus its devices.
///
/// Cost: the PCI devices, and some files for each GPU and network card.
pub(crate) fn give(file: Lookup<'_>, names: Names<'_>, draft: &mut TopologyDraft) {
    let mut cards: Vec<Pci<'_>> = names(PCI)
        .into_iter()
        .take(DEVICES_MAX)
        .filter_map(|written| {
            Some(Pci {
                file,
                names,
                base: format!("{PCI}/{written}"),
                address: address(&written)?,
                written,
            })
        })
        .collect();
    cards.sort_by_key(|card| card.address);
    let mut places = BTreeMap::new();
    for (place, &os) in (0..).zip(&draft.pus_os) {
        places.insert(os, place);
    }
    let all = u32::try_from(draft.pus_os.len()).unwrap_or(u32::MAX);
    let near = |card: &Pci<'_>| {
        let mut own: Vec<u32> = card
            .cpus()
            .iter()
            .filter_map(|os| places.get(os).copied())
            .collect();
        own.sort_unstable();
        if own.is_empty() {
            own.extend(0..all);
        }
        ranges(&own)
    };
    let mut found = Found::default();
    amd(file, names, &cards, &near, &mut found);
    let (mut nvidia, mut intel) = (0, 0);
    for card in &cards {
        let (class, vendor) = (card.hex("class") >> 8, card.hex("vendor"));
        let driven = || file(&format!("{NVIDIA}/{}/information", card.written)).is_some();
        match (class >> 8, class, vendor) {
            (0x03, _, 0x10de) if driven() => {
                found.add(format!("nvml{nvidia}"), "NVML", near(card), card.address);
                nvidia += 1;
            }
            (_, 0x0380 | 0x0302 | 0x1200, 0x8086) if card.has("drm") => {
                for tile in card.tiles() {
                    found.add(
                        format!("ze{intel}.{tile}"),
                        "LevelZero",
                        near(card),
                        card.address,
                    );
                }
                found.add(format!("ze{intel}"), "LevelZero", near(card), card.address);
                intel += 1;
            }
            (0x02, ..) => {
                for (of, known) in CARDS {
                    for name in names(&format!("{}/{of}", card.base)) {
                        found.add_known(name, "-", known, near(card), card.address);
                    }
                }
            }
            _ => {}
        }
    }
    draft.gpus = os_devices::gpus(&found.devices, &found.plugged);
    draft.nics = os_devices::nics(&found.devices);
    classes::number(&mut found.devices, &found.plugged, &found.known);
    draft.devices = found.devices;
}

/// Finds AMD's GPUs, in the order of the KFD. Each partition of a card is a GPU of its own.
fn amd(
    file: Lookup<'_>,
    names: Names<'_>,
    cards: &[Pci<'_>],
    near: &dyn Fn(&Pci<'_>) -> Vec<Range<u32>>,
    found: &mut Found,
) {
    let mut nodes: Vec<u32> = names(KFD)
        .iter()
        .filter_map(|name| name.parse().ok())
        .collect();
    nodes.sort_unstable();
    let mut number = 0;
    for node in nodes.into_iter().take(DEVICES_MAX) {
        let text = file(&format!("{KFD}/{node}/properties")).unwrap_or_default();
        let value = |key: &str| -> u64 {
            let mut words = text.lines().filter_map(|line| line.split_once(' '));
            let word = words.find(|(known, _)| *known == key);
            word.and_then(|(_, value)| value.trim().parse().ok())
                .unwrap_or(0)
        };
        if value("simd_count") == 0 {
            continue;
        }
        // Bus, device and function as PCI packs them. The function counts the partitions.
        let place = value("location_id") & 0xffff;
        let card = value("domain") << 24 | (place >> 8) << 16 | ((place >> 3) & 31) << 8;
        let with = |function: u64| cards.iter().find(|known| known.address == card | function);
        if let Some(card) = with(place & 7).or_else(|| with(0)) {
            found.add(format!("rsmi{number}"), "RSMI", near(card), card.address);
        }
        number += 1;
    }
}
