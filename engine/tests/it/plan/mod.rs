//! The plan.

mod bytes;
mod node_apps;
mod places;
mod rank;
mod rows;
