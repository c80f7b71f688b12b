//! Tests of one file of `src/`, under its name: of what the folders that are not shown have inside.

mod answers;
mod job;
mod launchers;
mod score;
