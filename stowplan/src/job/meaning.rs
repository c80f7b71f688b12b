//! What the options of the command line mean.

/// What an option means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// `-n`.
    Np,
    /// `-H`.
    Host,
    /// `--hostfile`.
    Hostfile,
    /// `--default-hostfile`.
    DefaultHostfile,
    /// `--map-by`.
    MapBy,
    /// `--rank-by`.
    RankBy,
    /// `--bind-to`.
    BindTo,
    /// An old spelling.
    Old(Old),
    /// `--topo`.
    Topo,
    /// `--devices`.
    Devices,
    /// `--gpus`.
    Gpus,
    /// `--gpus-per-rank`.
    GpusPerRank,
    /// `--columns`.
    Columns,
    /// `--dark`.
    Dark,
    /// `--size`.
    Size,
    /// `--prtemca KEY VALUE`.
    Mca,
    /// `--head`.
    Head,
    /// `--session`.
    Session,
    /// `--as`.
    As,
    /// `--target`.
    Target,
    /// `--alloc`.
    Alloc,
    /// `--granted`.
    Granted,
    /// `-x NAME=VALUE`.
    Exported,
    /// `--omp`.
    Omp,
    /// `--levels`.
    Levels,
    /// `--env NAME=VALUE`.
    Env,
    /// `--env-file`.
    EnvFile,
    /// `--env-here`.
    EnvHere,
    /// `--quiet-notes`.
    QuietNotes,
    /// `--strict`.
    Strict,
    /// `--site`.
    Site,
    /// `--script`.
    Script,
    /// `--line`.
    LineNumber,
    /// `--rank-order`.
    RankOrder,
    /// `--network`.
    Network,
    /// `--network-levels`.
    NetworkLevels,
    /// `--node-order`.
    NodeOrder,
    /// `--taskmap`.
    Taskmap,
    /// `--lsf-affinity`.
    LsfAffinity,
    /// `--from-env`.
    FromEnv,
    /// `--here`.
    Here,
    /// `--format`.
    Format,
    /// `--display`.
    Display,
    /// `--rtos`.
    Rtos,
    /// `-o`.
    Output,
    /// `--save`.
    Save,
    /// `--node`.
    Node,
    /// `--ranks`.
    Ranks,
    /// `--app`.
    App,
    /// `--threads`.
    Threads,
    /// `--show-attributes`.
    ShowAttributes,
    /// None for a job: an option of prterun that does not affect placement, or one of a subcommand.
    Ignored,
}

/// Old spellings of directives. Source: `semantics` 2.2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Old {
    /// `-N k`: `ppr:k:node`.
    PerNode,
    /// `--pernode`: `ppr:1:node`.
    OnePerNode,
    /// `--npersocket k`: `ppr:k:package`.
    PerPackage,
    /// `--ppr k:obj`.
    Ppr,
    /// `--bynode`.
    ByNode,
    /// `--bycore`.
    ByCore,
    /// `--byslot`.
    BySlot,
    /// `-bysocket`.
    ByPackage,
    /// `-loadbalance`: as many on each node, ranks node by node.
    LoadBalance,
    /// `--cpu-set L`: `pe-list=L`.
    CpuSet,
    /// `--rankfile f`.
    Rankfile,
    /// `--oversubscribe`.
    Oversubscribe,
    /// `--nooversubscribe`.
    NoOversubscribe,
    /// `--nolocal`.
    NoLocal,
    /// `--use-hwthread-cpus`.
    HwtCpus,
    /// `--cpus-per-proc n`: `pe=n`.
    CpusPerProc,
    /// `-bind-to-none`.
    BindToNone,
    /// `--bind-to-core`.
    BindToCore,
    /// `--bind-to-socket`.
    BindToPackage,
}
