//! The library as C programs have it: the header against the code, programs compiled and run.

// The header says what the library exports.
mod header;
// What tools/install makes.
mod install;
// C programs, compiled as users compile them.
mod programs;
