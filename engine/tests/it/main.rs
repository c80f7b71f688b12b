//! Tests of the crate, in one program.

mod app_idx;
mod cluster;
mod components;
mod deps;
mod job;
mod relay;
mod taskmap;
mod taskmap_search;
mod test_dispatch;
mod test_policy_parse;
mod test_resolve_options;

// Tests of one file of `src/`, under its name. For the lint of `unwrap`, all in them is a test.
#[cfg(test)]
mod error;
#[cfg(test)]
mod given;
#[cfg(test)]
mod id;
#[cfg(test)]
mod map;
#[cfg(test)]
mod plan;
#[cfg(test)]
mod planner;
#[cfg(test)]
mod spawn;
#[cfg(test)]
mod stage;
#[cfg(test)]
mod table;
#[cfg(test)]
mod text;
