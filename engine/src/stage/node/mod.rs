//! One node, taken alone: what fits on its free cpus, which object and which cpus each process gets. Pure functions.

// Sets of one node, and the cpus of one process.
pub(crate) mod bits;
// One topology as the inner loops see it.
pub(crate) mod units;
// Cpus of a node while they are given out.
pub(crate) mod cpus;
// Object -> cpuset, one process on one node.
pub(crate) mod bind;
// To an object.
mod bind_object;
// To several cpus.
mod bind_several;
// NUMA domains by distance to a device.
pub(crate) mod distance;
// Processes going onto the node, in the order of a policy.
pub(crate) mod layout;
// What there is on a node.
pub(crate) mod capacity;
// The cpus that an entry names.
pub(crate) mod slot_list;
