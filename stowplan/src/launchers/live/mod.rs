//! What processes really got, one line of `stowplan probe` each, and whether this was planned.

// The line of one process.
mod line;
// What differs.
mod differ;
// Planned and real, rank by rank.
mod compare;
// Why they differ.
mod cause;
// Differences folded by kind.
mod kinds;
// The comparison for people.
mod text;

pub use cause::Cause;
pub use compare::{ComparedGpus, Report, compare, same_host};
pub use differ::Differ;
pub use kinds::{Kind, Side, kinds};
pub use line::{BadLive, Line, Lines, read};
pub use text::write;
