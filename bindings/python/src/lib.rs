//! stowplan for Python. This crate only converts between Python and the crate `stowplan`.
//!
//! Jobs are placed without holding the interpreter's lock. Columns are given as `bytes` objects, and to Arrow as a stream.

#![forbid(unsafe_code)]

// Refusals as exceptions.
mod error;
// The hardware of a node.
mod topology;
// The hardware of all nodes.
mod machine;
// A command line cut into words.
mod words;
// What is in a list; bytes, mappings; places in a sequence.
mod convert;
mod indices;
mod items;
// Apps and jobs.
mod job;
// Where OpenMP puts the threads of a process.
mod threads;
// Plans: where processes are.
mod plan;
// One process, one node, the slice of a node.
mod node;
mod process;
// Columns and Arrow.
mod columns;
// Why a rank is where it is, what a refused job lacks, and what moved between two plans.
mod answers;
// Networks above the nodes; scores, advice.
mod calls;
mod network;
// Many jobs at once.
mod many;
// Jobs side by side on the same nodes; one job again and again.
mod cluster;
mod planner;
// Who holds which nodes; on which node each task runs.
mod session;
mod taskmap;
// Components of a caller's own: what they see, and how they are asked.
mod asked;
mod asking;
mod component;

use pyo3::prelude::*;

#[pymodule]
fn _stowplan(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    error::add(module)?;
    module.add_class::<topology::Topology>()?;
    module.add_class::<machine::Machine>()?;
    module.add_class::<job::App>()?;
    module.add_class::<job::Job>()?;
    module.add_class::<plan::Plan>()?;
    module.add_class::<process::Proc>()?;
    module.add_class::<node::Node>()?;
    module.add_class::<node::NodeSlice>()?;
    module.add_class::<node::SliceProc>()?;
    module.add_class::<columns::CpuSets>()?;
    module.add_class::<answers::Explanation>()?;
    module.add_class::<answers::Difference>()?;
    module.add_class::<answers::Refused>()?;
    module.add_class::<cluster::Cluster>()?;
    module.add_class::<cluster::ClusterNode>()?;
    module.add_class::<cluster::Waiting>()?;
    module.add_class::<planner::Planner>()?;
    module.add_class::<session::Session>()?;
    module.add_class::<taskmap::TaskMap>()?;
    module.add_class::<component::Components>()?;
    module.add_class::<asked::AskedApp>()?;
    module.add_class::<asked::Room>()?;
    module.add("Declined", py.get_type::<asking::Declined>())?;
    module.add("TakeNextOption", py.get_type::<asking::TakeNextOption>())?;
    module.add("ResourceBusy", py.get_type::<asking::ResourceBusy>())?;
    module.add_class::<network::Network>()?;
    module.add_class::<calls::Advice>()?;
    module.add_class::<threads::Threads>()?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(calls::score_job, module)?)?;
    module.add_function(wrap_pyfunction!(calls::advise, module)?)?;
    module.add_function(wrap_pyfunction!(threads::threads, module)?)?;
    module.add_function(wrap_pyfunction!(plan::place, module)?)?;
    module.add_function(wrap_pyfunction!(many::place_many, module)?)?;
    module.add_function(wrap_pyfunction!(plan::_table, module)?)?;
    Ok(())
}
