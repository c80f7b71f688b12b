//! Text -> what was said, and where.

// `n[000-127]:4`, hostfiles.
pub mod hosts;
