//! (table)
