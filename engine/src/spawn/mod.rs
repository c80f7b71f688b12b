//! (spawn)
