//! The machine on which a job is placed: its topologies, the nodes that have them, and the cpus that may be used.

use crate::args::JobArgs;
use crate::devices::give_all;
use crate::error::JobError;
use crate::named_nodes::hosts;
use crate::outside::Outside;
use crate::rows::{ROWS_MAX, Row, change};
use crate::sources::Sources;
use std::collections::HashSet;
use stowplan_engine::error::Note;
use stowplan_engine::id::Id as _;
use stowplan_engine::limit::OBJECTS_MAX;
use stowplan_engine::map::{CpuList, Machine};
use stowplan_engine::policy::CpuMode;
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::names::{NameRange, Names, NodeId};
use stowplan_engine::table::topologies::{Topologies, TopologyDraft, TopologyId};
use stowplan_engine::text::cursor::whole_ranges;
use stowplan_engine::text::hostlist::plain;
use stowplan_launchers::line::{Launcher, granted};

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
    let mut tables = Tables::default();
    let mut rows = topologies(job, outside)?;
    if job.topos.is_empty() {
        // Without --topo, this machine's topology is used for its own nodes only: no topology is ever assumed. If it cannot be
        // read, no node has a topology.
        if let Ok(draft) = outside.here() {
            rows.push(Row {
                nodes: Some(own_names(job, outside)),
                draft,
                source: HERE.to_owned(),
            });
        }
    }
    if let Some(Assumed { draft, source }) = assumed {
        rows.push(Row {
            nodes: None,
            draft,
            source,
        });
    }
    limit_all(&mut rows, job)?;
    give_all(&mut rows, &job.devices)?;
    let (mut default, mut assigned) = (None, Vec::new());
    for row in rows {
        let topology = tables.intern(row.draft, &row.source)?;
        match row.nodes {
            Some(nodes) => assigned.push((nodes, topology)),
            None => default = Some(topology),
        }
    }
    let machine = Machine {
        topologies: tables.topologies.into(),
        cpusets: tables.cpusets,
        default,
        assigned,
        local: job.head.clone(),
        cpu_list: job.default_cpu_list.as_deref().map(cpu_list).transpose()?,
        inferred: job.slots_by,
        candidates: None,
        order: Vec::new(),
    };
    Ok((machine, tables.sources))
}

/// The topologies that the options name, in their order.
fn topologies(job: &JobArgs, outside: &dyn Outside) -> Result<Vec<Row>, JobError> {
    let mut rows: Vec<Row> = Vec::new();
    let mut objects = 0;
    for (nodes, source) in &job.topos {
        let draft = match source.as_str() {
            HERE => outside.here()?,
            source => stowplan_topo::read(source, &|path| outside.read(path))?,
        };
        objects += draft.objects.len() + draft.pus_os.len();
        if objects > OBJECTS_MAX as usize {
            return Err(JobError::Told {
                class: "bad-topology",
                sentence: format!(
                    "topology {source}: with those before it there are {objects} objects, at most {OBJECTS_MAX} are held"
                ),
            });
        }
        let twice = rows.iter().any(|row| row.nodes.is_none());
        let nodes = match nodes {
            Some(nodes) => Some(hosts(nodes)?),
            None if twice => {
                return Err(JobError::Told {
                    class: "bad-option",
                    sentence: format!(
                        "--topo {source}: the topology of all nodes is given already; NODES=T gives that of some"
                    ),
                });
            }
            None => None,
        };
        let source = source.clone();
        rows.push(Row {
            nodes,
            draft,
            source,
        });
    }
    Ok(rows)
}

#[derive(Default)]
struct Tables {
    topologies: Topologies,
    cpusets: Cpusets,
    sources: Sources,
}

impl Tables {
    fn intern(&mut self, draft: TopologyDraft, source: &str) -> Result<TopologyId, JobError> {
        let id = self
            .topologies
            .add(draft, &mut self.cpusets)
            .map_err(|error| JobError::Told {
                class: "bad-topology",
                sentence: format!("topology {source}: {error}"),
            })?;
        self.sources.add(id, source);
        Ok(id)
    }
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

/// Limits nodes to the cpus that may be used there.
fn limit_all(rows: &mut Vec<Row>, job: &JobArgs) -> Result<(), JobError> {
    let mut cpu_lists = job.cpu_lists.iter();
    cpu_lists.try_for_each(|text| limit(rows, text))?;
    granted(job).map_or(Ok(()), |text| cut_down(rows, text))
}

/// What of its nodes a job was given, for launchers that see no more of a node than that.
fn granted(job: &JobArgs) -> Option<&str> {
    let line = job.line.as_ref()?;
    let sees_a_part = matches!(line.launcher, Launcher::Hydra | Launcher::Intel);
    job.granted.as_deref().filter(|_| sees_a_part)
}

/// Cuts the topologies of nodes down to the cpus of `--granted`, by OS number.
fn cut_down(rows: &mut Vec<Row>, text: &str) -> Result<(), JobError> {
    let bad = |why: &str| JobError::Told {
        class: "bad-value",
        sentence: format!("--granted {text}: {why}"),
    };
    if !granted::is_words(text) {
        return Err(bad("NODES=CPUS is asked for, as n0=0-7,n1=0-3"));
    }
    for (nodes, cpus) in granted::read(text).map_err(|why| bad(&why))? {
        change(rows, Some(vec![nodes]), &|draft| {
            let there: HashSet<u32> = draft.pus_os.iter().copied().collect();
            if let Some(cpu) = cpus.iter().find(|cpu| !there.contains(cpu)) {
                return Err(bad(&format!("cpu {cpu} is not of these nodes")));
            }
            *draft = stowplan_topo::keep_pus(draft.clone(), |os| cpus.contains(os));
            Ok(())
        })?;
        if rows.len() > ROWS_MAX {
            return Err(bad("so many kinds of nodes are too many"));
        }
    }
    Ok(())
}

/// `NODES=LIST`: limits these nodes to the cpus of the list. `NODES=0:1;1:3`: to these cores of packages.
fn limit(rows: &mut Vec<Row>, text: &str) -> Result<(), JobError> {
    let refused = |why: String| JobError::Told {
        class: "bad-cpu-list",
        sentence: format!("hwloc_default_cpu_list {text}: {why}"),
    };
    let (nodes, list) = text.split_once('=').unwrap_or(("", text));
    let pairs = package_cores(list);
    let list = match &pairs {
        Some(_) => None,
        None => Some(cpu_list(list)?),
    };
    let mode = list.as_ref().map_or(CpuMode::Core, |list| list.mode);
    change(rows, Some(hosts(nodes)?), &|draft| {
        let mut ranges = list
            .as_ref()
            .map_or_else(Vec::new, |list| list.ranges.clone());
        for &(package, core) in pairs.iter().flatten() {
            let own = stowplan_topo::core_of_package(draft, package, core);
            let own = own.ok_or_else(|| {
                refused(format!(
                    "these nodes have no core {core} in a package {package}; both are counted from 0"
                ))
            })?;
            ranges.push((own, own));
        }
        let kept = stowplan_topo::keep_units(draft, &ranges, mode);
        *draft = kept.map_err(|there| {
            refused(format!(
                "these nodes have {there} cpus to be listed, from 0 on"
            ))
        })?;
        Ok(())
    })?;
    if rows.len() > ROWS_MAX {
        return Err(refused(format!(
            "with the options before it there are {} kinds of nodes, at most {ROWS_MAX} are possible",
            rows.len()
        )));
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
        None => Err(JobError::Told {
            class: "bad-cpu-list",
            sentence: format!(
                "hwloc_default_cpu_list {text}: this is no list of logical cores such as 0-3,7 (or of PUs, with :HWTCPUS)"
            ),
        }),
    }
}
