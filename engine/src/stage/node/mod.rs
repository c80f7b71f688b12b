//! One node alone: how much fits on its free cpus, and which object and cpus each process gets. Pure functions.

// Sets of the PUs or cpus of one node, as words.
pub(crate) mod bits;
// Masks of single processes.
pub(crate) mod window;
// One topology as the inner loops see it.
pub(crate) mod units;
// The node's cpus, and where a process is mapped to.
pub(crate) mod sets;
// Cpus of a node while they are given out.
pub(crate) mod cpus;
// How the targets of a binding lie on a topology.
mod target_order;
// From object to cpus, for one process on one node.
pub(crate) mod bind;
// The same for several cpus per process.
mod bind_several;
// Cpus that are given out twice.
mod overload;
// Binding near a GPU.
mod bind_near;
// NUMA domains by distance to a device.
pub(crate) mod distance;
// The order in which processes go onto the node, by policy.
pub(crate) mod layout;
// How much room a node has.
pub(crate) mod capacity;
// The cpus that an entry names.
pub(crate) mod slot_list;
