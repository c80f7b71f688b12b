//! The versions of sealed frames: what the bytes have besides the plan.

/// The version of the format.
pub const VERSION: u8 = 1;
/// The version of plans with GPUs.
pub const VERSION_WITH_GPUS: u8 = 2;
/// The version of plans with devices beside GPUs.
pub const VERSION_WITH_DEVICES: u8 = 3;
/// The version of plans with both. Other versions are refused.
const VERSION_WITH_BOTH: u8 = 4;

/// Whether the bytes have GPUs, and other devices: in whole plans their classes, in broadcasts and slices the network cards that
/// processes are mapped to. Bytes without them are the same as before stowplan knew them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Edition {
    /// Version 1.
    Plain = VERSION,
    /// Version 2: the same, with GPUs.
    Gpus = VERSION_WITH_GPUS,
    /// Version 3: version 1 with other devices.
    Devices = VERSION_WITH_DEVICES,
    /// Version 4: version 2 with other devices.
    GpusAndDevices = VERSION_WITH_BOTH,
}

impl Edition {
    /// The same with other devices.
    pub(crate) const fn with_devices(self) -> Self {
        match self {
            Self::Plain | Self::Devices => Self::Devices,
            Self::Gpus | Self::GpusAndDevices => Self::GpusAndDevices,
        }
    }

    /// Whether the bytes have GPUs.
    pub(crate) const fn has_gpus(self) -> bool {
        matches!(self, Self::Gpus | Self::GpusAndDevices)
    }

    /// Whether the bytes have other devices.
    pub(crate) const fn has_devices(self) -> bool {
        matches!(self, Self::Devices | Self::GpusAndDevices)
    }

    /// The edition of a version, if there is one.
    pub(super) const fn of(version: Option<u8>) -> Option<Self> {
        match version {
            Some(VERSION) => Some(Self::Plain),
            Some(VERSION_WITH_GPUS) => Some(Self::Gpus),
            Some(VERSION_WITH_DEVICES) => Some(Self::Devices),
            Some(VERSION_WITH_BOTH) => Some(Self::GpusAndDevices),
            Some(_) | None => None,
        }
    }
}

/// What a sealed frame holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum FrameKind {
    /// A whole plan, judgeable alone.
    Whole = b'w',
    /// What every daemon of a job needs.
    Broadcast = b'b',
    /// What one node's daemon needs.
    Slice = b's',
}

impl FrameKind {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Whole => "a whole plan",
            Self::Broadcast => "a plan as it is broadcast",
            Self::Slice => "a node's slice of a plan",
        }
    }
}
