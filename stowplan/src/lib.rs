//! Where every process of a parallel job runs: on which node, on which cpus, with which rank. For launchers, shell plug-ins and
//! workflow tools; a million ranks take milliseconds.
//!
//! A [`Topology`] is the hardware of a node, a [`Machine`] that of all nodes. A [`Job`] is what prterun's command line says:
//! apps with their hosts, counts and policies. Of both comes a [`Plan`], which answers where a rank is and who is on a node,
//! without being expanded. A [`Cluster`] keeps what jobs left for the next ones.
//!
//! ```
//! use stowplan::{App, Job, Machine, Plan, Rank, Topology};
//!
//! let machine = Machine::uniform(Topology::parse("package:2 core:8 pu:2(indexes=2*16:1*2)")?);
//! let job = Job::builder()
//!     .map_by("core")                                   // or MapBy::Object(ObjKind::Core); text may carry qualifiers
//!     .app(App::new("./ocean").procs(1 << 20).hosts("n[0-69999]:16"))
//!     .app(App::new("./io").procs(4096).map_by("ppr:1:node"))
//!     .build()?;                                        // tells what is wrong in any of these words
//! let plan = Plan::new(&job, &machine)?;
//! let proc = plan.proc(Rank::new(1_000_000)).ok_or("a job of 2^20 ranks has this one")?;
//! assert_eq!(proc.node().name(), "n62500");
//! assert_eq!(proc.cpus().to_string(), "0,16");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! It opens no file and reads no environment: topologies, hostfiles and requests come as contents. The same input gives the same
//! bytes, with any number of threads. Numbers begin at 0; nodes are numbered in order of mention. All types are `Send` and
//! `Sync`, and a child of `fork` may call everything too.
//!
//! | I want to … | call |
//! |---|---|
//! | read a topology: hwloc XML, `package:2 core:8 pu:2`, `builtin:frontier` | [`Topology::parse`] |
//! | say what the nodes are | [`Machine::uniform`], [`Machine::set_topology`] |
//! | say where the launcher runs, or which cpus may be used | [`Machine::set_head`], [`Machine::set_cpus`] |
//! | describe a job | [`Job::builder`], [`App`] |
//! | take a command line, or a spawn request | [`Job::from_command_line`], [`Job::from_json`] |
//! | hand a job or a plan to another process | [`Job::to_bytes`], [`Plan::to_broadcast`], [`Plan::to_bytes`] |
//! | place it | [`Plan::new`] |
//! | know where a rank is | [`Plan::proc`], then [`Proc::node`], [`Proc::cpus`] |
//! | know who is on a node | [`Plan::node`], then [`Node::procs`] |
//! | have all ranks as columns | [`Plan::table`]; in memory of mine: [`Plan::write_table`] |
//! | know why a rank is there, what moved, how it looks | [`Plan::explain`], [`Plan::diff`], [`Plan::picture`], [`Plan::html`] |
//! | know what a refused job lacks, and what would fit | [`Refused::explain`] |
//! | tell a node's daemon its part | [`Node::to_bytes`], there [`NodeSlice::from_bytes`] |
//! | give PMI or Flux a task map | [`Plan::task_map`] |
//! | be sure that a plan is right | [`Plan::check`] |
//! | show a plan in a line | [`Plan::summary`] |
//! | place jobs side by side, and take them back | [`Cluster::place`], [`Cluster::release`] |
//! | plan one job again when nodes are lost | [`Planner`] |
//! | know what is wrong, and show the words | [`Error::class`], [`Error::message`], [`Error::text`], [`Error::span`], [`Error::hint`] |
//! | keep allocations and reservations | [`session`], [`Machine::within`] |
//! | bring a mapper of my own | [`component::place`] |

// Ids.
mod rank;
// Why something is refused; what is worth knowing.
mod error;
// Threads.
mod workers;
// What is placed on what.
mod job;
mod machine;
mod policy;
mod topology;
// What comes out.
mod difference;
mod explanation;
mod node;
mod plan;
mod proc;
mod slice;
mod summary;
mod table;
// Again, and side by side.
mod cluster;
mod planner;
mod refused;
// What has modules of its own.
pub mod component;
pub mod session;
pub mod taskmap;

pub use cluster::Cluster;
pub use difference::{Cause, Difference};
pub use error::{Error, Note};
pub use explanation::{Explanation, Instead, Word};
pub use job::{App, Job, JobBuilder};
pub use machine::Machine;
pub use node::{Node, Nodes};
pub use plan::Plan;
pub use planner::Planner;
pub use policy::{BindTo, Choice, MapBy, ObjKind, Policy, RankBy};
pub use proc::{Cpus, Object, Proc, Procs};
pub use rank::Rank;
pub use refused::{Nearest, Refused};
pub use slice::{NodeSlice, SliceProc};
pub use summary::Summary;
pub use table::{Columns, Table};
pub use topology::Topology;
