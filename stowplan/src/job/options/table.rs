//! The options of the command line, as one table. The parser, hints, help and `docs/options.md` all follow this table.

use crate::job::meaning::{Meaning, Old};

/// How many arguments an option takes as its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    /// None.
    Nothing,
    /// One.
    One,
    /// Two: a key and its value.
    Two,
    /// None, or one after `=`.
    Maybe,
}

/// Whose an option is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionOf {
    /// An app's, or of a job that is typed as apps.
    App,
    /// Of a typed line alone: it stands in place of hosts or of words.
    Line,
    /// The job's, also where its apps are said elsewhere.
    Job,
    /// The job's too, but it says what the machine is or how the answer is written: a library is told that apart from the job.
    Outer,
    /// A subcommand's own.
    Command,
}

/// How often an option may be said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Times {
    /// Once on an app, or in a command.
    Once,
    /// Any number of times.
    Many,
    /// Once with all others of its kind: a map, a ranking, a binding, in new words or in old ones.
    OfKind,
}

/// Where a value names a file to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reads {
    /// Nowhere.
    Nothing,
    /// It is the file.
    File,
    /// It is the file, perhaps behind `NODES=`.
    OfNodes,
    /// Behind this sign.
    Behind(&'static str),
    /// `file=` is a part of the policy.
    InPolicy,
    /// It is the file if this is the key.
    OfKey(&'static str),
}

/// An option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// Names without dashes. The first is the one that we write.
    pub names: &'static [&'static str],
    /// Its value.
    pub takes: Takes,
    /// What the value is called.
    pub metavar: &'static str,
    /// What it means.
    pub meaning: Meaning,
    /// Whose it is.
    pub of: OptionOf,
    /// How often it may be said.
    pub times: Times,
    /// Where its value names a file.
    pub reads: Reads,
    /// What it does, in one line. For an old spelling: the new spelling.
    pub help: &'static str,
}

impl Row {
    /// The name as we write it: with two dashes, or with one dash if it is a single letter.
    #[must_use]
    pub fn written(&self) -> String {
        written(self.names[0])
    }

    /// The same, and its value names a file.
    #[must_use]
    pub const fn reads(mut self, reads: Reads) -> Self {
        self.reads = reads;
        self
    }

    /// Whether its value, or key and value, names standard input as the file to read.
    #[must_use]
    pub fn reads_stdin(&self, values: &[String]) -> bool {
        let value = values.last().map_or("", String::as_str);
        match self.reads {
            Reads::Nothing => false,
            Reads::File => value == "-",
            Reads::OfNodes => value == "-" || value.ends_with("=-"),
            Reads::Behind(sign) => value.strip_prefix(sign) == Some("-"),
            Reads::InPolicy => { value.split(':') }.any(|part| part.eq_ignore_ascii_case("file=-")),
            Reads::OfKey(key) => value == "-" && values.first().is_some_and(|own| own == key),
        }
    }
}

/// A name with its dashes.
#[must_use]
pub fn written(name: &str) -> String {
    let dashes = if name.len() == 1 { "-" } else { "--" };
    format!("{dashes}{name}")
}

/// An option that reads no file.
#[must_use]
pub const fn row(
    names: &'static [&'static str],
    takes: Takes,
    metavar: &'static str,
    meaning: Meaning,
    of: OptionOf,
    times: Times,
    help: &'static str,
) -> Row {
    let reads = Reads::Nothing;
    Row {
        names,
        takes,
        metavar,
        meaning,
        of,
        times,
        reads,
        help,
    }
}

const fn old(
    names: &'static [&'static str],
    takes: Takes,
    metavar: &'static str,
    what: Old,
    new: &'static str,
) -> Row {
    row(
        names,
        takes,
        metavar,
        Meaning::Old(what),
        OptionOf::App,
        Times::OfKind,
        new,
    )
}

use Meaning as M;
use OptionOf::{App, Job, Line, Outer};
use Reads::{Behind, File, InPolicy, OfKey, OfNodes};
use Takes::{Maybe, Nothing, One, Two};
use Times::{Many, OfKind, Once};

/// Options that have a meaning here.
#[rustfmt::skip]
pub const OPTIONS: &[Row] = &[
    row(&["n", "np", "c"], One, "N", M::Np, App, Once, "processes of this app; absent: as many as the policy and the slots give"),
    row(&["host", "H"], One, "LIST", M::Host, App, Many, "nodes with slots: a:4,b,c:*,n[000-127]:8"),
    row(&["hostfile", "machinefile"], One, "FILE", M::Hostfile, App, Many, "nodes with slots from a file").reads(File),
    row(&["map-by", "mapby"], One, "POLICY", M::MapBy, App, OfKind, "where processes go: slot node core numa package ppr:N:object …").reads(InPolicy),
    row(&["rank-by", "rankby"], One, "POLICY", M::RankBy, App, OfKind, "in which order they get ranks: slot node fill span"),
    row(&["bind-to", "bindto"], One, "POLICY", M::BindTo, App, OfKind, "what they are bound to: none hwthread core numa package …"),
    row(&["topo"], One, "T", M::Topo, Outer, Many, "topology of all nodes: a file, a synthetic string, builtin:NAME, here; or NODES=T for some").reads(OfNodes),
    row(&["devices"], One, "WHERE", M::Devices, Job, Many, "devices near objects: [NODES=]gpu=l3:4,5,2,3 or numa:2 or none; nic= and block= too; may be repeated"),
    row(&["gpus"], One, "HOW", M::Gpus, App, Once, "GPUs of processes that share near ones: split share none"),
    row(&["gpus-per-rank"], One, "K", M::GpusPerRank, App, Once, "so many of the near GPUs for each process"),
    row(&["columns"], One, "LIST", M::Columns, Outer, Once, "columns of rows: rank app app_rank node local_rank node_rank object cpus gpus threads thread place mask runtime"),
    row(&["dark"], Nothing, "", M::Dark, Outer, Once, "svg in light colours on dark paper"),
    row(&["size"], One, "W:H", M::Size, Outer, Once, "svg that fills a slide, such as 16:9"),
    row(&["x"], One, "NAME=VALUE", M::Exported, App, Many, "a variable of this app: those of OpenMP decide where threads go; others have no effect here"),
    row(&["omp"], One, "RUNTIME", M::Omp, Job, Once, "whose rules put threads on cpus: gnu llvm intel, with @VERSION or without"),
    row(&["levels"], One, "N", M::Levels, Job, Once, "levels of parallel regions that the program opens, one inside the other: 1 or 2"),
    row(&["default-hostfile"], One, "FILE", M::DefaultHostfile, App, Many, "the hostfile of a job that names no other").reads(File),
    row(&["prtemca", "mca", "pmixmca", "gpmixmca", "gmca", "omca"], Two, "KEY VALUE", M::Mca, Job, Many, "a parameter: mapby P, rankby P, bindto P, ras_simulator_num_nodes N …; those that do not place have no effect").reads(OfKey("hwloc_use_topo_file")),
    row(&["head"], One, "NAME", M::Head, Outer, Once, "the node the launcher runs on"),
    row(&["session"], One, "STATE", M::Session, Outer, Once, "place into the sessions of this state").reads(File),
    row(&["as"], One, "WHO", M::As, Job, Once, "whose line this is: prte hydra intel slurm flux pals aprun jsrun, with @VERSION; with --session: on behalf of this namespace"),
    row(&["alloc"], One, "WORDS", M::Alloc, Job, Once, "before a launcher's line: the words of salloc, sbatch or flux alloc that made the job"),
    row(&["granted"], One, "CPUS", M::Granted, Job, Once, "before a launcher's line: the cpus of each node that the job was given: n0=0-7,n1=0-3, or a file"),
    row(&["env"], One, "NAME=VALUE", M::Env, Job, Many, "a variable that the launcher would see; may be repeated"),
    row(&["env-file"], One, "FILE", M::EnvFile, Outer, Many, "the same from a file, a NAME=VALUE a line; may be repeated").reads(File),
    row(&["env-here"], Nothing, "", M::EnvHere, Outer, Many, "the same from the environment of this command"),
    row(&["site"], One, "SETTINGS", M::Site, Job, Once, "before a launcher's line: settings of the site, KEY=VALUE,… or a file"),
    row(&["script"], One, "FILE", M::Script, Line, Once, "in place of a launcher's line: a batch script; its directives are the allocation, its launch line is the line").reads(File),
    row(&["line"], One, "K", M::LineNumber, Line, Once, "the K-th launch line of the script"),
    row(&["target"], One, "ID", M::Target, Outer, Many, "into this session; may be repeated"),
    row(&["network"], One, "NET", M::Network, Job, Once, "switches and groups above the nodes: a file, 'dragonfly group:4 node:16 n[0-63]', 'names x{group}c*', builtin:NAME HOSTS").reads(File),
    row(&["network-levels"], One, "WORDS", M::NetworkLevels, Job, Once, "what levels of the network are called, from the lowest up"),
    row(&["node-order"], One, "ORDER", M::NodeOrder, Job, Once, "network: take the nodes in the order of the network"),
    row(&["rank-order"], One, "ORDER", M::RankOrder, Job, Once, "which rank each place gets: cells:GRID:CELL[/CELL…] strips:GRID kdtree:GRID hyperplane:GRID planes:GRID file:F").reads(Behind("file:")),
    row(&["taskmap"], One, "MAP", M::Taskmap, App, Once, "the node of each rank from a task map, or @FILE").reads(Behind("@")),
    row(&["lsf-affinity"], One, "FILE", M::LsfAffinity, Job, Once, "LSF's affinity file").reads(File),
    row(&["from-env"], One, "NAME", M::FromEnv, Outer, Once, "the affinity file that this variable names: LSB_AFFINITY_HOSTFILE"),
    row(&["here"], Maybe, "SYSTEM", M::Here, Line, Once, "hosts and slots from the environment: flux pals slurm lsf pbs cobalt oar sge; - is Flux's R on standard input").reads(File),
    row(&["format"], One, "F", M::Format, Outer, Once, "text map tsv ndjson json html svg taskmap pmi raw"),
    row(&["display"], One, "WORDS", M::Display, Outer, Many, "map or map-devel: as --format map"),
    row(&["rtos", "runtime-options"], One, "WORDS", M::Rtos, Job, Many, "donotlaunch is what we always do"),
    row(&["o"], One, "FILE", M::Output, Outer, Once, "write there instead of standard output, all or nothing"),
    row(&["node"], One, "HOSTS", M::Node, Outer, Once, "only the ranks on these nodes: n3,m[0-2] (tsv, ndjson, map, text, html, svg)"),
    row(&["ranks"], One, "LIST", M::Ranks, Outer, Once, "only these ranks: 37,40-45 (tsv, ndjson, map, text, html, svg)"),
    row(&["app"], One, "LIST", M::App, Outer, Once, "only the ranks of these apps: 1 (tsv, ndjson, map, text, html, svg)"),
    row(&["quiet-notes"], One, "NAME", M::QuietNotes, Outer, Many, "leave out notes of this class; NAME,NAME too; may be repeated"),
    row(&["strict"], Nothing, "", M::Strict, Outer, Once, "exit with status 3 if there is any note"),
    row(&["save"], One, "PLAN", M::Save, Outer, Once, "also save the plan"),
    row(&["threads"], One, "N", M::Threads, Outer, Once, "worker threads; any number gives the same bytes"),
    row(&["show-attributes"], Maybe, "before", M::ShowAttributes, Outer, Once, "spawn: what the job and each app carry after (before) the relay"),
    old(&["N", "npernode"], One, "K", Old::PerNode, "--map-by ppr:K:node"),
    old(&["pernode"], Nothing, "", Old::OnePerNode, "--map-by ppr:1:node"),
    old(&["npersocket"], One, "K", Old::PerPackage, "--map-by ppr:K:package"),
    old(&["ppr"], One, "K:OBJECT", Old::Ppr, "--map-by ppr:K:OBJECT"),
    old(&["bynode"], Nothing, "", Old::ByNode, "--map-by node"),
    old(&["bycore"], Nothing, "", Old::ByCore, "--map-by core"),
    old(&["byslot"], Nothing, "", Old::BySlot, "--map-by slot"),
    old(&["bysocket"], Nothing, "", Old::ByPackage, "--map-by package"),
    old(&["loadbalance"], Nothing, "", Old::LoadBalance, "--map-by node --rank-by slot"),
    old(&["cpu-set", "cpu-list"], One, "LIST", Old::CpuSet, "--map-by pe-list=LIST"),
    old(&["rankfile", "rf"], One, "FILE", Old::Rankfile, "--map-by rankfile:file=FILE").reads(File),
    old(&["oversubscribe"], Nothing, "", Old::Oversubscribe, "--map-by :oversubscribe"),
    old(&["nooversubscribe"], Nothing, "", Old::NoOversubscribe, "--map-by :nooversubscribe"),
    old(&["nolocal"], Nothing, "", Old::NoLocal, "--map-by :nolocal"),
    old(&["use-hwthread-cpus"], Nothing, "", Old::HwtCpus, "--map-by :hwtcpus"),
    old(&["cpus-per-proc", "cpus-per-rank"], One, "N", Old::CpusPerProc, "--map-by :pe=N"),
    old(&["bind-to-none"], Nothing, "", Old::BindToNone, "--bind-to none"),
    old(&["bind-to-core"], Nothing, "", Old::BindToCore, "--bind-to core"),
    old(&["bind-to-socket"], Nothing, "", Old::BindToPackage, "--bind-to package"),
];
