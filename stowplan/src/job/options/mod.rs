//! The options of the command line.

// The table: names, values, meaning, help.
mod table;
// Options of prterun that do not affect placement.
mod ignored;
// The option of a name.
mod find;
// One word of an option, as getopt reads it.
mod spelled;

pub use crate::job::meaning::{Meaning, Old};
pub use find::{find, nearest};
pub use ignored::IGNORED;
pub use spelled::{Spelled, spelled};
pub use table::{OPTIONS, OptionOf, Reads, Row, Takes, Times, row, written};
