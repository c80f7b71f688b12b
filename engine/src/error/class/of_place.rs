//! The class of each [`PlaceError`], and the app that it refuses.

use crate::error::place::PlaceError;

impl PlaceError {
    /// The app that is refused; `None`: a file or a node is at fault, whichever app names it.
    #[must_use]
    pub const fn app(&self) -> Option<u32> {
        match self {
            Self::FailedMap { app, .. }
            | Self::ResourceBusy { app, .. }
            | Self::TakeNextOption(app)
            | Self::NoSuchHost { app, .. }
            | Self::NoNodes { app, .. }
            | Self::SlotsExceedMax { app, .. }
            | Self::NodesFull { app, .. }
            | Self::NotEnoughSlots { app, .. }
            | Self::NoProcesses { app, .. }
            | Self::OutOfResource { app, .. }
            | Self::PprTooMany { app, .. }
            | Self::ObjectNotFound { app, .. }
            | Self::BindTargetNotFound { app, .. }
            | Self::NoAvailableCpus { app, .. }
            | Self::NotEnoughCpus { app, .. }
            | Self::BindLimit { app, .. }
            | Self::SpanPackages { app, .. }
            | Self::PeExceedsObject { app, .. }
            | Self::PeListConflict { app, .. }
            | Self::PeListExhausted { app, .. }
            | Self::RankfileHost { app, .. }
            | Self::SeqTooFew { app, .. }
            | Self::NoSuchDevice { app, .. }
            | Self::DeviceNotFound { app, .. }
            | Self::NotEnoughDevices { app, .. } => Some(*app),
            Self::JobTooLarge { .. }
            | Self::NoTopology { .. }
            | Self::BadCpuList { .. }
            | Self::BadHostfile { .. }
            | Self::NotInSession { .. }
            | Self::NodeClosed { .. }
            | Self::GpusHeld { .. }
            | Self::EntryFull { .. }
            | Self::BadSeqfile { .. }
            | Self::BadRankfile { .. }
            | Self::BadAffinityfile { .. }
            | Self::RankfileMissingRank { .. }
            | Self::SeqHost { .. }
            | Self::SeqCpuTaken { .. }
            | Self::RankfileCpuTaken { .. } => None,
        }
    }

    /// The stable class.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::FailedMap { .. } | Self::ResourceBusy { .. } | Self::TakeNextOption(_) => {
                "failed-map"
            }
            Self::JobTooLarge { .. } => "job-too-large",
            Self::NoTopology { .. } => "bad-topology",
            Self::BadCpuList { .. } => "bad-cpu-list",
            Self::BadHostfile { .. } => "bad-hostfile",
            Self::NoSuchHost { .. } => "no-such-host",
            Self::NotInSession { .. } => "not-in-session",
            Self::NodeClosed { .. } => "node-closed",
            Self::NoNodes { .. } => "no-nodes",
            Self::SlotsExceedMax { .. } => "slots-exceed-max",
            Self::NodesFull { .. } => "nodes-full",
            Self::NotEnoughSlots { .. } => "not-enough-slots",
            Self::EntryFull { .. } => "not-enough-slots",
            Self::NoProcesses { .. } => "no-processes",
            Self::OutOfResource { .. } => "out-of-resource",
            Self::PprTooMany { .. } => "ppr-too-many",
            Self::ObjectNotFound { .. } => "object-not-found",
            Self::BindTargetNotFound { .. } => "bind-target-not-found",
            Self::NoAvailableCpus { .. } => "no-available-cpus",
            Self::NotEnoughCpus { .. } => "not-enough-cpus",
            Self::BindLimit { .. } => "bind-limit",
            Self::SpanPackages { .. } => "span-packages",
            Self::PeExceedsObject { .. } => "pe-exceeds-object",
            Self::PeListConflict { .. } => "pe-list-conflict",
            Self::PeListExhausted { .. } => "pe-list-exhausted",
            Self::BadSeqfile { .. } => "bad-seqfile",
            Self::BadRankfile { .. } => "bad-rankfile",
            Self::BadAffinityfile { .. } => "bad-affinityfile",
            Self::RankfileMissingRank { .. } => "rankfile-missing-rank",
            Self::RankfileHost { .. } => "rankfile-host-not-allocated",
            Self::SeqHost { .. } => "seq-host-not-allocated",
            Self::SeqTooFew { .. } => "seq-too-few-entries",
            Self::SeqCpuTaken { .. } => "seq-cpu-taken",
            Self::RankfileCpuTaken { .. } => "rankfile-cpu-taken",
            Self::NoSuchDevice { .. } => "no-such-device",
            Self::DeviceNotFound { .. } => "device-not-found",
            Self::NotEnoughDevices { .. } | Self::GpusHeld { .. } => "not-enough-gpus",
        }
    }
}
