//! The readers of text.

mod device;
mod hostlist;
mod mpibind;
mod texts;
mod words;
