//! One node, taken alone: what fits on its free cpus, which object and which cpus each process gets. Pure functions.

// Sets of one node as words.
pub(crate) mod bits;
// Masks of single processes.
pub(crate) mod window;
// One topology as the inner loops see it.
pub(crate) mod units;
// What the node has, and where a process is mapped to.
pub(crate) mod sets;
// Cpus of a node while they are given out.
pub(crate) mod cpus;
// How targets lie.
mod target_order;
// Object -> cpuset, one process on one node.
pub(crate) mod bind;
// The same, several cpus each.
mod bind_several;
// Cpus that are given out twice.
mod overload;
// The same near a GPU.
mod bind_near;
// NUMA domains by distance to a device.
pub(crate) mod distance;
// Processes going onto the node, in the order of a policy.
pub(crate) mod layout;
// What there is on a node.
pub(crate) mod capacity;
// The cpus that an entry names.
pub(crate) mod slot_list;
