//! The decisions: one file, one decision.

// One app's options, from its attributes and the job's.
pub mod options;
// The options of all apps, equal ones once.
mod alike;
// Words that are wrong together.
mod combine;
// What is worth a note about the words.
mod remarks;
// Which mapper takes an app.
pub mod component;
// The files that a request names.
mod files;
// A relayed request -> one row per app.
pub mod resolve;
// Sets of one node as words.
mod bits;
// One topology as the inner loops see it.
mod hardware;
// Object -> cpuset, one process on one node.
mod bind;
// Orders in which processes go onto a node, and what they get.
mod pattern;
// Processes going onto a node, one after the other.
mod row;
// The same for a list of cpus.
mod pelist;
// One node, in the order of a policy.
mod lay;
// Many different things at once.
pub(crate) mod parallel;
// What policies made of node states.
mod memo;
// Vectors kept from app to app.
mod spare;
// The nodes of a job while its apps are placed.
pub(crate) mod site;
// Which nodes the job has.
pub(crate) mod pool;
// Slots that an app's own hostfile lowers.
mod lowered;
// The nodes an app names.
mod named;
// Which nodes an app may use, and how much of each.
mod select;
// NUMA domains by distance to a device.
mod distance;
// What there is on a node.
mod facts;
// How many go to each node: arithmetic.
mod split;
// How far equal nodes have come.
mod progress;
// Nodes that fare alike while an app is placed.
mod lots;
// So many processes more.
mod steps;
// Processes being dealt to the nodes of an app.
mod deal;
// Refusals of the placing stages.
mod refuse;
// What each policy does with one node.
mod choose;
// Placing one app, policy by policy.
mod place;
// What an app wrote out: which nodes, in which order.
mod entries;
// The cpus that an entry names.
mod slotlist;
// Placing what was written out.
mod listed;
// How many processes each app has.
pub(crate) mod count;
// What an app leaves.
mod leave;
// The same, entry by entry.
mod written;
// Where a component of the launcher's own puts an app.
mod own;
// One app, from its nodes to its place in the plan.
pub(crate) mod app;
// What is worth a note about what was placed.
pub(crate) mod notes;
// Which apps compete for nodes.
mod rivals;
// Apps placed side by side, and joined.
mod branch;
// The apps' turns.
pub(crate) mod turns;
