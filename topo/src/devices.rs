//! The GPUs and network cards of a topology: documented for a named machine, or stated with `--devices`.

use crate::TopoError;
use stowplan_engine::count::counted;
use stowplan_engine::devices::DeviceClass;
use stowplan_engine::error::spec::WordFault;
use stowplan_engine::limit::GPUS_MAX;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::gpus::{Gpu, GpuFamily};
use stowplan_engine::table::topologies::{Device, DraftObject, TopologyDraft};
use stowplan_engine::text::digits::number;
use stowplan_engine::text::words::{NEAR_OBJECTS, find_word};

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
        Some(pair) => Err(format!("number {} is given twice", pair[0])),
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
