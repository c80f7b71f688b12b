//! The plain mapper.
