//! MPICH's Hydra: a line of `mpiexec.hydra`, or of `mpiexec` with `--as hydra`. Source: `lines/hydra/spec.md`.

// How a line ends without a job.
pub(crate) mod refusal;
// Settings that nobody would read.
pub(crate) mod settings;
// Versions that are told apart.
mod version;
// Its words.
mod words;
// Configuration files.
pub(crate) mod config_file;
// What a line says.
mod said;
// Entries of the node list.
pub(crate) mod node_list;
// The nodes of a batch system, by its words and by its variables.
pub(crate) mod allotted;
pub(crate) mod batch;
// The node list, and where it comes from.
pub(crate) mod nodes;
// Ranks on nodes, round by round.
pub(crate) mod rounds;
// `-rankmap`.
mod rank_map;
// Programs by such a map.
mod by_rank_map;
// Objects of a node.
pub(crate) mod objects;
// What each local rank is bound to.
pub(crate) mod binding;
// The processes of each node as patterns.
pub(crate) mod patterns;
// What an expert would say.
mod notes;
// A line as a whole.
pub(crate) mod lay;

pub use lay::lay;
