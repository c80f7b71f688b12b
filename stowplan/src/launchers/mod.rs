//! Plans in the words of launchers, and what launchers say in their environment.
//!
//! An internal part of stowplan: its API may change at any time. It opens no file, reads no environment and starts nothing:
//! callers pass texts in and get texts back.
//!
//! ```
//! use stowplan_engine::stage::resolve::NoFiles;
//! use stowplan::job::{args::map_args, outside::FilesAlone, place::place};
//! use stowplan::launchers::export::{Dialect, export};
//!
//! let words = ["--topo", "core:2 pu:2", "-H", "a:2,b:2", "-n", "4", "--map-by", "core", "./x"];
//! let asked = map_args(&words.map(str::to_owned))?;
//! let placed = place(asked, &FilesAlone(&NoFiles))?;
//! let mut script = String::new();
//! export(&placed.mapped.plan, Dialect::Srun).unwrap().write_to(&mut script).unwrap();
//! assert!(script.contains("-N2 -w a,b -n4 -m plane=2 --cpu-bind=mask_cpu:0x3,0xc \"$@\" ./x"));
//! # Ok::<(), stowplan::job::error::JobError>(())
//! ```

// Shell scripts: words, files, one call of a launcher.
pub mod script;
// The nodes that have ranks, and their names.
pub mod nodes;
// Cpus as launchers write them.
pub mod cpus;
// Which object has a cpu.
pub(crate) mod cpu_objects;
// The cpus of a node's ranks.
pub mod lists;
// The GPUs of a node's ranks, and the variables that show these GPUs.
pub mod gpus;
// A plan as launchers see it.
pub mod job;
// Who reads a file that a plan is written into.
pub mod reader;
// A file that starts no job.
mod text;
// One file for each launcher.
pub mod dialect;
// A plan in a launcher's words.
pub mod export;
// What a launcher says about the hosts of a job and the rank of a process.
pub mod environment;
// The variables of OpenMP.
pub mod openmp;
// What a process really got, and whether this was planned.
pub mod live;
// A job may be a launcher's own line: what is asked, what becomes of it.
pub mod line;
// One folder for each launcher's lines.
pub mod aprun;
pub mod flux;
pub mod hydra;
pub mod intel;
pub mod jsrun;
pub mod pals;
pub mod slurm;
