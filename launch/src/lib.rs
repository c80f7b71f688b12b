//! Plans in the words of launchers, and what launchers tell in their environment.
//!
//! An inner part of stowplan: nothing here is promised to stay. It opens no file, reads no environment and starts nothing:
//! texts are handed in and out.
//!
//! ```
//! use stowplan_engine::stage::resolve::NoFiles;
//! use stowplan_job::{args::map_args, outside::FilesAlone, place::place};
//! use stowplan_launch::export::{Dialect, export};
//!
//! let words = ["--topo", "core:2 pu:2", "-H", "a:2,b:2", "-n", "4", "--map-by", "core", "./x"];
//! let asked = map_args(&words.map(str::to_owned))?;
//! let placed = place(asked, &FilesAlone(&NoFiles))?;
//! let mut script = String::new();
//! export(&placed.mapped.plan, Dialect::Srun).unwrap().write_to(&mut script).unwrap();
//! assert!(script.contains("-N2 -w a,b -n4 -m block --cpu-bind=mask_cpu:0x3,0xc \"$@\" ./x"));
//! # Ok::<(), stowplan_job::error::JobError>(())
//! ```

// Shell scripts: words, files, one call.
pub mod script;
// The nodes that have ranks, and their names.
pub mod nodes;
// Cpus as launchers write them.
pub mod cpus;
// The cpus of a node's ranks.
pub mod lists;
// The GPUs of a node's ranks, and the variables that show them.
pub mod gpus;
// A plan as launchers see it.
pub mod job;
// A file that starts nothing.
mod text;
// One launcher each.
mod dialect;
// A plan in a launcher's words.
pub mod export;
// What a launcher tells a job of its hosts, and a process of its rank.
pub mod environment;
// What OpenMP is told.
pub mod openmp;
// What a process really got, and whether that was planned.
pub mod live;
