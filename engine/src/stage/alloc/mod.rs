//! Which nodes a job has, which of them an app may use, and in which state they are.

// The nodes of a job while its apps are placed.
pub(crate) mod nodes;
// Slots that an app's own hostfile lowers.
pub(crate) mod hostfile;
// Which nodes the job has.
pub(crate) mod pool;
// The nodes an app names.
pub(crate) mod requested;
// Which nodes an app may use, and how much of each.
pub(crate) mod select;
