//! Parameters of the launcher (`--prtemca KEY VALUE`, `PRTE_MCA_KEY`) that decide where processes go, as one table.
//! Source: `lines/prte/spec.md` 1. Which of several wins, and what they change in a job: `../apply_parameters.rs`, `defaults.rs`.
//! The options of a command line are taken in `../args/job_options.rs`.

// Policies of jobs that say none.
pub(crate) mod defaults;
// Nodes that PRRTE makes up.
pub mod simulator;

/// How the value of a parameter becomes a directive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Text {
    /// It is one.
    Whole,
    /// It stands in place of V.
    Into(&'static str),
    /// This one, if the parameter is switched on.
    If(&'static str),
}

/// Which directive a parameter gives a default for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// `--map-by`.
    Map,
    /// `--rank-by`.
    Rank,
    /// `--bind-to`.
    Bind,
}

/// What a parameter does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// It gives a directive to jobs that have none of that class.
    Default(Class, Text),
    /// The same, unless another parameter gives that directive.
    Weak(Class, Text),
    /// It makes hardware threads the cpus, and counts them as slots.
    Threads,
    /// Children inherit.
    Inherit,
    /// Which component may map.
    Component,
    /// The topology of all nodes.
    Topology,
    /// The cpus that may be used.
    CpuList,
    /// The hostfile of a job that names no other.
    Hostfile,
    /// How many nodes of each group the simulator makes.
    Nodes,
    /// The slots of its groups.
    Slots,
    /// The most slots of its groups.
    MaxSlots,
    /// The topologies of its groups.
    Topologies,
    /// It changes placements, in a way that is not known here.
    NotModelled,
}

use Class::{Bind, Map, Rank};
use Effect::{Default as D, Weak};
use Text::{If, Into, Whole};

/// Parameters that place, by their names. A name that ends in `*` stands for all that begin so.
#[rustfmt::skip]
pub const PARAMETERS: &[(&[&str], Effect)] = &[
    (&["mapby", "map_by", "rmaps_default_mapping_policy", "rmaps_base_mapping_policy", "rmaps_base_schedule_policy"], D(Map, Whole)),
    (&["rankby", "rank_by", "rmaps_default_ranking_policy", "rmaps_base_ranking_policy"], D(Rank, Whole)),
    (&["bindto", "bind_to", "hwloc_default_binding_policy", "hwloc_base_binding_policy", "orte_process_binding"], D(Bind, Whole)),
    (&["rmaps_default_inherit"], Effect::Inherit),
    (&["hwloc_default_cpu_list", "hwloc_base_cpu_list", "hwloc_base_cpu_set"], Effect::CpuList),
    (&["hwloc_base_use_hwthreads_as_cpus"], Effect::Threads),
    (&["hwloc_base_bind_to_core", "mpi_paffinity_alone", "opal_paffinity_alone"], Weak(Bind, If("core"))),
    (&["hwloc_base_bind_to_socket"], Weak(Bind, If("package"))),
    (&["hwloc_use_topo_file", "hwloc_base_use_topo_file", "hwloc_base_topo_file"], Effect::Topology),
    (&["ras_simulator_topo_files"], Effect::Topologies),
    (&["ras_simulator_num_nodes"], Effect::Nodes),
    (&["ras_simulator_slots"], Effect::Slots),
    (&["ras_simulator_max_slots"], Effect::MaxSlots),
    (&["rmaps_rank_file_path", "rmaps_rank_file_file", "rmaps_base_file", "orte_rankfile", "prte_rankfile"], D(Map, Into("rankfile:file=V"))),
    (&["rmaps"], Effect::Component),
    (&["rmaps_base_oversubscribe"], D(Map, If(":oversubscribe"))),
    (&["rmaps_base_no_oversubscribe"], D(Map, If(":nooversubscribe"))),
    (&["rmaps_base_no_schedule_local"], D(Map, If(":nolocal"))),
    (&["rmaps_base_cpus_per_rank", "rmaps_base_cpus_per_proc"], D(Map, Into(":pe=V"))),
    (&["rmaps_base_pattern", "rmaps_ppr_pattern"], D(Map, Into("ppr:V"))),
    (&["rmaps_base_n_pernode", "rmaps_ppr_n_pernode"], D(Map, Into("ppr:V:node"))),
    (&["rmaps_base_n_persocket", "rmaps_ppr_n_persocket"], D(Map, Into("ppr:V:package"))),
    (&["rmaps_base_pernode", "rmaps_ppr_pernode"], D(Map, If("ppr:1:node"))),
    (&["rmaps_base_byslot"], Weak(Map, If("slot"))),
    (&["rmaps_base_bynode"], Weak(Map, If("node"))),
    (&["rmaps_base_bycore"], Weak(Map, If("core"))),
    (&["rmaps_base_bysocket"], Weak(Map, If("package"))),
    (&["orte_default_hostfile", "prte_default_hostfile", "ras_base_hostfile"], Effect::Hostfile),
    (&["rmaps_lama_*", "rmaps_mindist_*", "rmaps_resilient_*", "rmaps_dist_device", "rmaps_base_topology", "rmaps_base_loadbalance",
       "ras_base_multiplier", "ras_base_use_all_nodes", "prte_set_default_slots", "orte_set_default_slots", "prte_set_slots",
       "prte_set_max_slots", "orte_rmaps_*", "rmaps_base_slot_list", "hwloc_base_slot_list", "orte_default_dash_host",
       "prte_default_dash_host"], Effect::NotModelled),
];

/// What a parameter does; `None`: it does not place processes.
///
/// Cost: a pass over the table.
#[must_use]
pub fn find(name: &str) -> Option<Effect> {
    let fits = |own: &&str| match own.strip_suffix('*') {
        Some(head) => {
            name.starts_with(head) && !name.ends_with("_priority") && !name.ends_with("verbose")
        }
        None => name == *own,
    };
    let row = PARAMETERS
        .iter()
        .find(|(names, _)| names.iter().any(&fits))?;
    Some(row.1)
}

/// Whether a parameter says what the machine is, which a library gets apart from the job.
#[must_use]
pub fn is_machine(name: &str) -> bool {
    match find(name) {
        Some(
            Effect::Topology
            | Effect::Topologies
            | Effect::Nodes
            | Effect::Slots
            | Effect::MaxSlots,
        ) => true,
        Some(
            Effect::Default(..)
            | Effect::Weak(..)
            | Effect::Threads
            | Effect::Inherit
            | Effect::Component
            | Effect::Hostfile
            | Effect::CpuList
            | Effect::NotModelled,
        )
        | None => false,
    }
}

/// Whether the value of a switch switches it on.
pub(crate) fn is_on(value: &str) -> bool {
    ["1", "true", "yes", "on", "enabled", "t", "y"].contains(&&*value.to_ascii_lowercase())
}

/// The parameters among variables: `PRTE_MCA_K`, and the older `OMPI_MCA_K`.
pub(crate) fn of_variables(variables: &[(String, String)]) -> Vec<(String, String)> {
    let named = |prefix: &'static str| {
        variables.iter().filter_map(move |(name, value)| {
            let key = name.strip_prefix(prefix)?;
            Some((key.to_owned(), value.clone()))
        })
    };
    named("OMPI_MCA_").chain(named("PRTE_MCA_")).collect()
}
