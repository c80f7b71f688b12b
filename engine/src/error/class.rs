//! The stable class of each [`PlaceError`].

use super::place::PlaceError;

impl PlaceError {
    /// The stable class.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::FailedMap { .. } | Self::ResourceBusy { .. } => "failed-map",
            Self::JobTooLarge { .. } => "job-too-large",
            Self::NoTopology { .. } => "bad-topology",
            Self::BadCpuList { .. } => "bad-cpu-list",
            Self::BadHostfile { .. } => "bad-hostfile",
            Self::NoSuchHost { .. } => "no-such-host",
            Self::NotInSession { .. } => "not-in-session",
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
            Self::NotEnoughGpus { .. } => "not-enough-gpus",
        }
    }
}
