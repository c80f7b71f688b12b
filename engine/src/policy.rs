//! The policies of a job as enums: kinds of hardware objects, mapping, ranking, binding.

pub use crate::devices::{DeviceName, Devices, DevicesEach, Sharing};
use serde::{Deserialize, Serialize};

/// A kind of hardware object, from the whole machine down. Source: `semantics` 1.1.
///
/// ```
/// use stowplan_engine::policy::ObjKind;
/// assert_eq!(ObjKind::L3.to_string(), "l3cache");
/// assert!(ObjKind::Package < ObjKind::Core, "a package is further up");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub enum ObjKind {
    /// The whole node.
    Machine,
    /// A physical package (socket).
    Package,
    /// A die inside a package.
    Die,
    /// A NUMA node.
    Numa,
    /// A level 5 cache.
    L5,
    /// A level 4 cache.
    L4,
    /// A level 3 cache.
    L3,
    /// A level 2 cache.
    L2,
    /// A level 1 data or unified cache.
    L1,
    /// A core.
    Core,
    /// A hardware thread: one PU.
    Hwthread,
    /// A GPU, with the PUs near it. It is not part of the tree: two GPUs may have the same PUs.
    Gpu,
    /// A device that has a name, with the PUs near it: a network card, a block device, also a GPU. It is not part of the tree.
    Device,
}

impl ObjKind {
    /// The kinds of the tree, in the order of listings. GPUs and other devices are not part of the tree.
    pub const ALL: [Self; 11] = [
        Self::Machine,
        Self::Package,
        Self::Die,
        Self::Numa,
        Self::L5,
        Self::L4,
        Self::L3,
        Self::L2,
        Self::L1,
        Self::Core,
        Self::Hwthread,
    ];

    /// The word that listings and the `object` column use.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Package => "package",
            Self::Die => "die",
            Self::Numa => "numa",
            Self::L5 => "l5cache",
            Self::L4 => "l4cache",
            Self::L3 => "l3cache",
            Self::L2 => "l2cache",
            Self::L1 => "l1cache",
            Self::Core => "core",
            Self::Hwthread => "hwthread",
            Self::Gpu => "gpu",
            Self::Device => "device",
        }
    }

    /// Whether it is a device: beside the tree, and near the same PUs as others may be.
    #[must_use]
    pub const fn is_device(self) -> bool {
        matches!(self, Self::Gpu | Self::Device)
    }

    /// The kind with this number, as saved plans hold it.
    #[must_use]
    pub(crate) fn of_number(number: u32) -> Option<Self> {
        let mut kinds = Self::ALL.into_iter().chain([Self::Gpu, Self::Device]);
        kinds.find(|kind| *kind as u32 == number)
    }

    /// Position in `none < package < numa < l3cache < l2cache < l1cache < core < hwthread` (`semantics` 2.5).
    #[must_use]
    pub const fn height(self) -> u8 {
        self as u8
    }
}

impl std::fmt::Display for ObjKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

/// Where the processes of an app go. Source: `semantics` 4.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum MapBy {
    /// Fill each node's slots before the next node.
    Slot,
    /// Round-robin over nodes.
    Node,
    /// Round-robin over the objects of a kind. On a topology without cores, `Core` means hwthread.
    Object(ObjKind),
    /// `N` processes on each object of a kind.
    Ppr {
        /// Processes per object, at least 1.
        per: u32,
        /// The object.
        on: PprObject,
    },
    /// One process per entry of a sequence.
    Seq,
    /// One process per entry of a rankfile.
    Rankfile,
    /// One process per listed cpu.
    PeList,
    /// As by NUMA node, with the NUMA nodes ordered by distance to a device (`per-app` 9.2).
    Dist,
    /// One process per line of LSF's affinity file (`per-app` 9.1).
    Lsf,
    /// Processes are dealt over NUMA nodes, then over the objects inside, with threads and GPUs: the rule of LLNL's
    /// mpibind.
    Mpibind(Mpibind),
    /// One process on each device of a class, in the order of PCI addresses, or near one of them: PRRTE's `device=`.
    Device(DeviceMap),
    /// Somebody else decided: each process has the node and the cpus that were given (`given`). No word asks for it.
    Given,
}

/// The options of `--map-by mpibind`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Mpibind {
    /// `threads=T`: threads per process.
    pub threads: Option<u16>,
    /// `smt=S`: hwthreads per core.
    pub smt: Option<u16>,
    /// `greedy=0`: when there are fewer processes than NUMA nodes, they do not take the whole node.
    pub greedy: Wanted,
    /// `gpu=0`: GPUs do not decide where processes go.
    pub gpu: Wanted,
}

/// The value and the options of `--map-by device=`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct DeviceMap {
    /// Which devices.
    pub of: Devices,
    /// `shared`: more processes than devices go round again.
    pub sharing: Sharing,
    /// `interleave[=LEVEL]`: consecutive processes near different objects of this kind.
    pub interleave: Option<ObjKind>,
    /// `ndev=N`: so many devices for each process.
    pub each: DevicesEach,
}

/// Whether a default behavior is on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Wanted {
    /// `1`, the default.
    #[default]
    Yes,
    /// `0`
    No,
}

/// How processes get the GPUs near them, when the map policy does not decide it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum GpuShare {
    /// `split`: dealt out, so that no process has two while another has none.
    Split,
    /// `share`: each process gets all of them.
    Share,
    /// `none`
    None,
    /// `--gpus-per-rank K`, at least 1.
    PerRank(u16),
}

impl GpuShare {
    /// Reads the text of an attribute: a word, or a number of GPUs per process. `None` when it is neither.
    #[must_use]
    pub fn of_text(text: &str) -> Option<Self> {
        match text {
            "split" => Some(Self::Split),
            "share" => Some(Self::Share),
            "none" => Some(Self::None),
            digits => {
                let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
                let count = digits.parse().ok().filter(|&count| plain && count > 0);
                count.map(Self::PerRank)
            }
        }
    }
}

impl DeviceMap {
    /// One process on each of these devices.
    #[must_use]
    pub const fn on(of: Devices) -> Self {
        Self {
            of,
            sharing: Sharing::One,
            interleave: None,
            each: DevicesEach::ONE,
        }
    }

    /// The kind of the objects that it goes over.
    #[must_use]
    pub const fn kind(self) -> ObjKind {
        match self.of {
            Devices::Gpus => ObjKind::Gpu,
            Devices::Networks | Devices::Blocks | Devices::Named(_) => ObjKind::Device,
        }
    }
}

impl MapBy {
    /// `ppr` as the word alone: its pattern is a separate attribute.
    pub const PPR: Self = Self::Ppr {
        per: 1,
        on: PprObject::Node,
    };
    /// `mpibind` as the word alone, with its defaults.
    pub const MPIBIND: Self = Self::Mpibind(Mpibind {
        threads: None,
        smt: None,
        greedy: Wanted::Yes,
        gpu: Wanted::Yes,
    });

    /// `device=gpu` with its defaults.
    pub const DEVICE: Self = Self::Device(DeviceMap::on(Devices::Gpus));

    /// The policy as its word alone, without the values behind the word.
    #[must_use]
    pub(crate) fn bare(self) -> Self {
        if let Self::Ppr { .. } = self {
            Self::PPR
        } else if let Self::Mpibind(_) = self {
            Self::MPIBIND
        } else if let Self::Device(_) = self {
            Self::DEVICE
        } else {
            self
        }
    }

    /// Whether an app without `-n` gets as many processes as the mapper finds places (`semantics` 3.6).
    #[must_use]
    pub(crate) const fn counts_itself(self) -> bool {
        matches!(self, Self::Ppr { .. }) || self.is_listed()
    }

    /// Whether each process comes from an entry of a file.
    #[must_use]
    pub const fn is_listed(self) -> bool {
        matches!(self, Self::Seq | Self::Rankfile | Self::Lsf)
    }

    /// The kind of objects that it maps to; `None` if it maps to no objects.
    #[must_use]
    pub const fn object_kind(self) -> Option<ObjKind> {
        if let Self::Object(kind)
        | Self::Ppr {
            on: PprObject::Kind(kind),
            ..
        } = self
        {
            Some(kind)
        } else if matches!(self, Self::Dist) {
            Some(ObjKind::Numa)
        } else if let Some(devices) = self.devices() {
            Some(devices.kind())
        } else {
            None
        }
    }

    /// Whether each object takes one process alone: `device=` without `shared`.
    #[must_use]
    pub const fn one_each(self) -> bool {
        matches!(self, Self::Device(options) if matches!(options.sharing, Sharing::One))
    }

    /// How it goes over devices; `None`: it does not, or in logical order.
    #[must_use]
    pub const fn devices(self) -> Option<DeviceMap> {
        match self {
            Self::Device(options) => Some(options),
            Self::Ppr {
                on: PprObject::Devices(of),
                ..
            } => Some(DeviceMap {
                sharing: Sharing::Shared,
                ..DeviceMap::on(of)
            }),
            Self::Slot
            | Self::Node
            | Self::Object(_)
            | Self::Ppr { .. }
            | Self::Seq
            | Self::Rankfile
            | Self::PeList
            | Self::Dist
            | Self::Lsf
            | Self::Mpibind(_)
            | Self::Given => None,
        }
    }

    /// The word of this policy.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Slot => "slot",
            Self::Node => "node",
            Self::Object(kind) => kind.word(),
            Self::Ppr { .. } => "ppr",
            Self::Seq => "seq",
            Self::Rankfile => "rankfile",
            Self::PeList => "pe-list",
            Self::Dist => "dist",
            Self::Lsf => "lsf",
            Self::Mpibind(_) => "mpibind",
            Self::Device(_) => "device",
            Self::Given => "given",
        }
    }
}

/// The object of `ppr:N:object`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum PprObject {
    /// The whole node: processes have no object.
    Node,
    /// Objects of a kind.
    Kind(ObjKind),
    /// Devices in the order of PCI addresses: PRRTE's `device=`.
    Devices(Devices),
}

/// As a pattern spells it: `package`, `device=network`.
impl std::fmt::Display for PprObject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Node => f.write_str("node"),
            Self::Kind(kind) => f.write_str(kind.word()),
            Self::Devices(devices) => write!(f, "device={}", devices.word()),
        }
    }
}

/// The order in which the processes of an app get their ranks. Source: `semantics` 6.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum RankBy {
    /// Node by node, in placement order.
    Slot,
    /// Round-robin over nodes.
    Node,
    /// Node by node, object by object.
    Fill,
    /// Round-robin over all (node, object) pairs.
    Span,
    /// The entry's number (seq, rankfile, lsf).
    Listed,
}

impl RankBy {
    /// The word of this policy.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Slot => "slot",
            Self::Node => "node",
            Self::Fill => "fill",
            Self::Span => "span",
            Self::Listed => "listed",
        }
    }
}

/// What a process is bound to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum BindTo {
    /// Nothing.
    Nothing,
    /// An object of this kind. On a topology without cores, `Core` means hwthread.
    Object(ObjKind),
    /// The job's default for object-less maps: a cpu up to two processes in the job, else a NUMA node (`semantics` 3.6).
    /// Settled when the process counts of all apps are known (`stage/resolve/size.rs`).
    BySize,
}

impl BindTo {
    /// The word of this policy.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Nothing => "none",
            Self::Object(kind) => kind.word(),
            Self::BySize => "core or numa",
        }
    }
}

/// Whether a binding was asked for, or is a default that may be given up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum BindStrength {
    /// A default: best effort.
    Default,
    /// Asked for: it is an error if it cannot be done.
    Explicit,
}

/// `if-supported`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum IfSupported {
    /// Not said.
    No,
    /// A process is left unbound if the binder finds no cpus for it.
    Yes,
}

/// Whether bound processes may share cpus.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Overload {
    /// A cpu belongs to one process.
    Refused,
    /// `overload-allowed`.
    Allowed,
}

/// Whether nodes may hold more processes than slots.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Oversubscribe {
    /// The default.
    Refused,
    /// `OVERSUBSCRIBE`.
    Allowed,
}

/// What counts as a cpu. A topology without cores is always in hwthread mode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum CpuMode {
    /// Whole cores.
    Core,
    /// PUs.
    Hwthread,
}

impl CpuMode {
    /// The kind of object that a cpu is.
    #[must_use]
    pub const fn cpu(self) -> ObjKind {
        match self {
            Self::Core => ObjKind::Core,
            Self::Hwthread => ObjKind::Hwthread,
        }
    }
}

/// `SPAN`: round-robin over the nodes of an object map.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Span {
    /// Fill each node before the next.
    No,
    /// Treat the allocation as one node.
    Yes,
}

/// `ORDERED`: the i-th process of a node gets the i-th listed cpu.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Ordered {
    /// All share the list.
    No,
    /// One cpu each.
    Yes,
}

/// `NOLOCAL`: do not use the node that the launcher runs on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum NoLocal {
    /// All nodes.
    No,
    /// All but the local one.
    Yes,
}
