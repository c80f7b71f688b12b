//! (plan)
