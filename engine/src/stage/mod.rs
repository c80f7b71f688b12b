//! The decisions: one file, one decision.

// One app's options, from its attributes and the job's.
pub mod options;
// Words that are wrong together.
mod combine;
// What is worth a note.
mod remarks;
// A relayed request and the files it names -> one row per app.
pub mod resolve;
