//! MPICH's Hydra: a line of `mpiexec.hydra`, or of `mpiexec` with `--as hydra`. Source: `lines/hydra/spec.md`.

// Versions that are told apart.
mod version;
// Its words.
mod words;
// What a line says.
mod said;
// The node list.
mod nodes;
// The nodes of a batch system.
mod batch;
// Ranks on nodes, round by round.
mod rounds;
// `-rankmap`.
mod rank_map;
// Objects of a node.
mod objects;
// What each local rank is bound to.
mod binding;
// The processes of each node.
mod lay;

pub use lay::lay;
