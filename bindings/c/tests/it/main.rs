//! Tests of the library as C programs use it: the header is compared with the code, and programs are compiled and run.

extern crate stowplan_c as stowplan;

// Plug-ins for Slurm and Flux, called as their shells would.
mod adapters;
// Passes any bytes to every function.
mod bytes;
// What a call costs.
mod cost;
// Manual pages, made from the header.
mod manual;
// The header declares exactly what the library exports.
mod header;
// The folder that tools/install makes.
mod install;
// Inputs that fuzzing found before.
mod replay;
// Compares the header with the code, type by type.
mod declarations;
// C programs, compiled as users compile them.
mod programs;
