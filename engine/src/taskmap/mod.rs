//! (taskmap)
