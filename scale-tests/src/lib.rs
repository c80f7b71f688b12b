//! Generators of jobs, what compares their answers, fuzz bodies and simulations.

// Decisions from a seed or from bytes.
pub mod choices;
// Small machines.
pub mod catalogue;
// Policy × qualifier × ranking × binding.
pub mod cell;
// A job as a user would type it.
pub mod job;
// Random jobs.
pub mod arbitrary;
// Jobs that never had some of their nodes.
pub mod lost;
// A small world, whole.
pub mod small_world;
// The engine against the plain mapper.
pub mod compare;
// The same on 1, 2 and 7 threads.
pub mod crew;
// What was asked for, and what came of it.
pub mod coverage;
// A failing job made small.
pub mod shrink;
// The placement corpus.
pub mod corpus;
// Named shapes of jobs and machines.
pub mod shapes;
// Bodies of the fuzz targets.
pub mod input;
