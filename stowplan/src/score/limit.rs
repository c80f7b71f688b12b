//! Every bound of scoring. A number beyond one is an error, never an allocation.

/// Ranks of a job that is scored. Every level needs a column of them.
pub const RANKS_MAX: u32 = 1 << 26;
/// Patterns given at once.
pub const PATTERNS_MAX: usize = 64;
/// Dimensions of a grid.
pub const DIMENSIONS_MAX: usize = 8;
/// Hops of a halo.
pub const HOPS_MAX: u32 = 4096;
/// Bytes of one line of a matrix file.
pub const LINE_BYTES_MAX: usize = 1 << 16;
/// Weights are below this. Up to here every integer is exact.
pub const WEIGHT_END: u64 = 1 << 53;
/// Edges that are looked at one by one, when advice is asked for a matrix.
pub const GRAPH_EDGES_MAX: u64 = 1 << 25;
/// Edges of a named pattern up to which local search is tried.
pub const SEARCH_EDGES_MAX: u64 = 1 << 19;
/// Edges of a named pattern up to which `score` also gives the figures of the best known order.
pub const KNOWN_EDGES_MAX: u64 = 1 << 15;
/// How often one local search may look at a neighbour.
pub const SEARCH_STEPS: u64 = 1 << 27;
/// Answers of an advice.
pub const ANSWERS_MAX: usize = 20;
/// Boxes of a grid that are tried.
pub const TRIED_CELLS: usize = 60;
/// Strips of other widths that are tried.
pub const TRIED_STRIPS: usize = 130;
