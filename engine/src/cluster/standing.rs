//! How nodes of a cluster stand.

/// How a node stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Standing {
    /// Jobs start on it.
    #[default]
    Up,
    /// No job starts on it; those that run go on.
    Drained,
    /// It failed: no job starts on it.
    Down,
}
