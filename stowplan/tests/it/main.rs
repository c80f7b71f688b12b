//! Tests the library as its users see it.

// What holds in all languages.
mod promises;
// Lines of launchers.
mod lines;
// What is said of some nodes.
mod machine;
// Programs that users write.
mod programs;
// Traits that types have.
mod interface;
// Every public item has an example.
mod examples;
// Threads of OpenMP.
mod threads;
// A cluster: its bytes, what a job waits for.
mod cluster;
// Apps on nodes of which other jobs hold GPUs.
mod cluster_gpus;
// Errors as data, jobs that are read.
mod errors;
// Components, attributes, the loop of map_job.
mod prte;
// Threads of the library.
mod workers;
// Traffic, orders of ranks and networks, compared with a plain count.
mod score;
// Plans in launchers' words, read by stand-ins for launchers.
mod launchers;
// What one file of the library has inside.
#[cfg(test)]
mod inside;
