//! The versions of sealed frames: what the bytes have besides the plan.

/// The version of the format.
pub const VERSION: u8 = 1;
/// The version of plans with GPUs.
pub const VERSION_WITH_GPUS: u8 = 2;
/// The version of whole plans with classes of devices.
const VERSION_WITH_CLASSES: u8 = 3;
/// The version of whole plans with both. Other versions are refused.
const VERSION_WITH_BOTH: u8 = 4;

/// Whether the bytes have GPUs, and classes of devices. Bytes without them are the same as before stowplan knew them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Edition {
    /// Version 1.
    Plain = VERSION,
    /// Version 2: the same, with GPUs.
    Gpus = VERSION_WITH_GPUS,
    /// Version 3: version 1 with classes of devices.
    Classes = VERSION_WITH_CLASSES,
    /// Version 4: version 2 with classes of devices.
    GpusAndClasses = VERSION_WITH_BOTH,
}

impl Edition {
    /// The same with classes of devices.
    pub(crate) const fn with_classes(self) -> Self {
        match self {
            Self::Plain | Self::Classes => Self::Classes,
            Self::Gpus | Self::GpusAndClasses => Self::GpusAndClasses,
        }
    }

    /// Whether the bytes have GPUs.
    pub(crate) const fn has_gpus(self) -> bool {
        matches!(self, Self::Gpus | Self::GpusAndClasses)
    }

    /// Whether the bytes have classes of devices.
    pub(crate) const fn has_classes(self) -> bool {
        matches!(self, Self::Classes | Self::GpusAndClasses)
    }

    /// The edition of a version; what was expected instead, if this kind of frames has no such version.
    pub(super) const fn of(version: Option<u8>, kind: FrameKind) -> Result<Self, &'static str> {
        match (version, kind) {
            (Some(VERSION), _) => Ok(Self::Plain),
            (Some(VERSION_WITH_GPUS), _) => Ok(Self::Gpus),
            (Some(VERSION_WITH_CLASSES), FrameKind::Whole) => Ok(Self::Classes),
            (Some(VERSION_WITH_BOTH), FrameKind::Whole) => Ok(Self::GpusAndClasses),
            (_, FrameKind::Whole) => Err("version 1 to 4"),
            (_, FrameKind::Broadcast | FrameKind::Slice) => Err("version 1 or 2"),
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
