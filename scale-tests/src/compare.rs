//! Compares the engine with the plain mapper, one job at a time: rows or class, the judge, threads, bytes.

use crate::catalogue::{Entry, MACHINES, cpu_list};
use crate::job::Job;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use stowplan::answers::verify::verify;
use stowplan_engine::count::{ProcCount, Rank};
use stowplan_engine::devices::DeviceClass;
use stowplan_engine::error::{MapError, Note};
use stowplan_engine::id::Id as _;
use stowplan_engine::map::{CpuList, Machine, Mapped, map_resolved, map_shared};
use stowplan_engine::plan::gpus::GivenGpus;
use stowplan_engine::plan::{Plan, ProcTable};
use stowplan_engine::policy::CpuMode;
use stowplan_engine::stage::component::Call;
use stowplan_engine::stage::resolve::Resolved;
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::topologies::{Topologies, TopologyDraft};
use stowplan_engine::taskmap::{JobNode, Limits, TaskMap, TaskMapError};
use stowplan_engine::text::hostlist::plain;
use stowplan_reference::cpus::Cpus;
use stowplan_reference::{Refusal, Row, World, map, read_machine};

/// The result of comparing both on a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Both place it alike, with this many processes.
    Mapped(usize),
    /// The words alone are refused: the plain mapper is not asked.
    Words(&'static str),
    /// Both refuse it with this class.
    Refused(&'static str),
    /// They differ, or the plan is not sound.
    Differs(Difference),
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// One word for it: `rows`, `table`, `taskmap`, `class`, `accepted`, `refused`, `check`, `threads`, `bytes`, `panic`.
    pub kind: &'static str,
    /// The engine's answer.
    pub engine: String,
    /// The plain mapper's answer, or the promise that was broken.
    pub wanted: String,
}

impl Verdict {
    /// One of them panicked.
    #[must_use]
    pub fn panicked() -> Self {
        differs("panic", "a panic".to_owned(), "an answer".to_owned())
    }
}

/// The engine's first answer to a job, to compare with a later one.
#[derive(Clone, Debug)]
pub struct Said {
    resolved: Resolved,
    /// The hardware, shared by all jobs of the same machines.
    machine: Arc<Machine>,
    answer: Answer,
}

impl Said {
    /// Places the job again on the threads of the current pool, with everything shared between them. `None`: the answer is the same.
    #[must_use]
    pub fn again(&self, job: &Job) -> Option<Verdict> {
        let machine = fitted(&self.machine, job);
        let found = answer(map_shared(self.resolved.clone(), machine));
        (found != self.answer).then(|| {
            let told = |answer: &Answer| match answer {
                Ok((bytes, notes, _)) => format!("{} bytes, {notes:?}", bytes.len()),
                Err(error) => format!("{}: {error}", error.class()),
            };
            let threads = rayon::current_num_threads();
            let engine = format!("{} with {threads} threads", told(&found));
            differs("threads", engine, told(&self.answer))
        })
    }
}

/// The bytes of a plan with its notes and calls, or the refusal.
type Answer = Result<(Vec<u8>, Vec<Note>, Vec<Call>), MapError>;

/// How many engine machines a lab keeps.
const ENGINES_MAX: usize = 4096;

/// The machines of the catalogue as both sides read them.
pub struct Lab {
    machines: &'static [stowplan_reference::machine::Machine],
    /// Engine machines by their rows of the catalogue, made when first needed.
    engines: RefCell<HashMap<Vec<usize>, Arc<Machine>>>,
    /// The columns that each plan is expanded into.
    table: RefCell<ProcTable>,
}

impl Default for Lab {
    fn default() -> Self {
        Self::new()
    }
}

impl Lab {
    /// Reads the catalogue.
    ///
    /// # Panics
    /// When a machine of the catalogue cannot be read.
    #[must_use]
    pub fn new() -> Self {
        Self {
            machines: &READ,
            engines: RefCell::default(),
            table: RefCell::default(),
        }
    }

    /// Compares both on one job: rows or class, the explicit table, the task map, the judge, and the plan's bytes written and read
    /// back. Gives the engine's answer too, if the engine was asked.
    pub fn compare(&self, job: &Job) -> (Verdict, Option<Said>) {
        let resolved = match job.resolve() {
            Ok((resolved, _)) => resolved,
            Err(error) => return (Verdict::Words(error.class()), None),
        };
        let wanted = self.reference(job, &resolved);
        let machine = self.engine(job);
        let found = map_resolved(resolved.clone(), fitted(&machine, job));
        let verdict = match (verdict(&found, &wanted), &found, &wanted) {
            (Verdict::Mapped(rows), Ok(found), Ok(wanted)) => {
                let table = &mut *self.table.borrow_mut();
                found.plan.expand_into(table);
                table_that_differs(table, &found.plan, wanted)
                    .map_or(Verdict::Mapped(rows), Verdict::Differs)
            }
            (verdict, ..) => verdict,
        };
        let answer = answer(found);
        let mangled = match (&answer, &verdict) {
            (Ok((bytes, ..)), Verdict::Mapped(_)) => there_and_back(bytes),
            _ => None,
        };
        let said = Said {
            resolved,
            machine,
            answer,
        };
        (mangled.unwrap_or(verdict), Some(said))
    }

    /// Whether the engine places a job; nothing is compared.
    pub fn is_placed(&self, job: &Job) -> bool {
        let resolved = job.resolve().ok();
        resolved.is_some_and(|(resolved, _)| map_resolved(resolved, self.machine(job)).is_ok())
    }

    /// The machine of a job, for the engine.
    pub fn machine(&self, job: &Job) -> Machine {
        fitted(&self.engine(job), job)
    }

    /// The plain mapper's answer to a job.
    ///
    /// # Errors
    /// Its refusal.
    pub fn reference(&self, job: &Job, resolved: &Resolved) -> Result<Vec<Row>, Refusal> {
        let others = job
            .others
            .iter()
            .map(|(_, machine)| &self.machines[*machine]);
        let given: Vec<_> = std::iter::once(&self.machines[job.machine])
            .chain(others)
            .collect();
        let machine_of = |name: &str| {
            // The last assignment wins.
            let assigned = job.others.iter().rev().find(|(node, _)| node == name);
            Some(&self.machines[assigned.map_or(job.machine, |(_, machine)| *machine)])
        };
        let world = World {
            machine_of: &machine_of,
            machines: &given,
            local: job.head.as_deref(),
            cpu_list: job.cpu_list.as_deref(),
            inferred: CpuMode::Core,
        };
        map(resolved, world)
    }

    /// The hardware as the engine takes it.
    fn engine(&self, job: &Job) -> Arc<Machine> {
        let mut rows = vec![job.machine];
        rows.extend(job.others.iter().map(|(_, machine)| *machine));
        let mut engines = self.engines.borrow_mut();
        if engines.len() > ENGINES_MAX {
            engines.clear();
        }
        let machine = engines.entry(rows);
        let machine = machine.or_insert_with_key(|rows| Arc::new(engine_machine(rows)));
        Arc::clone(machine)
    }
}

/// The hardware, with what the job says about it.
fn fitted(machine: &Machine, job: &Job) -> Machine {
    let mut machine = machine.clone();
    for ((name, _), (nodes, _)) in job.others.iter().zip(&mut machine.assigned) {
        *nodes = vec![plain(name)];
    }
    machine.local.clone_from(&job.head);
    machine.cpu_list = job.cpu_list.as_deref().and_then(|text| {
        let (ranges, mode) = cpu_list(text)?;
        Some(CpuList {
            ranges,
            mode,
            text: text.to_owned(),
        })
    });
    machine
}

/// Compares both answers.
fn verdict(found: &Result<Mapped, MapError>, wanted: &Result<Vec<Row>, Refusal>) -> Verdict {
    let told = |error: &MapError| format!("{}: {error}", error.class());
    match (found, wanted) {
        (Err(found), Err(wanted)) if found.class() == wanted.class => {
            Verdict::Refused(wanted.class)
        }
        (Err(found), Err(wanted)) => differs("class", told(found), refused(wanted)),
        (Ok(found), Err(wanted)) => {
            let rows = format!("{} rows", found.plan.ranks());
            differs("accepted", rows, refused(wanted))
        }
        (Err(found), Ok(wanted)) => {
            differs("refused", told(found), format!("{} rows", wanted.len()))
        }
        (Ok(found), Ok(wanted)) => {
            let row = first_row_that_differs(&found.plan, wanted);
            if let Some(difference) = row.or_else(|| task_map_that_differs(&found.plan, wanted)) {
                return Verdict::Differs(difference);
            }
            match verify(&found.plan) {
                Ok(()) => Verdict::Mapped(wanted.len()),
                Err(faults) => differs("check", format!("{faults:?}"), "a sound plan".to_owned()),
            }
        }
    }
}

fn answer(found: Result<Mapped, MapError>) -> Answer {
    found.map(|mapped| (mapped.plan.to_bytes(), mapped.notes, mapped.calls))
}

/// Reads the bytes of a plan and writes them again; gives the difference, if there is one.
fn there_and_back(bytes: &[u8]) -> Option<Verdict> {
    match Plan::from_bytes(bytes) {
        Ok(again) if again.to_bytes() == bytes => None,
        Ok(_) => Some(differs(
            "bytes",
            "other bytes".to_owned(),
            "the bytes that were read".to_owned(),
        )),
        Err(error) => Some(differs("bytes", error.to_string(), "a plan".to_owned())),
    }
}

/// The catalogue as the plain mapper reads it.
static READ: LazyLock<Vec<stowplan_reference::machine::Machine>> = LazyLock::new(|| {
    let read = |entry: &Entry| {
        let machine = read_machine(entry.text(), &[]).expect("a machine of the catalogue");
        let machine = match entry.gpus {
            Some((kind, visible)) => machine.with_gpus(kind, visible),
            None => machine,
        };
        let others = [
            (DeviceClass::Network, "nic", entry.nics),
            (DeviceClass::Block, "block", entry.blocks),
        ];
        let stated = others.into_iter();
        stated.fold(machine, |machine, (class, word, stated)| match stated {
            Some((kind, numbers)) => machine.with_devices(class, word, kind, numbers),
            None => machine,
        })
    };
    MACHINES.iter().map(read).collect()
});

/// The catalogue as the engine reads it.
static DRAFTS: LazyLock<Vec<TopologyDraft>> = LazyLock::new(|| {
    let read = |entry: &Entry| {
        let draft = match entry.xml {
            Some(xml) => stowplan_topo::xml::parse(xml.as_bytes()),
            None => stowplan_topo::synthetic::parse(entry.topo),
        };
        let mut draft = draft.expect("a machine of the catalogue");
        for (word, value) in entry.devices() {
            let Some(value) = value else { continue };
            let words = format!("{word}={value}");
            let stated = stowplan_topo::devices::read(&words);
            let stated = stated.map(|(_, stated)| stated);
            let replaced = stated.and_then(|stated| stated.replace(&mut draft));
            replaced.expect("devices of the catalogue");
        }
        draft
    };
    MACHINES.iter().map(read).collect()
});

fn engine_machine(rows: &[usize]) -> Machine {
    let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
    let mut ids = rows.iter().map(|&row| {
        let added = topologies.add(DRAFTS[row].clone(), &mut cpusets);
        added.expect("a machine of the catalogue")
    });
    let default = ids.next();
    let assigned: Vec<_> = ids.map(|id| (Vec::new(), id)).collect();
    Machine {
        assigned,
        ..Machine::new(topologies.into(), cpusets, default)
    }
}

fn differs(kind: &'static str, engine: String, wanted: String) -> Verdict {
    Verdict::Differs(Difference {
        kind,
        engine,
        wanted,
    })
}

fn refused(refusal: &Refusal) -> String {
    format!("{}: {}", refusal.class, refusal.why)
}

/// The first rank that they place differently.
fn first_row_that_differs(plan: &Plan, wanted: &[Row]) -> Option<Difference> {
    if plan.ranks() as usize != wanted.len() {
        let (engine, wanted) = (
            format!("{} rows", plan.ranks()),
            format!("{} rows", wanted.len()),
        );
        return Some(Difference {
            kind: "rows",
            engine,
            wanted,
        });
    }
    let given = plan.given_gpus();
    wanted.iter().find_map(|wanted| {
        let found = row_with(plan, &given, u32::try_from(wanted.rank).ok()?)?;
        (found != *wanted).then(|| Difference {
            kind: "rows",
            engine: found.tsv(),
            wanted: wanted.tsv(),
        })
    })
}

/// The plan's task map is made of runs and phases. It is reported when it differs from the map of the plain mapper's ranks one by
/// one, or when its fewest blocks give another map. Source: taskmap "How the fewest blocks are found".
fn task_map_that_differs(plan: &Plan, wanted: &[Row]) -> Option<Difference> {
    let told = |map: &Result<TaskMap, TaskMapError>| match map {
        Ok(map) => format!("{:?}", map.flux_blocks().iter().collect::<Vec<_>>()),
        Err(error) => error.to_string(),
    };
    let phases = plan.task_map(Limits::default());
    let ranks = wanted.iter().map(|row| {
        (
            JobNode(u32::try_from(row.node).unwrap_or(u32::MAX)),
            ProcCount(1),
        )
    });
    let ranks = TaskMap::from_runs(ranks);
    let fewest = phases.as_ref().map_or_else(
        |error| Err(error.clone()),
        |map| TaskMap::from_blocks(map.fewest_blocks().iter()),
    );
    (phases != ranks || phases != fewest).then(|| Difference {
        kind: "taskmap",
        engine: format!("{}, fewest {}", told(&phases), told(&fewest)),
        wanted: told(&ranks),
    })
}

/// The first row of the explicit table that differs from the plain mapper's.
fn table_that_differs(table: &ProcTable, plan: &Plan, wanted: &[Row]) -> Option<Difference> {
    let world = plan.world();
    wanted.iter().find_map(|wanted| {
        let rank = Rank(u32::try_from(wanted.rank).ok()?);
        let cpus = table.cpus(rank).map(|cpus| world.cpusets.get(cpus));
        let found = Row {
            node: table.node(rank).row(),
            name: wanted.name.clone(),
            local_rank: u64::from(table.local_rank(rank)),
            node_rank: u64::from(table.node_rank(rank)),
            object: table.object(rank),
            cpus: cpus.map(|cpus| cpus.iter().collect::<Cpus>()),
            gpus: wanted.gpus.clone(),
            nics: wanted.nics.clone(),
            ..*wanted
        };
        (found != *wanted).then(|| Difference {
            kind: "table",
            engine: found.tsv(),
            wanted: wanted.tsv(),
        })
    })
}

/// The plan's row for a rank, as the plain mapper would give it; `None` for a rank that does not exist.
#[must_use]
pub fn row(plan: &Plan, rank: u32) -> Option<Row> {
    row_with(plan, &plan.given_gpus(), rank)
}

fn row_with(plan: &Plan, given: &GivenGpus, rank: u32) -> Option<Row> {
    let place = plan.place(Rank(rank))?;
    let world = plan.world();
    Some(Row {
        rank: u64::from(place.rank.0),
        app: place.app.row(),
        app_rank: u64::from(place.app_rank),
        node: place.node.row(),
        name: world.names.name(place.node),
        local_rank: u64::from(place.local_rank),
        node_rank: u64::from(place.node_rank),
        object: place.object,
        cpus: place
            .cpus
            .map(|cpus| world.cpusets.get(cpus).iter().collect::<Cpus>()),
        gpus: given.of(place.node, place.local_rank).to_vec(),
        nics: plan.nics().of(&place).to_vec(),
    })
}
