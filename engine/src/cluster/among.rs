//! How a job is placed among others.

use crate::map::{Candidates, Components};

/// How a job is placed on a cluster, besides its own words.
#[derive(Clone, Debug)]
pub struct Among {
    /// The components that place it.
    pub components: Components,
    /// The only nodes that it may use; `None`: all that are up.
    pub candidates: Option<Candidates>,
}

impl Default for Among {
    fn default() -> Self {
        Self {
            components: Components::standard(),
            candidates: None,
        }
    }
}
