//! The GPUs and network cards among the OS devices of a file, by their names.

use crate::classes::Plugged;
use stowplan_engine::limit::GPUS_MAX;
use stowplan_engine::table::gpus::{Gpu, GpuFamily};
use stowplan_engine::table::topologies::Device;

/// The GPUs among the OS devices of a file, in logical order. `plugged`: shape `[devices]`.
///
/// Only devices of the first family that the file has are taken, because two libraries show the same GPU under two names. Tiles
/// take the place of their card, and are numbered over the whole node.
pub(crate) fn gpus(devices: &[Device], plugged: &[Plugged]) -> Vec<Gpu> {
    let named = GpuFamily::ALL
        .into_iter()
        .filter(|family| !family.prefix().is_empty());
    for family in named {
        let mut found: Vec<(GpuName, &Device, Plugged)> = devices
            .iter()
            .zip(plugged)
            .filter_map(|(device, &plugged)| {
                Some((GpuName::read(family, &device.name)?, device, plugged))
            })
            .collect();
        if found.is_empty() {
            continue;
        }
        if family == GpuFamily::Ze {
            number_tiles(&mut found);
        }
        // hwloc's order: a device comes after the cpus that it is near, and before devices that are near more of these cpus.
        found.sort_by_key(|&(name, device, plugged)| {
            let last = device.pus.last().map_or(u32::MAX, |range| range.end);
            let near: u32 = device.pus.iter().map(|range| range.end - range.start).sum();
            (last, near, plugged, name)
        });
        return found
            .into_iter()
            .take(GPUS_MAX as usize + 1)
            .map(|(name, device, _)| Gpu {
                visible: name.number,
                name: device.name.clone(),
                family,
                pus: device.pus.clone(),
            })
            .collect();
    }
    Vec::new()
}

/// The numbers in the name of a GPU.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct GpuName {
    number: u32,
    tile: Option<u32>,
}

impl GpuName {
    /// `rsmi4`, `ze0.1`, `opencl0d3`; `None` for every other name.
    fn read(family: GpuFamily, name: &str) -> Option<Self> {
        let rest = name.strip_prefix(family.prefix())?;
        match family {
            GpuFamily::OpenCl => {
                let (platform, device) = rest.split_once('d')?;
                number(platform)?;
                Some(Self {
                    number: number(device)?,
                    tile: None,
                })
            }
            GpuFamily::Ze => {
                let (card, tile) = match rest.split_once('.') {
                    Some((card, tile)) => (card, Some(number(tile)?)),
                    None => (rest, None),
                };
                Some(Self {
                    number: number(card)?,
                    tile,
                })
            }
            GpuFamily::Rsmi | GpuFamily::Cuda | GpuFamily::Nvml => Some(Self {
                number: number(rest)?,
                tile: None,
            }),
            GpuFamily::Stated => None,
        }
    }
}

/// A number of digits alone.
pub(crate) fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

/// Drops cards that have tiles, and numbers the rest consecutively, by card and tile.
fn number_tiles(found: &mut Vec<(GpuName, &Device, Plugged)>) {
    let mut cut: Vec<u32> = found
        .iter()
        .filter(|(name, ..)| name.tile.is_some())
        .map(|(name, ..)| name.number)
        .collect();
    cut.sort_unstable();
    found.retain(|(name, ..)| name.tile.is_some() || cut.binary_search(&name.number).is_err());
    found.sort_by_key(|(name, ..)| *name);
    for (flat, (name, ..)) in (0..).zip(found.iter_mut()) {
        name.number = flat;
    }
}

/// How the names of network cards begin.
const NIC_NAMES: &[&str] = &["hsn", "hsi", "cxi", "mlx5_", "hfi", "ib"];

/// The network cards among the OS devices of a file.
pub(crate) fn nics(devices: &[Device]) -> Vec<Device> {
    let is_nic = |device: &&Device| {
        NIC_NAMES
            .iter()
            .any(|prefix| device.name.starts_with(prefix))
    };
    devices.iter().filter(is_nic).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stowplan_engine::devices::DeviceClass;

    fn device(name: &str, pus: std::ops::Range<u32>) -> Device {
        Device {
            name: name.to_owned(),
            subtype: "-".to_owned(),
            pus: std::iter::once(pus).collect(),
            class: DeviceClass::Other,
            turn: None,
        }
    }

    fn found(devices: &[Device]) -> Vec<(u32, String)> {
        let plugged = vec![Plugged(None); devices.len()];
        let gpus = gpus(devices, &plugged);
        gpus.into_iter()
            .map(|gpu| (gpu.visible, gpu.name))
            .collect()
    }

    #[test]
    fn one_family_is_taken_and_a_display_is_no_gpu() {
        let names = [
            "card0",
            "opencl0d3",
            "nvml1",
            "cuda1",
            "renderD128",
            "cuda0",
        ];
        let devices: Vec<Device> = names.iter().map(|name| device(name, 0..4)).collect();
        let expected = [(0, "cuda0".to_owned()), (1, "cuda1".to_owned())];
        assert_eq!(found(&devices), expected);
        assert_eq!(found(&devices[..2]), [(3, "opencl0d3".to_owned())]);
        assert_eq!(found(&devices[..1]), []);
    }

    #[test]
    fn tiles_stand_in_place_of_their_card() {
        let names = ["ze0", "ze0.1", "ze0.0", "ze1", "ze2", "ze2.0"];
        let devices: Vec<Device> = names.iter().map(|name| device(name, 0..4)).collect();
        let names = found(&devices);
        let expected = [(0, "ze0.0"), (1, "ze0.1"), (2, "ze1"), (3, "ze2.0")];
        assert_eq!(names, expected.map(|(flat, name)| (flat, name.to_owned())));
    }

    #[test]
    fn what_is_near_few_cpus_comes_before_what_is_near_more() {
        let near = [
            device("rsmi0", 0..8),
            device("rsmi1", 4..8),
            device("rsmi2", 0..4),
        ];
        let numbers: Vec<u32> = found(&near).into_iter().map(|(number, _)| number).collect();
        assert_eq!(numbers, [2, 1, 0]);
    }
}
