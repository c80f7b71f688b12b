//! The stages: what they count with, and one node alone.

mod bits;
mod groups;
mod layout;
mod share;
mod slots;
mod units;
mod window;
