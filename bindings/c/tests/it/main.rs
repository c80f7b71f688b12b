//! The library as C programs have it: the header against the code, programs compiled and run.

// Plug-ins for Slurm and Flux, called as their shells would.
mod adapters;
// Any bytes through every function.
mod bytes;
// What a call costs.
mod cost;
// The header says what the library exports.
mod header;
// What tools/install makes.
mod install;
// What fuzzing found before.
mod replay;
// The header against the code, type by type.
mod declarations;
// C programs, compiled as users compile them.
mod programs;
