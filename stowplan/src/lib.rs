//! Decides where every process of a parallel job runs: on which node, on which cpus and with which rank. For launchers, shell
//! plug-ins and workflow tools. Placing a million ranks takes milliseconds.
//!
//! A [`Topology`] is the hardware of one node, and a [`Machine`] is the hardware of all nodes. A [`Job`] is what a prterun command
//! line describes: apps with their hosts, process counts and policies. Placing a job on a machine gives a [`Plan`]. The plan says
//! where a rank is and which processes are on a node, without listing all ranks. A [`Cluster`] places several jobs on the same
//! nodes: each job gets what earlier jobs left free.
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
//! The library opens no files except [`session::JournalFile`], which the caller names, and reads no environment variables: callers pass the contents of topologies, hostfiles and requests.
//! The same input gives the same bytes, with any number of threads. Numbers begin at 0. Nodes are numbered in order of first
//! mention. All types are `Send` and `Sync`. A child of `fork` may also call everything.
//!
//! | I want to … | call |
//! |---|---|
//! | read a topology: hwloc XML, `package:2 core:8 pu:2`, `builtin:frontier` | [`Topology::parse`] |
//! | say what the nodes are | [`Machine::uniform`], [`Machine::set_topology`] |
//! | say where the launcher runs, or which cpus may be used | [`Machine::set_head`], [`Machine::set_cpu_list`] |
//! | describe a job | [`Job::builder`], [`App`] |
//! | take a command line, or a spawn request | [`Job::from_command_line`], [`Job::from_json`] |
//! | place a launcher's own line: `srun -n 8 ./a`, `mpirun -np 4 ./a` | [`Line`]; who placed a plan: [`Plan::launcher`] |
//! | hand a job or a plan to another process | [`Job::to_bytes`], [`Plan::to_broadcast`], [`Plan::to_bytes`] |
//! | place it | [`Plan::new`]; many jobs at once: [`Plan::many`] |
//! | know where a rank is | [`Plan::proc`], then [`Proc::node`], [`Proc::cpus`] |
//! | know who is on a node | [`Plan::node`], then [`Node::procs`] |
//! | have all ranks as columns | [`Plan::table`]; in my own memory: [`Plan::write_table`]; GPUs: [`Plan::gpu_column`] |
//! | carry it to the nodes that were granted | [`Plan::onto`], [`Plan::onto_machine`] |
//! | know why a rank is there, what moved, how it looks | [`Plan::explain`], [`Plan::diff`], [`Plan::picture`], [`Plan::html`] |
//! | know how much traffic leaves nodes and switches, and what would be better | [`Plan::score`], [`Traffic::advise`], [`Network`] |
//! | know what a refused job lacks, and what would fit | [`Refused::explain`] |
//! | tell a node's daemon its part | [`Node::to_bytes`], there [`NodeSlice::from_bytes`] |
//! | know where OpenMP puts the threads of a rank | [`App::env`], [`Plan::threads`]; without a job [`openmp::threads`] |
//! | give PMI or Flux a task map | [`Plan::task_map`] |
//! | be sure that a plan is right | [`Plan::check`] |
//! | show a plan in a line | [`Plan::summary`] |
//! | place jobs side by side, and take them back | [`Cluster::place`], [`Cluster::release`] |
//! | follow the real nodes | [`Cluster::add_nodes`], [`Cluster::remove`], [`Cluster::down`], [`Cluster::up`], [`Cluster::drain`], [`Cluster::lose`] |
//! | know what is free, and who is where | [`Cluster::nodes`], [`Cluster::free_slots`], [`Cluster::free_cpus`], [`Cluster::jobs_on`] |
//! | know whether a job starts now, and what it waits for | [`Cluster::try_place`], [`Cluster::explain`] |
//! | start a launcher again | [`Cluster::to_bytes`], [`Cluster::from_bytes`], [`Cluster::adopt`] |
//! | place a job within its sessions | [`Cluster::place_in_session`] |
//! | plan one job again when nodes are lost | [`Planner`] |
//! | know what is wrong, and show the words | [`Error::kind`], [`Error::message`], [`Error::text`], [`Error::span`]; what would work: [`Error::help`]; what a class means: [`Class::docs`] |
//! | read a job: its apps, programs, hosts, counts, policies, notes | [`Job::apps`], [`Job::notes`] |
//! | say which threads share large work | [`Workers`] |
//! | keep allocations and reservations, with a journal on disk | [`session`], [`session::JournalFile`], [`Machine::within`] |
//! | speak PRRTE: attributes, setters, the relay, options of an app, the loop of `map_job` | [`prte`] |
//! | bring a mapper of my own | [`component`] |

// What is promised is built on these four: `launchers` and `score`, on them `job`, on all three `answers`. They are public, so that the
// command, tests and bindings reach what is not promised, and hidden, so that the documentation and `interface.txt` name only what is.
#[doc(hidden)]
pub mod answers;
#[doc(hidden)]
pub mod job;
#[doc(hidden)]
pub mod launchers;
#[doc(hidden)]
pub mod score;
// Errors and notes.
mod error;
mod note;
// Threads.
mod workers;
// Jobs and machines.
mod app;
mod described;
mod job_app;
mod job_words;
mod line;
mod machine;
mod policy;
mod topology;
// What the engine gets of a job.
mod placing;
// What would work in place of a refused job.
mod remedy;
// Plans, and what they answer.
mod difference;
mod explanation;
mod gpu_column;
mod node;
mod onto;
mod plan;
mod proc;
mod read_as;
mod slice;
mod summary;
mod table;
mod thread_column;
mod undrawn;
// Jobs planned again or side by side; jobs that were refused.
mod cluster;
mod many;
mod planner;
mod refused;
// Traffic, and the network above the nodes.
mod network;
mod traffic;
// What components see.
mod asked;
mod attribute;
// Public modules.
pub mod component;
mod component_word;
pub mod openmp;
pub mod prte;
pub mod session;
pub mod taskmap;

pub use app::App;
pub use cluster::{Cluster, ClusterNode, JobId, Standing, ToJob, Waiting};
pub use described::{Job, JobBuilder};
pub use difference::{Cause, Difference};
pub use error::Error;
pub use explanation::{Explanation, Instead, Word};
pub use gpu_column::GpuColumn;
pub use job_app::JobApp;
pub use line::Line;
pub use machine::Machine;
pub use network::Network;
pub use node::{Node, Nodes};
pub use note::Note;
pub use plan::Plan;
pub use planner::Planner;
pub use policy::{BindTo, Choice, MapBy, ObjKind, Policy, RankBy};
pub use proc::{Cpus, Object, Proc, Procs};
pub use read_as::ReadAs;
pub use refused::{Nearest, Refused};
pub use slice::{NodeSlice, SliceProc};
pub use stowplan_engine::count::{ProcCount, Rank};
pub use stowplan_engine::error::{Class, UnknownClass};
pub use summary::Summary;
pub use table::{Columns, Table};
pub use topology::Topology;
pub use traffic::{Advice, Score, Traffic};
pub use workers::Workers;
