//! The tables.

mod cpusets;
mod full_names;
mod interner;
mod intervals;
mod names;
mod patterns;
mod states;
mod topologies;
mod written_names;
