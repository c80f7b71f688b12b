//! Topologies against listings, and against libhwloc where it is built in.

mod hostile;
mod machines;
mod objects;
#[cfg(feature = "hwloc")]
mod second_opinion;
