//! The list of stages.
