//! Launchers that only stand in: what they are given is read by their documented rules and compared with the plan.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test says what it did, and ends where a promise is broken"
)]

// What a plan says of each rank.
mod truth;
// Random jobs.
mod random;
// What a script gives a launcher.
mod given;
// The node of each rank, as Hydra has it.
mod rank_map;
// Which GPUs a launcher shows each rank, by its documented rule.
mod gpus;
// Where a launcher puts each rank, by its documented rule.
mod rules;
// What could not be said.
mod unsaid;
// All plans, all dialects.
mod standins;
// A shell and a launcher that writes down what it is given.
mod shell;
// Jobs of a million ranks.
mod large;
