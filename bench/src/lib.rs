//! Named machines and jobs for the benches.
