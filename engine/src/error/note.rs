//! What is no error, but worth knowing: printed as `note[CLASS]: …`, never changing the result.

use super::spec::Owner;

/// Something worth knowing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Note {
    /// NOLOCAL, but no local node is in the list.
    #[error("app {app} asks for NOLOCAL, and its nodes hold no local node")]
    NothingLocal {
        /// The app, from 0.
        app: u32,
    },
    /// A request key we do not know.
    #[error("{key} of {owner} is no key we know: it is kept and relayed, and has no effect")]
    UnknownKey {
        /// The key.
        key: String,
        /// On whom.
        owner: Owner,
    },
    /// An attribute of scope Local.
    #[error("{key} of {owner} is local: it is not relayed, and has no effect")]
    LocalAttribute {
        /// The key.
        key: String,
        /// On whom.
        owner: Owner,
    },
    /// A word that the policy has no use for.
    #[error("{word} of {owner} has no effect: {why}")]
    NoEffect {
        /// The word.
        word: String,
        /// On whom.
        owner: Owner,
        /// Why.
        why: &'static str,
    },
    /// A job's rank or bind word does not reach an app with a map of its own.
    #[error("the job's {word} does not reach app {app}, which has its own map: it takes {instead}")]
    JobWordUnused {
        /// `rank-by` or `bind-to`.
        word: &'static str,
        /// The app, from 0.
        app: u32,
        /// What it takes.
        instead: String,
    },
    /// An old option was taken.
    #[error("{old} is an old spelling: write {new}")]
    OldSpelling {
        /// As given.
        old: String,
        /// As written today.
        new: String,
    },
    /// A sequence or rankfile has more entries than processes.
    #[error("{path} has {entries} entries, app {app} uses {procs}")]
    UnusedEntries {
        /// The app, from 0.
        app: u32,
        /// The file.
        path: String,
        /// Processes of the app.
        procs: u32,
        /// Entries of the file.
        entries: u64,
    },
}

impl Note {
    /// The stable class.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::NothingLocal { .. } => "nothing-local",
            Self::UnknownKey { .. } => "unknown-key",
            Self::LocalAttribute { .. } => "local-attribute",
            Self::NoEffect { .. } => "no-effect",
            Self::JobWordUnused { .. } => "job-word-unused",
            Self::OldSpelling { .. } => "old-spelling",
            Self::UnusedEntries { .. } => "unused-entries",
        }
    }
}
