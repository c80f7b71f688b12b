//! What there is: one file, one table.

// OS cpu sets, interned.
pub mod cpusets;
// Distinct topologies and their objects.
pub mod topologies;
// What the user wrote out: sequences, rankfiles, affinity files.
pub mod listings;
// Where each word of an app came from.
pub mod origins;
// Resolved apps, every default decided.
pub mod apps;
