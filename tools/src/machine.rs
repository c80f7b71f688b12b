//! The machine that a job is placed on: topologies read, nodes they are for, the cpus that may be used.

use crate::args::JobArgs;
use crate::format::Sources;
use crate::report::Refused;
use stowplan_engine::map::{CpuList, Machine};
use stowplan_engine::policy::CpuMode;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::names::NameRange;
use stowplan_engine::table::topologies::{Topologies, TopologyDraft, TopologyId};
use stowplan_engine::text::cursor::whole_ranges;
use stowplan_engine::text::hostlist::{HostFault, read_hosts};
use stowplan_engine::text::hosts::{EntrySlots, HostEntry};
use stowplan_topo::TopoError;

/// The machine that is assumed where nobody names one and this machine cannot be read.
const ASSUMED: &str = "builtin:perlmutter-cpu";

/// Reads what the options of the job say of the machine.
///
/// # Errors
/// `bad-topology`, `bad-hostlist`, `bad-cpu-list`, `bad-option`: the first, in the order of the options.
///
/// Cost: the texts and files named.
pub fn read(job: &JobArgs, files: &dyn Files) -> Result<(Machine, Sources), Refused> {
    let mut tables = Tables::default();
    let mut default = None;
    let mut assigned = Vec::new();
    for (nodes, source) in &job.topos {
        let topology = tables.add(source, files)?;
        match nodes {
            Some(nodes) => assigned.push((hosts(nodes)?, topology)),
            None if default.is_some() => {
                return Err(Refused::Told {
                    class: "bad-option",
                    sentence: format!(
                        "--topo {source}: the topology of all nodes is given already; NODES=T gives that of some"
                    ),
                });
            }
            None => default = Some(topology),
        }
    }
    if job.topos.is_empty() {
        default = Some(tables.assume()?);
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
    };
    Ok((machine, tables.sources))
}

#[derive(Default)]
struct Tables {
    topologies: Topologies,
    cpusets: Cpusets,
    sources: Sources,
}

impl Tables {
    fn add(&mut self, source: &str, files: &dyn Files) -> Result<TopologyId, Refused> {
        let draft = stowplan_topo::read(source, &|path| files.read(path))?;
        self.intern(draft, source)
    }

    fn intern(&mut self, draft: TopologyDraft, source: &str) -> Result<TopologyId, Refused> {
        let id = self
            .topologies
            .add(draft, &mut self.cpusets)
            .map_err(|error| Refused::Told {
                class: "bad-topology",
                sentence: format!("topology {source}: {error}"),
            })?;
        self.sources.add(id, source);
        Ok(id)
    }

    /// The topology that serves where none is given: this machine's, else a named one.
    fn assume(&mut self) -> Result<TopologyId, Refused> {
        let (draft, source) = assumed()?;
        self.sources.assumed = Some(match source {
            ASSUMED => "assumed: no --topo",
            _ => "no --topo: the machine at hand",
        });
        self.intern(draft, source)
    }
}

#[cfg(feature = "hwloc")]
fn assumed() -> Result<(TopologyDraft, &'static str), TopoError> {
    Ok((stowplan_topo::live::detect()?, "this machine"))
}

#[cfg(not(feature = "hwloc"))]
fn assumed() -> Result<(TopologyDraft, &'static str), TopoError> {
    let draft = stowplan_topo::read(ASSUMED, &|path| Err(format!("{path} is not read")))?;
    Ok((draft, ASSUMED))
}

/// The names of `NODES=T`: a host list without counts.
fn hosts(text: &str) -> Result<Vec<NameRange>, Refused> {
    let refused = |reason: String| Refused::Told {
        class: "bad-hostlist",
        sentence: format!("--topo {text}=…: {reason}"),
    };
    let entries = read_hosts(text).map_err(|error| refused(fault(error.fault)))?;
    let mut names = Vec::with_capacity(entries.len());
    for entry in entries {
        match entry {
            HostEntry::Names(range, EntrySlots::One) => names.push(range),
            HostEntry::Names(_, EntrySlots::Count(_) | EntrySlots::Infer) => {
                return Err(refused(
                    "nodes are named here, their slots are given with --host".to_owned(),
                ));
            }
            HostEntry::Nth(_) | HostEntry::Empty(_) => {
                return Err(refused(
                    "nodes are named here, relative ones have no name".to_owned(),
                ));
            }
        }
    }
    Ok(names)
}

fn fault(fault: HostFault) -> String {
    match fault {
        HostFault::Syntax(what) => what.to_owned(),
        HostFault::TooMany(nodes) => format!("{nodes} nodes are more than there can be"),
    }
}

/// `0-3,7` or `0-3,7:HWTCPUS` (`semantics` 1.7).
fn cpu_list(text: &str) -> Result<CpuList, Refused> {
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
        None => Err(Refused::Told {
            class: "bad-cpu-list",
            sentence: format!(
                "hwloc_default_cpu_list {text}: this is no list of logical cores such as 0-3,7 (or of PUs, with :HWTCPUS)"
            ),
        }),
    }
}
