//! Stand-ins for launchers: they read what they are given by the launcher's documented rules, and the result is compared with the plan.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test says what it did, and ends where a promise is broken"
)]

// What a plan says about each rank.
mod truth;
// Random jobs.
mod random;
// What a script gives a launcher.
mod given;
// The node of each rank, read from Hydra's rank map.
mod rank_map;
// Which GPUs a launcher shows each rank, by its documented rule.
mod gpus;
// Where a launcher puts each rank, by its documented rule.
mod rules;
// Where our own reader of the launcher's lines puts a rank.
mod own_readers;
// Plans that a launcher cannot express.
mod unsaid;
// All plans, all dialects.
mod standins;
// Files that start nothing.
mod files;
// Two nodes of one name.
mod twice;
// A shell, and a launcher that records what it is given.
mod shell;
// What real launchers did with lines.
mod answers;
// Jobs of a million ranks.
mod large;
