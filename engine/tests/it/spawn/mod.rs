//! Spawn requests.

mod keys;
mod policy;
