//! (session)
