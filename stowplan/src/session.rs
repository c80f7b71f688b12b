//! Sessions and reservations: who holds which nodes, and which of them a job may use. An event is judged against a state, written
//! to the journal if the caller keeps one, and then applied. This module uses no clock, and of files it opens journals only.
//!
//! ```
//! use stowplan::session::{By, Config, Event, Initial, Name, State, Value, candidates, step};
//!
//! let initial = Initial { nodes: ["n0", "n1"].map(Name::new).to_vec(), ..Initial::default() };
//! let mut state = State::new(Config::default(), &initial)?;
//! step(&mut state, &Event::NodeDown { node: "n1" });
//! let seen = candidates(&state, By::Scheduler, &[])?;
//! assert_eq!(seen.names(&state).collect::<Vec<_>>(), ["n0"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! [`Machine::within`](crate::Machine::within) gives the machine on which such a job is placed.
//!
//! [`JournalFile`] is a journal on disk: it continues after a crash where it was, and one process writes it. It needs the feature `std`,
//! which is on unless a dependency says `default-features = false`.
//! ```
//! # #[cfg(feature = "std")] {
//! use stowplan::session::{By, Config, Initial, JournalFile, Name, candidates};
//! let path = std::env::temp_dir().join(format!("stowplan-journal-of-{}", std::process::id()));
//! let initial = Initial { nodes: [Name::new("n0")].to_vec(), ..Initial::default() };
//! drop(JournalFile::start(&path, &Config::default(), &initial)?);
//! // Started again, it leads to the state that was left, whatever is given for a new journal.
//! let (_, state) = JournalFile::start(&path, &Config::default(), &Initial::default())?;
//! assert_eq!(candidates(&state, By::Scheduler, &[])?.names(&state).count(), 1);
//! # std::fs::remove_file(&path)?;
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Channel`] takes events as lines of JSON, as `stowplan session serve` does, and answers in JSON.

use crate::Error;

#[cfg(feature = "std")]
pub use crate::answers::journal_file::{FileError, JOURNAL_BYTES_MAX, JournalFile, StartError};
pub use crate::answers::session_json::channel::{Channel, ChannelError};
pub use stowplan_engine::id::Id;
pub use stowplan_session::{
    AllocId, AllocRow, Attr, Broken, Config, DIRECTIVES, Directive, Dump, DumpError, Dvm, Effects,
    Ended, Event, EventValue as Value, FEATURES, Feature, Features, Frame, FrameKind, Frames, How,
    INHERITANCES, IdSet, Image, ImageError, Inheritance, Initial, InitialError, Journal,
    JournalError, Judged, LISTED_MAX, MAGIC, Mode, Name, NodeId, NodeOrigin as Origin, NodeRow,
    NodeSet, NodeState, Notify, NsId, NsRow, Payload, PendingRow, Recovered, Refusal, ReplayError,
    Reply, Rows, STATUSES, Scan, SessionCandidates as Candidates, SessionLimits, SpaceKind as Kind,
    Spawned, SpawnedBy as By, State, Status, Store, Tail, ToolRole, Wanted, Why, apply, candidates,
    check, check_step, judge, payload, recover, restore, scan, step,
};

/// The class of each error.
macro_rules! told {
    ($($error:ty: $class:expr;)+) => {$(
        impl From<$error> for Error {
            fn from(error: $error) -> Self {
                let class: fn(&$error) -> &'static str = $class;
                Self::told(class(&error), &error.to_string())
            }
        }
    )+};
}

told! {
    ChannelError: ChannelError::class;
    Refusal: Refusal::class;
    ReplayError: ReplayError::class;
    InitialError: |_| "bad-value";
    ImageError: |_| "journal";
    DumpError: |_| "journal";
    // A state that breaks its invariants is a fault of ours.
    Broken: |_| "internal";
}

impl<E: std::error::Error> From<JournalError<E>> for Error {
    fn from(error: JournalError<E>) -> Self {
        Self::told("journal", &error.to_string())
    }
}

#[cfg(feature = "std")]
impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        Self::told("journal", &format!("the journal {error}"))
    }
}

#[cfg(feature = "std")]
impl From<StartError> for Error {
    fn from(error: StartError) -> Self {
        match error {
            StartError::File(error) => error.into(),
            StartError::Replay(error) => error.into(),
            StartError::Initial(error) => error.into(),
            StartError::Journal(error) => error.into(),
        }
    }
}
