//! Devices beside the tree of objects: their classes, and which of them a map goes over. Source: `lines/prte/spec.md` 2.

use serde::{Deserialize, Serialize};

/// What an OS device is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum DeviceClass {
    /// Of no class that a map goes over by its word: a display, a DMA engine. GPUs have rows of their own.
    #[default]
    Other,
    /// A network card, whichever way it is known: as a network or an OpenFabrics device.
    Network,
    /// A block device.
    Block,
}

impl DeviceClass {
    /// All classes, by number.
    pub const ALL: [Self; 3] = [Self::Other, Self::Network, Self::Block];

    /// The class with this number, as saved plans hold it.
    #[must_use]
    pub(crate) fn of_number(number: u32) -> Option<Self> {
        let mut classes = Self::ALL.into_iter();
        classes.find(|class| *class as u32 == number)
    }
}

/// The name of a device, `mlx5_0`: at most [`DeviceName::MAX`] bytes, none of them 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct DeviceName([u8; DeviceName::MAX]);

impl DeviceName {
    /// The most bytes of a name. Linux has 15 for network cards and 31 for block devices.
    pub const MAX: usize = 32;

    /// The name; `None` if it is empty, too long, or has a byte 0.
    #[must_use]
    pub fn new(name: &str) -> Option<Self> {
        let mut bytes = [0; Self::MAX];
        let sound = !name.is_empty() && !name.contains('\0');
        bytes
            .get_mut(..name.len())
            .filter(|_| sound)?
            .copy_from_slice(name.as_bytes());
        Some(Self(bytes))
    }

    /// Its text. Bytes that were read from a plan and are no text give none.
    #[must_use]
    pub fn text(&self) -> &str {
        let end = self.0.iter().position(|&byte| byte == 0);
        std::str::from_utf8(&self.0[..end.unwrap_or(Self::MAX)]).unwrap_or("")
    }
}

/// Which devices of a node a map goes over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Devices {
    /// `gpu`
    #[default]
    Gpus,
    /// `network`, `nic`, `fabric` or `openfabrics`
    Networks,
    /// `block`
    Blocks,
    /// The one with this name.
    Named(DeviceName),
}

impl Devices {
    /// The word behind `device=`.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::Gpus => "gpu",
            Self::Networks => "network",
            Self::Blocks => "block",
            Self::Named(name) => name.text(),
        }
    }

    /// What one of them is.
    #[must_use]
    pub const fn noun(&self) -> &'static str {
        match self {
            Self::Gpus => "GPU",
            Self::Networks => "network card",
            Self::Blocks => "block device",
            Self::Named(_) => "device of that name",
        }
    }

    /// Their word behind `--devices`.
    #[must_use]
    pub const fn stated_as(&self) -> &'static str {
        match self {
            Self::Gpus | Self::Named(_) => "gpu",
            Self::Networks => "nic",
            Self::Blocks => "block",
        }
    }

    /// The class among devices that have names; `None`: GPUs have rows of their own, and a name may be that of any device.
    #[must_use]
    pub const fn class(&self) -> Option<DeviceClass> {
        match self {
            Self::Networks => Some(DeviceClass::Network),
            Self::Blocks => Some(DeviceClass::Block),
            Self::Gpus | Self::Named(_) => None,
        }
    }
}

/// How many devices each process gets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct DevicesEach {
    more: u16,
}

impl DevicesEach {
    /// One device, the default.
    pub const ONE: Self = Self { more: 0 };

    /// So many; `None` for 0.
    #[must_use]
    pub fn new(count: u16) -> Option<Self> {
        count.checked_sub(1).map(|more| Self { more })
    }

    /// How many.
    #[must_use]
    pub const fn count(self) -> u16 {
        self.more.saturating_add(1)
    }
}

/// Whether processes may share a mapped device.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Sharing {
    /// One process a device, the default.
    #[default]
    One,
    /// `shared`
    Shared,
}
