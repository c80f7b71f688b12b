//! Who made the cpus of a topology.

/// Who made the cpus. LLVM's OpenMP runtime finds caches on some and not on others; nothing else depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Vendor {
    /// Nobody said, or sources of equal topologies say different things.
    #[default]
    Unsaid,
    /// Intel.
    Intel,
    /// AMD.
    Amd,
    /// Somebody else: Arm, POWER.
    Other,
}
