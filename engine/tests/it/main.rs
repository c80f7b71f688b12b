//! Integration tests: one binary for the crate.

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
