//! Traffic and advice.

mod movable;
mod weight;
