//! Named machines and jobs for the benches.

// The mix of session events, at any size.
pub mod session_mix;
