//! (apps)
