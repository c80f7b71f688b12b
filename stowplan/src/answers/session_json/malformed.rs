//! Why a text is not a scenario file, a step or an event.

/// How deep a JSON text may be nested.
pub const DEPTH_MAX: u32 = 64;

/// The most memory that the values of a JSON text may take, in bytes.
pub const JSON_MEMORY_MAX: usize = 1 << 30;

/// Why a text is not a scenario file.
#[derive(Debug, thiserror::Error)]
pub enum Malformed {
    /// It cannot be read.
    #[error("{path} cannot be read: {error}")]
    File {
        /// The file.
        path: String,
        /// Why.
        error: String,
    },
    /// It is not JSON.
    #[error("no JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// It is nested too deep.
    #[error("nested deeper than {DEPTH_MAX} levels at byte {at}")]
    Depth {
        /// Where.
        at: usize,
    },
    /// It would take too much memory.
    #[error("more values than {JSON_MEMORY_MAX} bytes of memory hold, at byte {at}")]
    Memory {
        /// Where it is too much.
        at: usize,
    },
    /// A step is wrong.
    #[error("{0}")]
    Step(String),
    /// A scenario is wrong; says where.
    #[error("scenario {name:?}, {place}: {what}")]
    At {
        /// The scenario.
        name: String,
        /// Where in it.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// No scenario has this name.
    #[error("no scenario is called {0:?}")]
    NoSuch(String),
}
