//! Launchers that only stand in: what they are given is read by their documented rules and compared with the plan.

// What a plan says of each rank.
mod truth;
// Random jobs.
mod random;
// What a script gives a launcher.
mod given;
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
