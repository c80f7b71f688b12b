//! Lines, words and variables of launchers.

mod cpus;
mod environment;
mod flux;
mod gpus;
mod hydra;
mod intel_version;
mod line;
mod lists;
mod multi_prog;
mod nodes;
mod slurm;
