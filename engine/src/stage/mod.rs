//! The decisions: one file, one decision.

// A relayed request and the files it names -> one row per app.
pub mod resolve;
