//! One node's hardware: objects as plain structs.

use crate::cpus::Cpus;
use stowplan_engine::devices::DeviceClass;
use stowplan_engine::policy::{CpuMode, ObjKind};

/// One hardware object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// Its kind.
    pub kind: ObjKind,
    /// Its number among its kind, from 0, in tree order.
    pub logical: u32,
    /// The number that the kernel or the firmware gave it.
    pub os: Option<u32>,
    /// Its PUs.
    pub cpus: Cpus,
}

/// A device that has a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Device {
    /// Its name, as `mlx5_0`.
    pub name: String,
    /// The PUs of the nearest object above it that has PUs.
    pub place: Cpus,
    /// What it is.
    pub class: DeviceClass,
    /// Its place in the order of PCI addresses of its class; `None` for a further name of a card.
    pub turn: Option<u32>,
}

/// The latencies between NUMA nodes, when the topology has them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Latencies {
    /// OS numbers of the NUMA nodes, in the order of rows and columns.
    pub nodes_os: Vec<u32>,
    /// One value from each row's node to each column's node.
    pub values: Vec<Vec<u64>>,
}

/// One topology without what may not be used, as `docs/semantics.md` section 1 says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Machine {
    /// All PUs.
    pub cpus: Cpus,
    /// Objects of each kind, by `kind as usize`, in logical order. Of the NUMA nodes, only those that processes can be mapped to.
    objects: [Vec<Object>; 13],
    /// NUMA nodes that share no cpu with an earlier one, in tree order. These are mpibind's domains.
    pub memories: Vec<Cpus>,
    /// Visible numbers of the GPUs, in the GPUs' logical order.
    pub visible: Vec<u32>,
    /// Their names, in the same order; stated GPUs have none.
    pub gpu_names: Vec<String>,
    /// Devices, in file order.
    pub devices: Vec<Device>,
    /// Latencies between NUMA nodes.
    pub latencies: Option<Latencies>,
}

impl Machine {
    /// Makes a machine of these objects: each kind in logical order, with all its NUMA nodes. `None` when there is no PU.
    #[must_use]
    pub fn new(found: Vec<Object>) -> Option<Self> {
        let mut machine = Self::default();
        for object in found {
            machine.objects[object.kind as usize].push(object);
        }
        for list in &mut machine.objects {
            (0..)
                .zip(list)
                .for_each(|(logical, object)| object.logical = logical);
        }
        for pu in &machine.objects[ObjKind::Hwthread as usize] {
            machine.cpus = machine.cpus.or(&pu.cpus);
        }
        machine.keep_disjoint_numa();
        (!machine.cpus.is_empty()).then_some(machine)
    }

    /// NUMA nodes by OS number, up to the first that overlaps an earlier one (section 1, "NUMA").
    fn keep_disjoint_numa(&mut self) {
        for numa in &self.objects[ObjKind::Numa as usize] {
            let meets = |other: &Cpus| other.meets(&numa.cpus);
            if !self.memories.iter().any(meets) {
                self.memories.push(numa.cpus.clone());
            }
        }
        let numas = &mut self.objects[ObjKind::Numa as usize];
        numas.sort_by_key(|numa| (numa.os, numa.logical));
        let mut taken = Cpus::none();
        let overlap = numas.iter().position(|numa| {
            let meets = taken.meets(&numa.cpus);
            taken = taken.or(&numa.cpus);
            meets
        });
        numas.truncate(overlap.unwrap_or(numas.len()));
        numas.sort_by_key(|numa| numa.logical);
    }

    /// The same machine with GPUs of these visible numbers near each object of a kind.
    #[must_use]
    pub fn with_gpus(self, kind: ObjKind, visible: &[u32]) -> Self {
        let near = self.dealt(kind, visible);
        self.with_named_gpus(
            near.into_iter()
                .map(|(cpus, number)| (String::new(), number, cpus)),
        )
    }

    /// The same machine with these GPUs, in logical order: name, visible number, the cpus near it.
    pub(crate) fn with_named_gpus(
        mut self,
        found: impl IntoIterator<Item = (String, u32, Cpus)>,
    ) -> Self {
        for (logical, (name, visible, cpus)) in (0..).zip(found) {
            self.objects[ObjKind::Gpu as usize].push(Object {
                kind: ObjKind::Gpu,
                logical,
                os: None,
                cpus,
            });
            self.visible.push(visible);
            self.gpu_names.push(name);
        }
        self
    }

    /// The same machine with devices of a class, named by a word and these numbers, near each object of a kind. They replace those
    /// of the class.
    #[must_use]
    pub fn with_devices(
        mut self,
        class: DeviceClass,
        word: &str,
        kind: ObjKind,
        numbers: &[u32],
    ) -> Self {
        let near = self.dealt(kind, numbers);
        self.devices.retain(|device| device.class != class);
        self.devices
            .extend(near.into_iter().map(|(place, number)| Device {
                name: format!("{word}{number}"),
                place,
                class,
                turn: Some(number),
            }));
        self
    }

    /// The numbers, dealt over the objects of a kind: the objects in order get equally many each.
    fn dealt(&self, kind: ObjKind, numbers: &[u32]) -> Vec<(Cpus, u32)> {
        let whole = Object {
            kind,
            logical: 0,
            os: None,
            cpus: self.cpus.clone(),
        };
        let places = if kind == ObjKind::Machine {
            vec![whole]
        } else {
            self.objects(kind).to_vec()
        };
        let each = numbers.len() / places.len().max(1);
        let near = places
            .into_iter()
            .flat_map(|place| std::iter::repeat_n(place.cpus, each));
        near.zip(numbers.iter().copied()).collect()
    }

    /// Objects of a kind, in logical order.
    #[must_use]
    pub fn objects(&self, kind: ObjKind) -> &[Object] {
        &self.objects[kind as usize]
    }
    /// Whether an object of a kind has cpus, and all of them among these.
    #[must_use]
    pub fn holds_any(&self, cpus: &Cpus, kind: ObjKind) -> bool {
        let inside = |object: &Object| !object.cpus.is_empty() && cpus.holds(&object.cpus);
        self.objects(kind).iter().any(inside)
    }
    /// Whether there are cores. Without cores, PUs are the cpus (section 3, "cpu mode").
    #[must_use]
    pub fn has_cores(&self) -> bool {
        !self.objects(ObjKind::Core).is_empty()
    }
    /// What the words `core` and `hwthread` mean on this machine.
    #[must_use]
    pub fn meant(&self, kind: ObjKind) -> ObjKind {
        if kind == ObjKind::Core && !self.has_cores() {
            ObjKind::Hwthread
        } else {
            kind
        }
    }
    /// The cpus of a mode, in logical order: cores, or PUs.
    #[must_use]
    pub fn units(&self, mode: CpuMode) -> &[Object] {
        match mode {
            CpuMode::Core => self.objects(self.meant(ObjKind::Core)),
            CpuMode::Hwthread => self.objects(ObjKind::Hwthread),
        }
    }
    /// How many cpus of the mode are completely inside a set.
    #[must_use]
    pub fn count_in(&self, mode: CpuMode, set: &Cpus) -> u64 {
        let inside = |unit: &&Object| set.holds(&unit.cpus);
        self.units(mode).iter().filter(inside).count() as u64
    }
    /// The packages, or the whole machine as one (section 4, "common").
    #[must_use]
    pub fn packages(&self) -> Vec<&Cpus> {
        match self.objects(ObjKind::Package) {
            [] => vec![&self.cpus],
            packages => packages.iter().map(|package| &package.cpus).collect(),
        }
    }
}
