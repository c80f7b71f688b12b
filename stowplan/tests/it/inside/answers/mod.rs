//! Answers for people.

mod colours;
mod draw;
mod file_draft;
mod hosts;
mod journal_file;
mod json_text;
mod letters;
mod seats;
mod witness;
