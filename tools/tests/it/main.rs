//! Integration tests: one binary for the crate.

mod taskmap;
mod corpus_words;
