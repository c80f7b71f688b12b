//! The library as C programs have it: the header against the code, programs compiled and run.

// The header says what the library exports.
mod header;
// C programs, compiled as users compile them.
mod programs;
