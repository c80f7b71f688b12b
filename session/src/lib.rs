//! Sessions and reservations: who holds which nodes, and which of them a job may see.
//!
//! A pure state machine: an [`Event`] is [judged](judge()) on a [`State`], journalled by whoever keeps a journal, then
//! [applied](apply()). There is no clock and no IO; a rejected event changes nothing at all.
//! Source: docs/reservations.md.
//!
//! An inner part of stowplan: nothing here is promised to stay as it is. Launchers use the crate `stowplan`.

// Words: sets of ids, names, statuses, what was configured, what is reported.
mod config;
mod event;
mod id_set;
mod name;
mod status;
// What there is.
mod state;
mod tables;
// Which nodes a job may be mapped on.
mod candidates;
// What an event does.
mod apply;
mod effects;
mod judge;
// The state as plain rows, the judge of states, and the way back.
mod check;
mod image;
mod rebuild;
// What is written before it is done, and read back after a crash.
mod journal;

pub use apply::{apply, apply_into, step, step_into};
pub use candidates::{LISTED_MAX, Refusal, SessionCandidates, SpawnedBy, candidates};
pub use check::{Broken, check, check_step};
pub use config::{Config, FEATURES, Feature, Features, INHERITANCES, Inheritance, SessionLimits};
pub use effects::{Effects, Ended, How, Notify, Reply, Spawned, Why};
pub use event::{Attr, DIRECTIVES, Directive, Event, EventValue, ToolRole};
pub use id_set::IdSet;
pub use image::{AllocImage, Image, NodeImage, NsImage, PendingImage, UsesImage, WantedImage};
pub use journal::{
    Frame, FrameKind, Frames, Journal, JournalError, MAGIC, Mode, Payload, Recovered, ReplayError,
    Scan, Store, Tail, payload, recover, scan,
};
pub use judge::{Judged, judge};
pub use name::Name;
pub use rebuild::ImageError;
pub use state::{Dvm, Initial, InitialError, State};
pub use status::{STATUSES, Status};
pub use tables::{AllocId, NodeId, NodeOrigin, NodeSet, NsId, SpaceKind};
