//! Integration tests: one binary for the crate.

mod cases;
mod command_line;
mod commands;
mod console;
mod contract;
mod corpus;
mod corpus_words;
mod divergences;
mod docs;
mod input;
mod json;
mod judged;
mod request_schema;
mod session;
mod spawn;
mod taskmap;
mod tidy;
