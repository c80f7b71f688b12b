//! GPUs and network cards as Linux tells of them, without a vendor's library.
//!
//! A GPU is one that a compute driver has: NVIDIA's in `/proc/driver/nvidia`, AMD's in the KFD's list, Intel's where its DRM
//! driver has a card that is no display. A server's VGA is none of these. Names and numbers are those of the vendors' libraries:
//! `nvml` by PCI address, `rsmi` in the order of the KFD, `ze` by PCI address with the tiles that the driver shows.

use crate::devices::{self, Plugged};
use crate::sys::{Lookup, Names, numbers};
use std::collections::BTreeMap;
use std::ops::Range;
use stowplan_engine::table::topologies::{Device, TopologyDraft};

const PCI: &str = "/sys/bus/pci/devices";
const NUMA: &str = "/sys/devices/system/node";
const KFD: &str = "/sys/class/kfd/kfd/topology/nodes";
const NVIDIA: &str = "/proc/driver/nvidia/gpus";
/// PCI devices that are looked at.
const DEVICES_MAX: usize = 1 << 16;
/// Where the names of network cards are, below their device.
const CARDS: [&str; 3] = ["net", "infiniband", "cxi"];

/// A PCI device of a class that matters.
struct Pci<'f> {
    file: Lookup<'f>,
    names: Names<'f>,
    base: String,
    /// As directories have it, `0000:c1:00.0`.
    written: String,
    address: u64,
}

impl Pci<'_> {
    fn hex(&self, name: &str) -> u32 {
        let text = (self.file)(&format!("{}/{name}", self.base)).unwrap_or_default();
        let digits = text.trim().trim_start_matches("0x");
        u32::from_str_radix(digits, 16).unwrap_or(0)
    }

    /// The cpus near it, by OS number; empty where nothing is said.
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

    /// How many tiles the driver shows; none where it shows one or none.
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

/// What was found: OS devices, each with the address of its card.
#[derive(Default)]
struct Found {
    devices: Vec<Device>,
    plugged: Vec<Plugged>,
}

impl Found {
    fn add(&mut self, name: String, subtype: &str, near: Vec<Range<u32>>, address: u64) {
        self.devices.push(Device {
            name,
            subtype: subtype.to_owned(),
            pus: near,
        });
        self.plugged.push(Plugged(Some(address)));
    }
}

/// Gives a topology of all online cpus its devices.
///
/// Cost: the PCI devices, some files for each GPU and network card.
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
        crate::sys::ranges(&own)
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
                for name in CARDS
                    .iter()
                    .flat_map(|of| names(&format!("{}/{of}", card.base)))
                {
                    found.add(name, "-", near(card), card.address);
                }
            }
            _ => {}
        }
    }
    draft.gpus = devices::gpus(&found.devices, &found.plugged);
    draft.nics = devices::nics(&found.devices);
    draft.devices = found.devices;
}

/// AMD's GPUs, in the order of the KFD: partitions of one card are GPUs of their own.
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
        // Bus, device and function as PCI packs them; partitions count in the function.
        let place = value("location_id") & 0xffff;
        let card = value("domain") << 24 | (place >> 8) << 16 | ((place >> 3) & 31) << 8;
        let with = |function: u64| cards.iter().find(|known| known.address == card | function);
        if let Some(card) = with(place & 7).or_else(|| with(0)) {
            found.add(format!("rsmi{number}"), "RSMI", near(card), card.address);
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use crate::sys::parse_with;
    use std::collections::BTreeMap;

    /// A machine of two NUMA nodes with four cpus each, and these files.
    fn read(files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        let mut tree: BTreeMap<String, String> = BTreeMap::new();
        let sys = "/sys/devices/system";
        tree.insert(format!("{sys}/cpu/online"), "0-7\n".to_owned());
        tree.insert(format!("{sys}/node/online"), "0-1\n".to_owned());
        tree.insert(format!("{sys}/node/node0/cpulist"), "0-3\n".to_owned());
        tree.insert(format!("{sys}/node/node1/cpulist"), "4-7\n".to_owned());
        for (path, text) in files {
            tree.insert((*path).to_owned(), format!("{text}\n"));
        }
        let names = |folder: &str| {
            let head = format!("{folder}/");
            let below = tree.keys().filter_map(|path| path.strip_prefix(&head));
            let mut names: Vec<String> = below
                .map(|path| path.split('/').next().unwrap_or_default().to_owned())
                .collect();
            names.dedup();
            names
        };
        let draft = parse_with(&|path| tree.get(path).cloned(), &names).unwrap();
        let gpus = draft.gpus.iter().map(|gpu| {
            let near: Vec<u32> = gpu
                .pus
                .iter()
                .cloned()
                .flatten()
                .map(|at| draft.pus_os[at as usize])
                .collect();
            format!("{} {} {near:?}", gpu.visible, gpu.name)
        });
        let nics = draft.nics.iter().map(|nic| nic.name.clone());
        (gpus.collect(), nics.collect())
    }

    #[test]
    fn nvidia_in_the_order_of_addresses_and_a_display_is_no_gpu() {
        let (gpus, nics) = read(&[
            ("/sys/bus/pci/devices/0000:03:00.0/class", "0x030000"),
            ("/sys/bus/pci/devices/0000:03:00.0/vendor", "0x1a03"),
            ("/sys/bus/pci/devices/0000:c1:00.0/class", "0x030200"),
            ("/sys/bus/pci/devices/0000:c1:00.0/vendor", "0x10de"),
            ("/sys/bus/pci/devices/0000:c1:00.0/local_cpulist", "0-3"),
            ("/proc/driver/nvidia/gpus/0000:c1:00.0/information", "x"),
            ("/sys/bus/pci/devices/0000:41:00.0/class", "0x030200"),
            ("/sys/bus/pci/devices/0000:41:00.0/vendor", "0x10de"),
            ("/sys/bus/pci/devices/0000:41:00.0/numa_node", "1"),
            ("/proc/driver/nvidia/gpus/0000:41:00.0/information", "x"),
            ("/sys/bus/pci/devices/0000:42:00.0/class", "0x020700"),
            ("/sys/bus/pci/devices/0000:42:00.0/local_cpulist", "4-7"),
            ("/sys/bus/pci/devices/0000:42:00.0/infiniband/mlx5_0/x", ""),
            ("/sys/bus/pci/devices/0000:42:00.0/net/eth0/x", ""),
        ]);
        assert_eq!(gpus, ["1 nvml1 [0, 1, 2, 3]", "0 nvml0 [4, 5, 6, 7]"]);
        assert_eq!(nics, ["mlx5_0"]);
    }

    #[test]
    fn amd_in_the_order_of_its_driver_with_partitions() {
        let kfd = "/sys/class/kfd/kfd/topology/nodes";
        let own = |node: u32| format!("{kfd}/{node}/properties");
        let node = [own(0), own(1), own(2), own(10)];
        let (gpus, _) = read(&[
            (&node[0], "cpu_cores_count 8\nsimd_count 0"),
            (&node[1], "simd_count 440\nlocation_id 49408\ndomain 0"),
            (&node[2], "simd_count 440\nlocation_id 49409\ndomain 0"),
            (&node[3], "simd_count 440\nlocation_id 256\ndomain 0"),
            ("/sys/bus/pci/devices/0000:c1:00.0/local_cpulist", "4-7"),
            ("/sys/bus/pci/devices/0000:01:00.0/local_cpulist", "0-3"),
        ]);
        let expected = [
            "2 rsmi2 [0, 1, 2, 3]",
            "0 rsmi0 [4, 5, 6, 7]",
            "1 rsmi1 [4, 5, 6, 7]",
        ];
        assert_eq!(gpus, expected);
    }

    #[test]
    fn intel_by_tiles_and_what_is_near_nothing_is_near_all() {
        let card = "/sys/bus/pci/devices/0000:18:00.0";
        let file = |name: &str| format!("{card}/{name}");
        let (class, vendor, drm) = (file("class"), file("vendor"), file("drm/card0/dev"));
        let (one, two) = (file("tile0/x"), file("tile1/x"));
        let files = [
            (class.as_str(), "0x038000"),
            (vendor.as_str(), "0x8086"),
            (drm.as_str(), "226:0"),
            (one.as_str(), ""),
            (two.as_str(), ""),
        ];
        let (gpus, _) = read(&files);
        let all = "[0, 1, 2, 3, 4, 5, 6, 7]";
        assert_eq!(gpus, [format!("0 ze0.0 {all}"), format!("1 ze0.1 {all}")]);
        assert_eq!(read(&files[..3]).0, [format!("0 ze0 {all}")]);
        assert_eq!(read(&files[..2]).0, [""; 0]);
    }
}
