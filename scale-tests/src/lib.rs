//! Generators of jobs, comparison of their answers, bodies of fuzz targets, and simulations.

// Decisions from a seed or from bytes.
pub mod choices;
// Small machines.
pub mod catalogue;
// Policy × qualifier × ranking × binding.
pub mod cell;
// A job as a user would type it.
pub mod job;
// Random jobs, and how their apps ask for devices.
pub mod arbitrary;
mod asks_devices;
// Jobs written without some of their nodes.
pub mod lost;
// A small world, enumerated.
pub mod small_world;
// The engine against the plain mapper.
pub mod compare;
// The same on 1, 2 and 7 threads.
pub mod crew;
// Counts of what jobs asked for and how they ended.
pub mod coverage;
// Makes a failing job small.
pub mod shrink;
// The placement corpus.
pub mod corpus;
// Named shapes of jobs and machines.
pub mod shapes;
// The size of the tests.
pub mod size;
// The middle of several times.
pub mod middle;
// Random lines of launchers.
pub mod lines;
// Networks above the node.
pub mod networks;
// Threads of OpenMP.
pub mod threads;
// Bodies of the fuzz targets.
pub mod input;
