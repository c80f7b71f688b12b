//! (check)
