//! Sessions and reservations: who holds which nodes, and which nodes a job may use.
//!
//! A pure state machine: an [`Event`] is [judged](judge()) on a [`State`], written to the journal if there is one, and then
//! [applied](apply()). There is no clock and no IO. A rejected event changes nothing at all.
//! Source: docs/reservations.md.
//!
//! An internal crate of stowplan: nothing in it is promised to stay as it is. Launchers use the crate `stowplan`.

// Basic types: ids, configuration, events, sets of ids, names, statuses.
mod config;
mod event;
mod id_set;
mod name;
mod status;
// The state and its tables.
mod state;
mod tables;
// Which nodes a job may be mapped on.
mod candidates;
// What an event does.
mod apply;
mod effects;
mod judge;
// The check of states; the state as plain rows and in words, and the way back from both.
mod check;
mod derived;
mod dump;
mod dump_sets;
mod image;
mod rebuild;
mod rows;
mod uses_as;
// The journal: written ahead, and read back after a crash.
mod journal;

pub use apply::{apply, step};
pub use candidates::{LISTED_MAX, Refusal, SessionCandidates, SpawnedBy, candidates};
pub use check::{Broken, check, check_step};
pub use config::{Config, FEATURES, Feature, Features, INHERITANCES, Inheritance, SessionLimits};
pub use dump::{Dump, DumpError};
pub use effects::{Effects, Ended, How, Notify, Reply, Spawned, Why};
pub use event::{Attr, DIRECTIVES, Directive, Event, EventValue, ToolRole};
pub use id_set::IdSet;
pub use image::Image;
pub use journal::{
    Frame, FrameKind, Frames, Journal, JournalError, MAGIC, Mode, Payload, Recovered, ReplayError,
    Scan, Store, Tail, payload, recover, restore, scan,
};
pub use judge::{Judged, judge};
pub use name::Name;
pub use rebuild::ImageError;
pub use rows::{AllocRow, NodeRow, NodeState, NsRow, PendingRow, Rows};
pub use state::{Dvm, Initial, InitialError, State};
pub use status::{STATUSES, Status};
pub use tables::{AllocId, NodeId, NodeOrigin, NodeSet, NsId, SpaceKind, Wanted};

#[doc(hidden)]
pub mod inside {
    //! For the tests in `session/tests/it/` alone, which are another crate: nothing else names these.

    pub use crate::dump_sets::{DumpSets, Said, Wrong, changed};
    pub use crate::name::NameIndex;
}
