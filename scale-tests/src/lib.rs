//! Generators, fuzz bodies and simulations.

// Bodies of the fuzz targets.
pub mod input;
