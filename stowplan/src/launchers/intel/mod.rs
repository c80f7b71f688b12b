//! Intel MPI: a line of its `mpiexec.hydra`, a Hydra with words, host files and pins of its own. Source: `lines/intel/spec.md`.

// Versions that are told apart.
pub mod version;
// Its words.
mod words;
// What a line says.
mod said;
// The nodes and their turns.
mod hosts;
// What variables say of pins.
mod pins;
// A node and its levels.
mod node;
// Default pins and domains.
mod domains;
// What each local rank is pinned to.
mod bound;
// A line as a whole.
mod lay;

pub use lay::lay;
