//! The machine on which a job is placed: its topologies, the nodes that have them, and the cpus that may be used.

use crate::job::args::JobArgs;
use crate::job::error::{JobError, told};
use crate::job::hardware::{Hardware, Unsound};
use crate::job::named_nodes::hosts;
use crate::job::outside::Outside;
use crate::job::sources::Sources;
use crate::launchers::line::{Launcher, granted};
use stowplan_engine::error::{MapError, Note, PlaceError};
use stowplan_engine::id::Id as _;
use stowplan_engine::limit::OBJECTS_MAX;
use stowplan_engine::map::{CpuList, Machine};
use stowplan_engine::policy::CpuMode;
use stowplan_engine::table::names::{NameRange, Names, NodeId};
use stowplan_engine::table::topologies::TopologyDraft;
use stowplan_engine::text::cursor::whole_ranges;
use stowplan_engine::text::hostlist::plain;

/// The word for this machine, on which stowplan runs.
const HERE: &str = "here";
/// The node of a job that names neither hosts nor `--head`.
const LOCALHOST: &str = "localhost";

/// Reads what the options of the job say about the machine.
///
/// # Errors
/// `bad-topology`, `bad-hostlist`, `bad-cpu-list`, `bad-option`: the first, in the order of the options.
///
/// Cost: the texts, and the files that they name.
pub fn read(job: &JobArgs, outside: &dyn Outside) -> Result<(Machine, Sources), JobError> {
    read_assuming(job, None, outside)
}

/// A topology for nodes of which nothing is said.
pub(crate) struct Assumed {
    pub(crate) draft: TopologyDraft,
    /// Where it came from.
    pub(crate) source: String,
}

/// The same, with a topology for nodes of which nothing is said.
pub(crate) fn read_assuming(
    job: &JobArgs,
    assumed: Option<Assumed>,
    outside: &dyn Outside,
) -> Result<(Machine, Sources), JobError> {
    let mut hardware = topologies(job, outside)?;
    if job.topos.is_empty() {
        // Without --topo, this machine's topology is used for its own nodes only: no topology is ever assumed. If it cannot be
        // read, no node has a topology.
        if let Ok(draft) = outside.here() {
            hardware.assign(Some(own_names(job, outside)), draft.into(), HERE.to_owned());
        }
    }
    if let Some(Assumed { draft, source }) = assumed {
        hardware.assign(None, draft.into(), source);
    }
    limit(&mut hardware, job)?;
    if let Some(text) = granted(job) {
        cut_down(&mut hardware, text)?;
    }
    hardware.give_devices(&job.devices)?;
    let made = hardware.interned();
    let (machine, sources) = made.map_err(|Unsound { source, why }| {
        told("bad-topology", format!("topology {source}: {why}"))
    })?;
    let machine = Machine {
        local: job.head.clone(),
        cpu_list: job.default_cpu_list.as_deref().map(cpu_list).transpose()?,
        inferred: job.slots_by,
        ..machine
    };
    Ok((machine, sources))
}

/// The topologies that the options name, in their order.
fn topologies(job: &JobArgs, outside: &dyn Outside) -> Result<Hardware, JobError> {
    let mut hardware = Hardware::default();
    let mut of_all = false;
    let mut objects = 0;
    for (nodes, source) in &job.topos {
        let draft = match source.as_str() {
            HERE => outside.here()?,
            source => stowplan_topo::read(source, &|path| outside.read(path))?,
        };
        objects += draft.objects.len() + draft.pus_os.len();
        if objects > OBJECTS_MAX as usize {
            return Err(told(
                "bad-topology",
                format!(
                    "topology {source}: with those before it there are {objects} objects, at most {OBJECTS_MAX} are held"
                ),
            ));
        }
        let nodes = match nodes {
            Some(nodes) => Some(hosts(nodes)?),
            None if of_all => {
                return Err(told(
                    "bad-option",
                    format!(
                        "--topo {source}: the topology of all nodes is given already; NODES=T gives that of some"
                    ),
                ));
            }
            None => None,
        };
        of_all |= nodes.is_none();
        hardware.assign(nodes, draft.into(), source.clone());
    }
    Ok(hardware)
}

/// A note for each option that names nodes, but none of the job's nodes.
///
/// Cost: a search for each range of names.
pub fn without_nodes(job: &JobArgs, names: &Names) -> Vec<Note> {
    let topologies = job.topos.iter();
    let topologies = topologies.filter_map(|(nodes, _)| Some(("--topo", nodes.as_deref()?)));
    let devices = job.devices.iter().filter_map(|text| {
        let (nodes, _) = stowplan_topo::devices::read(text).ok()?;
        Some(("--devices", nodes?))
    });
    let mut notes = Vec::new();
    for (option, nodes) in topologies.chain(devices) {
        let ranges = hosts(nodes).unwrap_or_default();
        let named = ranges.iter().any(|range| !names.find(range).0.is_empty());
        if !named && !names.is_empty() {
            notes.push(Note::NoNodeNamed {
                option,
                nodes: nodes.to_owned(),
                first: names.name(NodeId::from_row(0)),
            });
        }
    }
    notes
}

/// The names that this machine may have in a job.
fn own_names(job: &JobArgs, outside: &dyn Outside) -> Vec<NameRange> {
    let mut names = outside.names_here();
    names.push(LOCALHOST.to_owned());
    names.extend(job.head.clone());
    names.iter().map(|name| plain(name)).collect()
}

/// Limits nodes to the cpus that may be used there: `NODES=LIST`, or `NODES=0:1;1:3` for cores of packages, one after another.
pub(crate) fn limit(hardware: &mut Hardware, job: &JobArgs) -> Result<(), JobError> {
    for (at, text) in job.cpu_lists.iter().enumerate() {
        let (nodes, list) = text.split_once('=').unwrap_or(("", text));
        let nodes = hosts(nodes)?;
        let limited = match package_cores(list) {
            Some(cores) => hardware.limit_to_cores(nodes, &cores),
            None => hardware.limit(nodes, &cpu_list(list)?),
        };
        limited.map_err(|why| {
            told(
                "bad-cpu-list",
                match &job.cores_from {
                    Some(from) => format!("{} gives cores {text}: {why}", from.entry(at)),
                    None => format!("hwloc_default_cpu_list {text}: {why}"),
                },
            )
        })?;
    }
    Ok(())
}

/// The refusal of a list of cores that nobody typed names who says it.
pub(crate) fn refused(job: &JobArgs, error: MapError) -> JobError {
    match (&job.cores_from, error) {
        (
            Some(from),
            MapError::Place(PlaceError::BadCpuList {
                text,
                entry,
                node,
                what,
                last,
            }),
        ) => {
            let start = entry.split('-').next().and_then(|text| text.parse().ok());
            let missing = start.unwrap_or(0).max(last + 1);
            told(
                "bad-cpu-list",
                format!(
                    "{} gives {what} {text}: node {node} has no number {missing}, it has {what} 0 to {last}",
                    from.entry(0)
                ),
            )
        }
        (_, error) => error.into(),
    }
}

/// What of its nodes a job was given, for launchers that see no more of a node than that.
fn granted(job: &JobArgs) -> Option<&str> {
    let line = job.line.as_ref()?;
    let sees_a_part = matches!(line.launcher, Launcher::Hydra | Launcher::Intel);
    job.granted.as_deref().filter(|_| sees_a_part)
}

/// Cuts the topologies of nodes down to the cpus of `--granted`, by OS number.
fn cut_down(hardware: &mut Hardware, text: &str) -> Result<(), JobError> {
    let bad = |why: &str| told("bad-value", format!("--granted {text}: {why}"));
    if !granted::is_words(text) {
        return Err(bad("NODES=CPUS is asked for, as n0=0-7,n1=0-3"));
    }
    for (nodes, cpus) in granted::read(text).map_err(|why| bad(&why))? {
        let cut = hardware.restrict(vec![nodes], &cpus);
        cut.map_err(|why| bad(&why))?;
    }
    Ok(())
}

/// `0:1;1:3`: packages and the cores in them, as a batch system gives them. `None` for another text.
fn package_cores(text: &str) -> Option<Vec<(u32, u32)>> {
    let pair = |pair: &str| {
        let (package, core) = pair.split_once(':')?;
        Some((package.parse().ok()?, core.parse().ok()?))
    };
    text.split(';').map(pair).collect()
}

/// `0-3,7` or `0-3,7:HWTCPUS` (`semantics` 1.7).
pub fn cpu_list(text: &str) -> Result<CpuList, JobError> {
    let (list, mode) = match text.rsplit_once(':') {
        Some((list, word)) if word.eq_ignore_ascii_case("hwtcpus") => (list, CpuMode::Hwthread),
        Some((list, word)) if word.eq_ignore_ascii_case("corecpus") => (list, CpuMode::Core),
        Some(_) | None => (text, CpuMode::Core),
    };
    match whole_ranges(list) {
        Some(ranges) => Ok(CpuList {
            ranges,
            mode,
            text: text.to_owned(),
        }),
        None => Err(told(
            "bad-cpu-list",
            format!(
                "hwloc_default_cpu_list {text}: this is no list of logical cores such as 0-3,7 (or of PUs, with :HWTCPUS)"
            ),
        )),
    }
}
