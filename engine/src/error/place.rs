//! What cannot be placed: nodes, slots, objects, cpus. Source: `errors` "Counts and room", "Objects and cpus".

/// A sound request that these nodes cannot honour.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlaceError {
    /// No component takes the app's policy: only a launcher's own registry can get here.
    #[error("no mapping component takes app {app}, mapped by {policy}")]
    FailedMap {
        /// The app, from 0.
        app: u32,
        /// Its policy.
        policy: String,
    },
}

impl PlaceError {
    /// The stable class.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::FailedMap { .. } => "failed-map",
        }
    }
}
