//! What a launcher would do with its line, as a plan: hosts, variables and hardware go in, a placement comes out.

use super::launched::Launched;
use super::variables::variables;
use super::{LineArgs, gpus, with_variables};
use crate::job::args::{JobArgs, MapArgs};
use crate::job::error::{JobError, one_line, told, value};
use crate::job::machine;
use crate::job::options::Meaning;
use crate::job::outside::Outside;
use crate::job::sources::Sources;
use crate::job::thread_words::of_line;
use crate::job::words::CommandLine;
use crate::launchers::line::{
    Hardware, Laid, LaidApp, LaidProcs, Launcher, LineAsked, LineRefused, OurHost, OurHosts,
};
use std::collections::HashMap;
use std::sync::Arc;
use stowplan_engine::error::at::At;
use stowplan_engine::error::{MapError, Note, SpecError};
use stowplan_engine::given::{self, GivenApp, GivenJob, GivenProcs, GivenRun};
use stowplan_engine::id::Id as _;
use stowplan_engine::map::{Machine, Mapped};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::names::{NameRange, Names, NodeId, NodeRange};
use stowplan_engine::table::topologies::{Topologies, TopologyId};
use stowplan_engine::text::host_types::{EntrySlots, HostEntry, HostfileWhat};
use stowplan_engine::text::hostfile::read_hostfile;
use stowplan_engine::text::hostlist::read_hosts;
use stowplan_engine::text::printable::disturbs;

/// Places a launcher's line on the machine that our own words describe.
///
/// # Errors
/// The launcher's refusals, and errors of our own words.
pub(crate) fn place(
    asked: &MapArgs,
    line: &LineArgs,
    outside: &dyn Outside,
) -> Result<(Mapped, Sources), JobError> {
    let job = &asked.job;
    let (machine, mut sources) = machine::read(job, outside)?;
    let (mapped, launched) = place_on(&machine, job, line, outside)?;
    sources.launched = Some(launched);
    Ok((mapped, sources))
}

/// Places a launcher's line on a machine.
///
/// # Errors
/// As [`place`], except for errors about topologies.
pub(crate) fn place_on(
    machine: &Machine,
    job: &JobArgs,
    line: &LineArgs,
    outside: &dyn Outside,
) -> Result<(Mapped, Launched), JobError> {
    if machine.candidates.is_some() {
        let sentence = format!(
            "{}: only prterun's words are placed in a session",
            line.command
        );
        return Err(told("bad-option", sentence));
    }
    let line = &with_variables(line, &variables(job, outside)?)?;
    let lay = match line.launcher {
        Launcher::Prte => return Err(told("internal", "prterun's words are read as ours")),
        Launcher::Hydra => crate::launchers::hydra::lay,
        Launcher::Intel => crate::launchers::intel::lay,
        Launcher::Slurm => crate::launchers::slurm::lay,
        Launcher::Flux => crate::launchers::flux::lay,
        Launcher::Pals => crate::launchers::pals::lay,
        Launcher::Aprun => crate::launchers::aprun::lay,
        Launcher::Jsrun => crate::launchers::jsrun::lay,
    };
    let laid = as_asked(machine, job, line, outside, lay)?;
    let launched = Launched {
        line: line.clone(),
        version: laid.version.clone(),
        derived: laid.derived.clone(),
    };
    let notes = laid.notes.iter().map(|note| Note::OfLine {
        class: note.class,
        text: note.text.clone(),
    });
    let notes = notes.collect();
    let programs: Vec<Vec<String>> = laid.apps.iter().map(|app| app.program.clone()).collect();
    let mut plan = given::plan(given_job(laid, machine)?).map_err(MapError::Place)?;
    plan.set_thread_words(of_line(job, line, &programs, outside)?);
    let mapped = Mapped {
        plan,
        notes,
        calls: Vec::new(),
    };
    Ok((mapped, launched))
}

/// Asks a launcher's folder about a line with all that it stands in.
///
/// # Errors
/// Those of our own words, and the launcher's.
pub(super) fn as_asked<T>(
    machine: &Machine,
    job: &JobArgs,
    line: &LineArgs,
    outside: &dyn Outside,
    ask: impl FnOnce(&LineAsked<'_>) -> Result<T, LineRefused>,
) -> Result<T, JobError> {
    let hosts = our_hosts(&job.our_hosts, outside)?;
    let variables = variables(job, outside)?;
    let known = Known { machine };
    let builtin = job
        .topos
        .iter()
        .find_map(|(_, source)| source.strip_prefix("builtin:"));
    let asked = LineAsked {
        command: &line.command,
        version: line.version.as_deref(),
        words: &line.words,
        variables: &variables,
        alloc: job.alloc.as_deref(),
        granted: job.granted.as_deref(),
        site: job.site.as_deref(),
        machine: builtin,
        head: machine.local.as_deref(),
        hosts: &hosts,
        hardware: &known,
        files: outside,
        refusals: job.refusals,
    };
    ask(&asked).map_err(|refused| refusal(&refused, line))
}

/// The hosts that our own words name, in their order.
pub(crate) fn our_hosts(words: &[String], outside: &dyn Outside) -> Result<OurHosts, JobError> {
    let line = CommandLine::read(words);
    let mut hosts = Vec::new();
    let mut said = false;
    for option in line.apps.iter().flat_map(|app| &app.options) {
        let value = option.values.last().map_or("", String::as_str);
        match option.meaning {
            Some(Meaning::Host) => {
                said = true;
                let entries = read_hosts(value)
                    .map_err(|_| told("bad-hostlist", format!("-H {value}: no host list")))?;
                for entry in entries {
                    hosts.push(named(entry, value)?);
                }
            }
            Some(Meaning::Hostfile) => {
                said = true;
                from_file(value, outside, &mut hosts)?;
            }
            _ => {}
        }
    }
    Ok(if said {
        OurHosts::Said(hosts)
    } else {
        OurHosts::Unsaid
    })
}

fn named(entry: HostEntry, value: &str) -> Result<OurHost, JobError> {
    match entry {
        HostEntry::Names(names, slots) => Ok(OurHost {
            names,
            slots: match slots {
                EntrySlots::Count(slots) => Some(slots),
                EntrySlots::One | EntrySlots::Infer => None,
            },
        }),
        HostEntry::Nth(_) | HostEntry::Empty(_) => Err(told(
            "bad-hostlist",
            format!(
                "-H {value}: nodes before a launcher's line are named, relative ones have no name"
            ),
        )),
    }
}

fn from_file(path: &str, outside: &dyn Outside, hosts: &mut Vec<OurHost>) -> Result<(), JobError> {
    let bytes = outside.read(path).map_err(|error| {
        told(
            "bad-hostfile",
            format!("hostfile {path}: cannot be read: {error}"),
        )
    })?;
    let file = read_hostfile(path, &bytes)?;
    for line in file.lines {
        match line.what {
            HostfileWhat::Name(names) | HostfileWhat::Ranked(names) => hosts.push(OurHost {
                names,
                slots: line.slots,
            }),
            HostfileWhat::Exclude(_) | HostfileWhat::Nth(_) | HostfileWhat::Empty(_) => {
                return Err(told(
                    "bad-hostfile",
                    format!(
                        "{path}:{}: nodes before a launcher's line are named",
                        line.line
                    ),
                ));
            }
        }
    }
    Ok(())
}

/// The machine's hardware, by the names of nodes.
struct Known<'m> {
    machine: &'m Machine,
}

impl Hardware for Known<'_> {
    fn of_names(&self, names: &NameRange) -> Vec<(u32, TopologyId)> {
        of_names(self.machine, names)
            .into_iter()
            .filter_map(|(count, topology)| Some((count, topology?)))
            .collect()
    }
    fn topologies(&self) -> &Topologies {
        &self.machine.topologies
    }
    fn cpusets(&self) -> &Cpusets {
        &self.machine.cpusets
    }
}

/// The topology of each node of a range of names, as counts in its order. Later assignments win.
fn of_names(machine: &Machine, range: &NameRange) -> Vec<(u32, Option<TopologyId>)> {
    let mut names = Names::default();
    if names.add(range).is_err() {
        return Vec::new();
    }
    let mut runs = stowplan_engine::table::states::Runs::default();
    runs.push(names.len(), machine.default);
    for (ranges, topology) in &machine.assigned {
        let nodes = ranges.iter().flat_map(|range| names.find(range).0);
        let mut changes: Vec<_> = nodes.map(|nodes| (nodes, Some(*topology))).collect();
        runs.change(&mut changes);
    }
    runs.iter()
        .map(|(nodes, topology)| (nodes.count, topology))
        .collect()
}

/// What the launcher decided, with the topology of each node.
fn given_job(laid: Laid, machine: &Machine) -> Result<GivenJob, JobError> {
    for (_, names) in laid.names.ranges() {
        // A name of the line goes into pages and plans.
        if names.prefix.contains(disturbs) || names.suffix.contains(disturbs) {
            let name = one_line(&format!("{}{}", names.prefix, names.suffix));
            let sentence = format!("{name}: the name of a node has no control characters");
            return Err(told("bad-hostlist", sentence));
        }
    }
    let mut nodes = nodes(&laid, machine)?;
    let (mut topologies, mut cpusets) = (machine.topologies.clone(), machine.cpusets.clone());
    gpus::add(
        &laid,
        &mut nodes,
        &mut topologies,
        Arc::make_mut(&mut cpusets),
    )
    .map_err(|error| told("bad-topology", error.to_string()))?;
    let mut made = Made {
        laid: &laid,
        topologies: &topologies,
        rows: HashMap::new(),
        patterns: Vec::new(),
    };
    let apps = laid.apps.iter().map(|app| made.app(app, &nodes)).collect();
    let patterns = made.patterns;
    let local = machine
        .local
        .as_deref()
        .and_then(|name| laid.names.find_name(name));
    Ok(GivenJob {
        names: laid.names,
        nodes,
        topologies,
        cpusets,
        local,
        patterns,
        apps,
    })
}

/// The topology and the slots of each node.
fn nodes(laid: &Laid, machine: &Machine) -> Result<Vec<(u32, TopologyId, u32)>, JobError> {
    let mut nodes = Vec::new();
    let mut slots = laid.slots.iter().copied().peekable();
    for (range, names) in laid.names.ranges() {
        let mut first = range.first;
        for (count, topology) in of_names(machine, &names) {
            let Some(topology) = topology else {
                let node = laid.names.name(NodeId::from_row(first as usize));
                let error = stowplan_engine::error::PlaceError::NoTopology { node };
                return Err(MapError::Place(error).into());
            };
            let end = first + count;
            while first < end {
                while slots.next_if(|(nodes, _)| nodes.end() <= first).is_some() {}
                let (until, each) = match slots.peek() {
                    Some((nodes, each)) if nodes.first <= first => (nodes.end().min(end), *each),
                    Some((nodes, _)) => (nodes.first.min(end), cores(machine, topology)),
                    None => (end, cores(machine, topology)),
                };
                nodes.push((until - first, topology, each));
                first = until;
            }
        }
    }
    Ok(nodes)
}

fn cores(machine: &Machine, topology: TopologyId) -> u32 {
    match machine.topologies.count(topology, ObjKind::Core) {
        0 => machine.topologies.count(topology, ObjKind::Hwthread),
        cores => cores,
    }
}

/// Patterns as the engine has them, with GPUs by logical number. No launcher tells objects.
struct Made<'l> {
    laid: &'l Laid,
    topologies: &'l Topologies,
    /// Rows of `patterns` by the launcher's pattern and the topology.
    rows: HashMap<(usize, TopologyId), usize>,
    patterns: Vec<Vec<GivenProcs>>,
}

impl Made<'_> {
    fn app(&mut self, app: &LaidApp, nodes: &[(u32, TopologyId, u32)]) -> GivenApp {
        let mut runs: Vec<GivenRun> = Vec::new();
        let mut starts = Vec::with_capacity(nodes.len());
        let mut next = 0;
        for &(count, topology, _) in nodes {
            starts.push((next, next + count, topology));
            next += count;
        }
        for run in &app.runs {
            let first = starts.partition_point(|&(_, end, _)| end <= run.nodes.first);
            for &(start, end, topology) in &starts[first..] {
                let part = NodeRange::until(start, end).overlap(run.nodes);
                let Some(nodes) = part else { break };
                let pattern = self.pattern(run.pattern, topology);
                match runs.last_mut() {
                    Some(last) if last.pattern == pattern && last.nodes.end() == nodes.first => {
                        last.nodes.count += nodes.count;
                    }
                    Some(_) | None => runs.push(GivenRun {
                        nodes,
                        pattern,
                        kind: None,
                    }),
                }
            }
        }
        GivenApp {
            number: app.number,
            program: app.program.clone(),
            runs,
            order: app.order.clone(),
        }
    }

    fn pattern(&mut self, pattern: usize, topology: TopologyId) -> usize {
        if let Some(&row) = self.rows.get(&(pattern, topology)) {
            return row;
        }
        let gpus = self.topologies.gpus(topology);
        let given = |procs: &LaidProcs| GivenProcs {
            count: procs.count,
            object: None,
            cpus: procs.cpus.clone(),
            gpus: procs.gpus.as_ref().map(|numbers| {
                let logical = numbers.iter().filter_map(|&number| {
                    let at = gpus.iter().position(|gpu| gpu.visible == number)?;
                    u32::try_from(at).ok()
                });
                logical.collect()
            }),
        };
        let row = self.patterns.len();
        self.patterns
            .push(self.laid.patterns[pattern].iter().map(given).collect());
        self.rows.insert((pattern, topology), row);
        row
    }
}

/// A launcher's refusal, with its place in the line.
fn refusal(refused: &LineRefused, line: &LineArgs) -> JobError {
    let at = refused.at.as_ref().map(|(word, bytes)| {
        let words = &line.words;
        let before: usize = words.iter().take(*word).map(|word| word.len() + 1).sum();
        let number = |byte: usize| u32::try_from(before + byte).unwrap_or(u32::MAX);
        At {
            text: value(None, &line.command, &words.join(" ")),
            start: number(bytes.start),
            end: number(bytes.end),
        }
    });
    SpecError::OfLine {
        class: refused.class,
        sentence: refused.sentence.clone(),
        at,
        help: refused.help.clone(),
    }
    .into()
}
