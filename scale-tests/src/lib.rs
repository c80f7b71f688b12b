//! Generators, fuzz bodies and simulations.
