//! Small machines for generated jobs: regular and irregular ones.

use stowplan_engine::policy::{CpuMode, ObjKind};

/// A machine of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The value of `--topo`: a synthetic string, or a path from the root of the project.
    pub topo: &'static str,
    /// The text of the file, when it is a file.
    pub xml: Option<&'static str>,
    /// GPUs: the kind of object that they are near, and their visible numbers in logical order.
    pub gpus: Stated,
    /// Network cards, `nic0` …: the kind of object that they are near, and their numbers.
    pub nics: Stated,
    /// Block devices, `block0` …, in the same way.
    pub blocks: Stated,
}

/// Devices that are stated: the kind of object that they are near, and their numbers in logical order. `None`: none are.
pub type Stated = Option<(ObjKind, &'static [u32])>;

const fn synthetic(topo: &'static str) -> Entry {
    Entry {
        topo,
        xml: None,
        gpus: None,
        nics: None,
        blocks: None,
    }
}

const fn with_gpus(topo: &'static str, kind: ObjKind, visible: &'static [u32]) -> Entry {
    with_devices(topo, Some((kind, visible)), None, None)
}

const fn with_devices(topo: &'static str, gpus: Stated, nics: Stated, blocks: Stated) -> Entry {
    Entry {
        topo,
        xml: None,
        gpus,
        nics,
        blocks,
    }
}

/// A machine of `cases/machines`.
macro_rules! file {
    ($name:literal) => {
        Entry {
            topo: concat!("cases/machines/", $name, ".xml"),
            xml: Some(include_str!(concat!(
                "../../cases/machines/",
                $name,
                ".xml"
            ))),
            gpus: None,
            nics: None,
            blocks: None,
        }
    };
}

/// The machines, the simplest first.
pub const MACHINES: &[Entry] = &[
    synthetic("package:2 core:4 pu:1"),
    synthetic("package:2 core:2 pu:2"),
    synthetic("pu:1"),
    synthetic("core:3 pu:1"),
    synthetic("package:2 core:1 pu:2"),
    synthetic("package:2 core:4 pu:2"),
    synthetic("package:3 core:4 pu:1"),
    synthetic("package:1 core:4 pu:2"),
    synthetic("package:2 core:1 pu:4"),
    synthetic("package:2 numa:2 l3:1 core:2 pu:2"),
    synthetic("package:2 numa:1 l3:1 l2:2 l1:1 core:1 pu:2(indexes=0,4,1,5,2,6,3,7)"),
    synthetic("numa:2 package:2 l3:1 core:2 pu:2"),
    synthetic("package:1 l3:2 l2:2 l1:2 core:2 pu:2"),
    synthetic("package:2 numa:1 l3:1 pu:6"),
    synthetic("pu:4"),
    synthetic("package:2 l3:2 pu:2"),
    synthetic("package:2 [numa] [numa] core:2 pu:2"),
    synthetic("[numa] package:2 [numa] l3:2 core:2 pu:1"),
    synthetic("package:2 numa:2 l3:2 l2:2 l1:1 core:1 pu:2(indexes=2*16:1*2)"),
    synthetic("package:2 l3:1 l2:1 l1:1 core:2 pu:1"),
    file!("asym-cores"),
    file!("disallowed"),
    file!("hybrid"),
    file!("irregular-l3"),
    file!("memory-without-cpus"),
    file!("memory-of-gpus"),
    file!("package-disallowed"),
    file!("missing-threads"),
    file!("offline"),
    file!("sparse-numbers"),
    file!("everything-disallowed-but-one"),
    file!("memory-disallowed"),
    file!("interleaved-over-packages"),
    with_gpus(
        "package:2 numa:2 l3:1 core:2 pu:1",
        ObjKind::Numa,
        &[3, 2, 1, 0],
    ),
    with_gpus("package:2 core:3 pu:2", ObjKind::Package, &[0, 1, 2, 3]),
    with_gpus("package:1 l3:2 core:3 pu:1", ObjKind::L3, &[5, 1]),
    with_gpus("package:1 core:6 pu:1", ObjKind::Machine, &[2, 7, 4]),
    with_devices(
        "package:2 numa:2 core:2 pu:1",
        Some((ObjKind::Numa, &[2, 3, 0, 1])),
        Some((ObjKind::Package, &[3, 0, 2, 1])),
        Some((ObjKind::Core, &[5, 4, 7, 6, 1, 0, 3, 2])),
    ),
    with_devices(
        "package:2 l3:2 core:2 pu:2",
        None,
        Some((ObjKind::L3, &[1, 0, 5, 4, 2, 3, 7, 6])),
        Some((ObjKind::Machine, &[4, 1])),
    ),
    with_devices(
        "numa:2 package:2 l3:1 core:2 pu:1",
        Some((ObjKind::Package, &[3, 1, 0, 2])),
        Some((ObjKind::Numa, &[1, 0])),
        None,
    ),
    file!("devices"),
    file!("v3-by-hand-devices"),
];

impl Entry {
    /// The text for the readers.
    #[must_use]
    pub fn text(&self) -> &'static str {
        self.xml.unwrap_or(self.topo)
    }
}

impl Entry {
    /// For each word of `--devices` its value, if such devices are stated.
    #[must_use]
    pub fn devices(&self) -> [(&'static str, Option<String>); 3] {
        let value = |stated: Stated| {
            let (kind, numbers) = stated?;
            let kind = if kind == ObjKind::Machine {
                "node"
            } else {
                kind.word()
            };
            let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
            Some(format!("{kind}:{}", numbers.join(",")))
        };
        [
            ("gpu", value(self.gpus)),
            ("nic", value(self.nics)),
            ("block", value(self.blocks)),
        ]
    }
    /// Whether its file names devices. Such a machine is that of all nodes of a job: `--devices` of other nodes would replace them.
    #[must_use]
    pub fn names_devices(&self) -> bool {
        self.xml.is_some_and(|xml| xml.contains("osdev_type"))
    }
    /// What stands behind `device=` for the devices that it has: their classes and names.
    #[must_use]
    pub fn device_words(&self) -> Vec<String> {
        if self.names_devices() {
            let names = ["mlx5_0", "hsn0", "eth0", "cuda0", "nvme0n1"];
            let classes = ["network", "fabric", "openfabrics", "block", "gpu"];
            return classes
                .into_iter()
                .chain(names)
                .map(str::to_owned)
                .collect();
        }
        let mut words = Vec::new();
        for (stated, classes, name) in [
            (self.gpus, &["gpu"][..], None),
            (self.nics, &["network", "nic"], Some("nic")),
            (self.blocks, &["block"], Some("block")),
        ] {
            let Some((_, numbers)) = stated else { continue };
            words.extend(classes.iter().map(|&class| class.to_owned()));
            words.extend(name.map(|name| format!("{name}{}", numbers[0])));
        }
        words
    }
    /// Whether it has devices that processes can be mapped to.
    #[must_use]
    pub fn has_devices(&self) -> bool {
        let stated = [self.gpus, self.nics, self.blocks];
        self.names_devices() || stated.iter().any(Option::is_some)
    }
    /// Whether it has objects of this kind.
    #[must_use]
    pub fn has(&self, kind: ObjKind) -> bool {
        let (described, element) = match kind {
            ObjKind::L1 => ("l1:", "\"L1Cache\""),
            ObjKind::L2 => ("l2:", "\"L2Cache\""),
            ObjKind::L3 => ("l3:", "\"L3Cache\""),
            ObjKind::Package => ("package:", "\"Package\""),
            ObjKind::Core => ("core:", "\"Core\""),
            ObjKind::Machine | ObjKind::Numa | ObjKind::Hwthread => return true,
            ObjKind::Die | ObjKind::L5 | ObjKind::L4 => return false,
            ObjKind::Device => return self.has_devices(),
            ObjKind::Gpu => return self.gpus.is_some(),
        };
        match self.xml {
            Some(xml) => xml.contains(element),
            None => self.topo.contains(described),
        }
    }
}

/// A list of cpus for every node as the engine takes it: `0-3,6`, or with `:HWTCPUS`. `None` when the text is not such a list.
#[must_use]
pub fn cpu_list(text: &str) -> Option<(Vec<(u32, u32)>, CpuMode)> {
    let (numbers, mode) = match text.split_once(':') {
        None => (text, CpuMode::Core),
        Some((numbers, _)) => (numbers, CpuMode::Hwthread),
    };
    let range = |item: &str| {
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        Some((first.parse().ok()?, last.parse().ok()?))
    };
    Some((
        numbers.split(',').map(range).collect::<Option<Vec<_>>>()?,
        mode,
    ))
}
