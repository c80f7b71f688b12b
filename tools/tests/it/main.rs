//! Integration tests: one binary for the crate.

mod cases;
mod console;
mod corpus;
mod corpus_words;
mod judged;
mod taskmap;
