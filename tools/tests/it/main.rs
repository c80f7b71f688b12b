//! Integration tests: one binary for the crate.

mod corpus_words;
mod judged;
mod taskmap;
