//! Slurm.

mod cpu_bind;
mod distribution;
mod gpu_count;
mod numbers;
mod rules;
mod version;
