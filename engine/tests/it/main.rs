//! Integration tests: one binary for the crate.

mod cluster;
mod components;
mod deps;
mod job;
mod relay;
mod taskmap;
mod taskmap_search;
mod test_dispatch;
mod test_policy_parse;
mod test_ppr;
mod test_rank_file;
mod test_resolve_options;
mod test_round_robin;
mod test_seq;
