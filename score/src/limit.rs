//! Every bound of scoring. A number beyond one is an error, never an allocation.

/// Ranks of a job that is scored: every level needs a column of them.
pub const RANKS_MAX: u32 = 1 << 26;
/// Patterns given at once.
pub const PATTERNS_MAX: usize = 64;
/// Dimensions of a grid.
pub const DIMENSIONS_MAX: usize = 8;
/// Hops of a halo.
pub const HOPS_MAX: u32 = 4096;
/// Bytes of one line of a matrix file.
pub const LINE_BYTES_MAX: usize = 1 << 16;
/// Weights are below this: up to here every integer is exact.
pub const WEIGHT_END: u64 = 1 << 53;
