//! What there is: one file, one table.

// OS cpu sets, interned.
pub mod cpusets;
// Distinct topologies and their objects.
pub mod topologies;
// Resolved apps, every default decided.
pub mod apps;
