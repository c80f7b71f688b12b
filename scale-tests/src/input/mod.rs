//! Bodies of the fuzz targets: bytes in, a checked answer out. Tests call them too.

pub mod compare;
pub mod network;
pub mod openmp;
pub mod plan;
pub mod session;
pub mod taskmap;
pub mod text;
pub mod topo;
