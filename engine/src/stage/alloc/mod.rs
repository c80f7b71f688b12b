//! Which nodes a job has, which of them an app may use, and in which state they are.

// What is left of a node's slots, what max_slots allows, what entries say of them.
pub(crate) mod slots;
// What selecting gives.
pub(crate) mod selected;
// The nodes of a job while its apps are placed.
pub(crate) mod nodes;
// What they point into.
pub(crate) mod tables;
// Both, of a job.
pub(crate) mod pool;
// What hostfiles say of nodes.
pub(crate) mod hostfile;
// The nodes an app names.
pub(crate) mod named;
// Which nodes the job has.
pub(crate) mod build;
// Which nodes an app may use, and how much of each.
pub(crate) mod select;

pub(crate) use pool::Pool;
pub(crate) use tables::Tables;
