//! Which of the three dialects a file speaks.

/// The dialects of hwloc's XML. Source: docs/topologies.md.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Dialect {
    /// Memory is above cpus; before `version="2.0"`.
    One,
    /// Memory is beside cpus.
    Two,
    /// As two, stricter about sets.
    Three,
}
