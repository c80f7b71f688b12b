//! The library as C programs have it: the header against the code, programs compiled and run.

// Plug-ins for Slurm and Flux, called as their shells would.
mod adapters;
// The header says what the library exports.
mod header;
// What tools/install makes.
mod install;
// C programs, compiled as users compile them.
mod programs;
