//! Which nodes a job has, which of them an app may use, and in which state they are.

// What apps claim of nodes, and what they may take.
pub(crate) mod claim;
// The nodes of a job while its apps are placed.
pub(crate) mod nodes;
// What they point into.
pub(crate) mod tables;
// What is left of a node's slots, and what max_slots allows.
pub(crate) mod slots;
// Slots that an app's own hostfile lowers.
pub(crate) mod hostfile;
// Both, of a job.
pub(crate) mod pool;
// What lines of hostfiles say of nodes.
pub(crate) mod lines;
// Which nodes the job has.
pub(crate) mod build;
// The nodes an app names.
pub(crate) mod requested;
// Which nodes an app may use, and how much of each.
pub(crate) mod select;

pub(crate) use pool::Pool;
pub(crate) use tables::{LaidPattern, Tables};
