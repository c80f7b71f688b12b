//! Integration tests: one binary for the crate.

mod cases;
mod console;
mod corpus;
mod corpus_words;
mod json;
mod judged;
mod taskmap;
