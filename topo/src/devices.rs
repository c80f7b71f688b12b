//! The GPUs and network cards of a topology: found in a file, documented for a named machine, or stated with `--devices`.

use crate::TopoError;
use crate::classes::Plugged;
use stowplan_engine::count::counted;
use stowplan_engine::devices::DeviceClass;
use stowplan_engine::error::spec::WordFault;
use stowplan_engine::limit::GPUS_MAX;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::gpus::{Gpu, GpuFamily};
use stowplan_engine::table::topologies::{Device, DraftObject, TopologyDraft};
use stowplan_engine::text::words::{NEAR_OBJECTS, find_word};

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

fn number(text: &str) -> Option<u32> {
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

/// A kind of devices that can be stated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeviceKind {
    /// GPUs.
    Gpu,
    /// Network cards.
    Nic,
    /// Block devices.
    Block,
}

/// Where stated devices are.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Where {
    /// There are none.
    Nowhere,
    /// Of those that are there, the ones with these visible numbers.
    Only(Vec<u32>),
    /// This many near each object of a kind, numbered consecutively.
    Each(ObjKind, u32),
    /// These numbers, the same count near each object of a kind.
    Listed(ObjKind, Vec<u32>),
}

/// Devices as `--devices` states them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stated {
    kind: DeviceKind,
    near: Where,
    text: String,
}

/// Devices documented for a named machine: the visible numbers near the objects of a kind, in logical order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Documented {
    /// The kind of the objects that they are near.
    pub near: ObjKind,
    /// The visible numbers, in logical order.
    pub visible: &'static [u32],
    /// Their make.
    pub family: GpuFamily,
    /// How many GPUs (tiles) one card shows as.
    pub tiles: u32,
    /// Where this is from.
    pub source: &'static str,
}

/// Reads `[NODES=]KIND=WHERE`. Returns the nodes, if some are named, and the devices that are stated.
///
/// # Errors
/// `bad-devices` when it does not parse, or when a number is listed twice.
/// ```
/// use stowplan_topo::devices::read;
/// assert!(read("gpu=l3:4,5,2,3").is_ok());
/// let (nodes, _) = read("n[0-3]=gpu=numa:2")?;
/// assert_eq!(nodes, Some("n[0-3]"));
/// assert_eq!(read("gpu=l3:4,4").unwrap_err().class(), "bad-devices");
/// # Ok::<(), stowplan_topo::TopoError>(())
/// ```
pub fn read(text: &str) -> Result<(Option<&str>, Stated), TopoError> {
    let refused = |fault: String| TopoError::Devices {
        text: text.to_owned(),
        fault,
    };
    let kind_of = |word: &str| match word {
        "gpu" => Some(DeviceKind::Gpu),
        "nic" => Some(DeviceKind::Nic),
        "block" => Some(DeviceKind::Block),
        _ => None,
    };
    let form = || {
        refused("this is not [NODES=]gpu=WHERE, nic=WHERE or block=WHERE, as gpu=numa:2".to_owned())
    };
    let (first, rest) = text.split_once('=').ok_or_else(form)?;
    let (nodes, kind, place) = match kind_of(first) {
        Some(kind) => (None, kind, rest),
        None => {
            let (word, place) = rest.split_once('=').ok_or_else(form)?;
            let kind = kind_of(word).ok_or_else(form)?;
            (Some(first), kind, place)
        }
    };
    let near = read_where(place).map_err(refused)?;
    if kind != DeviceKind::Gpu && matches!(near, Where::Only(_)) {
        return Err(refused("only: chooses among GPUs".to_owned()));
    }
    let stated = Stated {
        kind,
        near,
        text: text.to_owned(),
    };
    Ok((nodes, stated))
}

fn read_where(text: &str) -> Result<Where, String> {
    if text.eq_ignore_ascii_case("none") {
        return Ok(Where::Nowhere);
    }
    if let Some(list) = text.strip_prefix("only:") {
        let numbers: Option<Vec<u32>> = list.split(',').map(number).collect();
        let refused = || format!("{list:?} is no list of visible numbers, as 2,3");
        return numbers.map(Where::Only).ok_or_else(refused);
    }
    let (word, behind) = match text.split_once(':') {
        Some((word, behind)) => (word, Some(behind)),
        None => (text, None),
    };
    let kind = match find_word(NEAR_OBJECTS, word) {
        Ok(kind) => kind,
        Err(WordFault::Ambiguous { candidates }) => {
            return Err(format!(
                "{word:?} is short for {}",
                candidates.join(" and ")
            ));
        }
        Err(_) => {
            let words: Vec<&str> = NEAR_OBJECTS.iter().map(|word| word.0).collect();
            return Err(format!(
                "{word:?} is no kind of object; there are none {}",
                words.join(" ")
            ));
        }
    };
    let Some(behind) = behind else {
        return Ok(Where::Each(kind, 1));
    };
    let bounded = |text: &str| {
        number(text)
            .filter(|&number| number < GPUS_MAX)
            .ok_or_else(|| format!("{text:?} is no number below {GPUS_MAX}"))
    };
    if !behind.contains(',') {
        return match bounded(behind)? {
            0 => Err("none near each object is written `none`".to_owned()),
            each => Ok(Where::Each(kind, each)),
        };
    }
    let numbers = behind
        .split(',')
        .map(bounded)
        .collect::<Result<Vec<u32>, String>>()?;
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("number {} stands there twice", pair[0])),
        None => Ok(Where::Listed(kind, numbers)),
    }
}

impl Stated {
    /// Whether both state the same devices, in whatever words.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        (self.kind, &self.near) == (other.kind, &other.near)
    }

    /// The visible numbers that `only:LIST` keeps; empty for any other form.
    #[must_use]
    pub fn only(&self) -> &[u32] {
        match &self.near {
            Where::Only(numbers) => numbers,
            Where::Nowhere | Where::Each(..) | Where::Listed(..) => &[],
        }
    }

    /// Replaces the devices of a topology.
    ///
    /// # Errors
    /// `bad-devices` when the node has no object of the kind with a cpu that may be used, when the list cannot be divided evenly
    /// among the objects, or when there would be more than [`GPUS_MAX`] devices.
    ///
    /// Cost: the objects of the topology and the devices.
    pub fn replace(&self, draft: &mut TopologyDraft) -> Result<(), TopoError> {
        let placed = self.placed(draft).map_err(|fault| TopoError::Devices {
            text: self.text.clone(),
            fault,
        })?;
        match self.kind {
            DeviceKind::Gpu => draft.gpus = placed,
            DeviceKind::Nic => {
                draft.nics = put(&mut draft.devices, "nic", DeviceClass::Network, placed);
            }
            DeviceKind::Block => {
                put(&mut draft.devices, "block", DeviceClass::Block, placed);
            }
        }
        Ok(())
    }

    fn placed(&self, draft: &TopologyDraft) -> Result<Vec<Gpu>, String> {
        let (kind, numbers) = match &self.near {
            Where::Nowhere => return Ok(Vec::new()),
            Where::Only(numbers) => {
                let there = draft.gpus.iter();
                let kept = there.filter(|gpu| numbers.contains(&gpu.visible));
                return Ok(kept.cloned().collect());
            }
            Where::Each(kind, _) | Where::Listed(kind, _) => (*kind, &self.near),
        };
        let objects = objects(draft, kind);
        let count = u32::try_from(objects.len()).unwrap_or(u32::MAX);
        let word = kind.word();
        if count == 0 {
            return Err(format!(
                "the node has no {word} with a cpu that may be used"
            ));
        }
        let numbers = match numbers {
            Where::Nowhere | Where::Only(_) => Vec::new(),
            Where::Each(_, each) => {
                let all = u64::from(count) * u64::from(*each);
                let all = u32::try_from(all).ok().filter(|&all| all <= GPUS_MAX);
                let all = all.ok_or_else(|| {
                    format!(
                        "{each} near each of {} are more than {GPUS_MAX}",
                        counted(count, "object")
                    )
                })?;
                (0..all).collect()
            }
            Where::Listed(_, numbers) => numbers.clone(),
        };
        if numbers.len() % objects.len() != 0 {
            return Err(format!(
                "{} cannot be divided evenly among the {count} objects {word} of the node",
                counted(numbers.len() as u64, "number")
            ));
        }
        let name = |_| String::new();
        Ok(deal(&objects, &numbers, GpuFamily::Stated, name))
    }
}

/// Puts stated devices, named `nic0` …, in place of all of their class. Returns them.
fn put(devices: &mut Vec<Device>, word: &str, class: DeviceClass, placed: Vec<Gpu>) -> Vec<Device> {
    let stated = placed.into_iter().map(|device| Device {
        name: format!("{word}{}", device.visible),
        subtype: "-".to_owned(),
        pus: device.pus,
        class,
        turn: Some(device.visible),
    });
    let stated: Vec<Device> = stated.collect();
    devices.retain(|device| device.class != class);
    devices.extend(stated.iter().cloned());
    stated
}

impl Documented {
    /// Gives a topology these GPUs.
    pub(crate) fn give(&self, draft: &mut TopologyDraft) {
        let prefix = self.family.prefix();
        let name = |visible: u32| match self.tiles {
            1 => format!("{prefix}{visible}"),
            tiles => format!("{prefix}{}.{}", visible / tiles, visible % tiles),
        };
        draft.gpus = deal(&objects(draft, self.near), self.visible, self.family, name);
    }
}

/// The objects of a kind that have a PU, in logical order. Of the NUMA nodes, only those to which processes can be mapped
/// (`semantics` 1.1).
fn objects(draft: &TopologyDraft, kind: ObjKind) -> Vec<DraftObject> {
    if kind == ObjKind::Hwthread {
        return (0..)
            .zip(&draft.pus_os)
            .map(|(logical, &os)| DraftObject {
                kind,
                os: Some(os),
                pus: std::iter::once(logical..logical + 1).collect(),
            })
            .collect();
    }
    let of_kind = draft.objects.iter().filter(|object| object.kind == kind);
    let mut objects: Vec<DraftObject> = of_kind
        .filter(|object| !object.pus.is_empty())
        .cloned()
        .collect();
    if kind == ObjKind::Numa {
        // By OS number, up to the first NUMA node that overlaps an earlier one.
        let mut by_os: Vec<usize> = (0..objects.len()).collect();
        by_os.sort_by_key(|&at| objects[at].os);
        let mut taken = vec![false; draft.pus_os.len()];
        let mut kept = vec![false; objects.len()];
        'nodes: for at in by_os {
            for pu in objects[at].pus.iter().cloned().flatten() {
                if taken[pu as usize] {
                    break 'nodes;
                }
            }
            for pu in objects[at].pus.iter().cloned().flatten() {
                taken[pu as usize] = true;
            }
            kept[at] = true;
        }
        let mut kept = kept.into_iter();
        objects.retain(|_| kept.next() == Some(true));
    }
    objects
}

/// Deals the numbers in order, the same count near each object.
fn deal(
    objects: &[DraftObject],
    numbers: &[u32],
    family: GpuFamily,
    name: impl Fn(u32) -> String,
) -> Vec<Gpu> {
    let each = numbers.len() / objects.len().max(1);
    let near = objects
        .iter()
        .flat_map(|object| std::iter::repeat_n(object, each));
    near.zip(numbers)
        .map(|(object, &visible)| Gpu {
            visible,
            name: name(visible),
            family,
            pus: object.pus.clone(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
