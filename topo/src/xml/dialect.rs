//! The three dialects that a file can have.

/// The dialects of hwloc's XML. Source: docs/topologies.md.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Dialect {
    /// Memory is above cpus. Files before `version="2.0"`.
    One,
    /// Memory is beside cpus.
    Two,
    /// As dialect 2, but stricter about sets.
    Three,
}
