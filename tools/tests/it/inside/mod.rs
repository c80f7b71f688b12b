//! Tests of one file of `src/`, under its name.

mod bounded;
mod digits;
mod given;
mod help;
mod line;
mod lines;
mod mistaken;
mod output;
mod report;
mod roff;
mod route;
mod sample;
mod screen;
mod series;
mod stdin;
mod strip;
mod topics;
mod topo;
mod tsv;
