//! Events of sessions and their answers, as JSON (`docs/session.schema.json`).

// Errors in texts that cannot be read.
pub mod malformed;
// The keys of objects.
pub mod keys;
// Events, read and written.
pub mod event_json;
// What a DVM begins with.
pub mod beginning;
// What an event did, and why it was refused.
pub mod outcome_json;
pub mod reason;
// Sessions that are kept in memory, with their journal.
pub mod channel;
