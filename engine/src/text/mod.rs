//! (text)
