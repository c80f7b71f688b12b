//! Which nodes a job has, in which state they are, and which of them an app may use.

// The free slots of a node, the limit of max_slots, and what entries say about slots.
pub(crate) mod slots;
// The result of selecting nodes.
pub(crate) mod selected;
// The nodes of a job while its apps are placed.
pub(crate) mod nodes;
// The tables that nodes point into.
pub(crate) mod tables;
// The nodes and tables of a job.
pub(crate) mod pool;
// Nodes of which other jobs hold GPUs.
pub(crate) mod held;
// What hostfiles say about nodes.
pub(crate) mod hostfile;
// The nodes that an app names.
pub(crate) mod named;
// The first state of every node.
pub(crate) mod first_states;
// Which nodes the job has.
pub(crate) mod build_pool;
// Which nodes an app may use, and how many slots of each.
pub(crate) mod select;

pub(crate) use pool::Pool;
pub(crate) use tables::Tables;
