//! The GPUs and network cards among the OS devices of a file, by their names.

use crate::classes::Plugged;
use stowplan_engine::limit::GPUS_MAX;
use stowplan_engine::table::gpus::{Gpu, GpuFamily};
use stowplan_engine::table::topologies::Device;
use stowplan_engine::text::digits::number;

/// The GPUs among the OS devices of a file, in logical order. `plugged`: shape `[devices]`.
///
/// Only devices of the first family that the file has are taken, because two libraries show the same GPU under two names. Tiles
/// take the place of their card, and are numbered over the whole node.
pub fn gpus(devices: &[Device], plugged: &[Plugged]) -> Vec<Gpu> {
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
                number::<u32>(platform)?;
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
