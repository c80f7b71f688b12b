//! GPUs of a topology: rows beside its tree, because two GPUs may be near the same PUs.

use std::ops::Range;

/// The library that a GPU was found by: it says which variable makes the GPU visible to a process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum GpuFamily {
    /// AMD's ROCm SMI: `ROCR_VISIBLE_DEVICES`.
    Rsmi,
    /// Intel's Level Zero: `ZE_AFFINITY_MASK`.
    Ze,
    /// NVIDIA's CUDA: `CUDA_VISIBLE_DEVICES`.
    Cuda,
    /// NVIDIA's management library: `CUDA_VISIBLE_DEVICES`.
    Nvml,
    /// OpenCL: no variable of its own.
    OpenCl,
    /// Stated with `--devices`: of no known make.
    Stated,
}

impl GpuFamily {
    /// All families; those that files name are in order of preference.
    pub const ALL: [Self; 6] = [
        Self::Rsmi,
        Self::Ze,
        Self::Cuda,
        Self::Nvml,
        Self::OpenCl,
        Self::Stated,
    ];

    /// Who makes them; `None`: the family does not say.
    #[must_use]
    pub const fn make(self) -> Option<&'static str> {
        match self {
            Self::Rsmi => Some("AMD"),
            Self::Cuda | Self::Nvml => Some("NVIDIA"),
            Self::Ze => Some("Intel"),
            Self::OpenCl | Self::Stated => None,
        }
    }

    /// The family of a device with this name: its prefix, then a number.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| {
            let prefix = family.prefix();
            let rest = name.strip_prefix(prefix).filter(|_| !prefix.is_empty());
            rest.is_some_and(|rest| rest.starts_with(|sign: char| sign.is_ascii_digit()))
        })
    }

    /// How the names of its devices begin; empty for stated GPUs.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Rsmi => "rsmi",
            Self::Ze => "ze",
            Self::Cuda => "cuda",
            Self::Nvml => "nvml",
            Self::OpenCl => "opencl",
            Self::Stated => "",
        }
    }

    /// The environment variable that limits which GPUs of this family a process sees, if there is one.
    #[must_use]
    pub const fn variable(self) -> Option<&'static str> {
        match self {
            Self::Rsmi => Some("ROCR_VISIBLE_DEVICES"),
            Self::Ze => Some("ZE_AFFINITY_MASK"),
            Self::Cuda | Self::Nvml => Some("CUDA_VISIBLE_DEVICES"),
            Self::OpenCl | Self::Stated => None,
        }
    }
}

/// A GPU.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Gpu {
    /// The number that shows it to programs, as `CUDA_VISIBLE_DEVICES` takes it.
    pub visible: u32,
    /// Its name, as `rsmi4`; empty where none is known.
    pub name: String,
    /// The library that found it.
    pub family: GpuFamily,
    /// The PUs near it: ascending disjoint half-open ranges of **logical** numbers. Empty if none of them may be used.
    pub pus: Vec<Range<u32>>,
}
