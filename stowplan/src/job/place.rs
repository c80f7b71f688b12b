//! Places a job on a machine: turns the words that were read into a plan.

use crate::job::apply_parameters::{Applied, apply_parameters};
use crate::job::args::{Format, JobArgs, MapArgs, NodeOrder};
use crate::job::error::{JobError, told};
use crate::job::line;
use crate::job::line::launched::Launched;
use crate::job::machine;
use crate::job::network;
use crate::job::one_more_file::OneMoreFile;
use crate::job::our_words::of_another;
use crate::job::outside::Outside;
use crate::job::rank_order::RankOrder;
use crate::job::sequence::sequence_of;
use crate::job::sources::Sources;
use crate::job::thread_words::{of_request, thread_words};
use crate::score::network::OnNetwork;
use std::sync::Arc;
use stowplan_engine::error::Note;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::map::{Candidates, Machine, Mapped, map_resolved};
use stowplan_engine::spawn::{SpawnRequest, keys};
use stowplan_engine::stage::resolve::{Context, Decided, Resolved, decide_with};
use stowplan_engine::text::hostlist::plain;
use stowplan_engine::text::printable::disturbs;
use stowplan_session::SpawnedBy;

/// The most worker threads. More would only wait for each other.
const THREADS_MAX: usize = 256;

/// A job that was placed.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The plan and its notes.
    pub mapped: Mapped,
    /// Where its topologies came from.
    pub sources: Sources,
    /// The format that the request itself asks for.
    pub displayed: Option<Format>,
}

/// Places a job on the machine that its own words describe.
///
/// # Errors
/// The first error, in the order of errors "Which class".
///
/// Cost: reading what the words refer to, and the engine's cost.
pub fn place(asked: MapArgs, outside: &dyn Outside) -> Result<Placement, JobError> {
    if let Some(system) = &asked.job.here {
        return Err(told(
            "bad-environment",
            format!("--here={system}: no environment is read here"),
        ));
    }
    if let Some(line) = of_another(&asked.job).cloned() {
        let (mut mapped, mut sources) = line::place::place(&asked, &line, outside)?;
        let apps = mapped.plan.resolved_apps();
        if let (1, Some(program)) = (apps.len(), apps.label.values().first()) {
            refuse_plan(program, outside)?;
        }
        mapped.notes.splice(0..0, asked.taken.notes.iter().cloned());
        let on = network::of_nodes(&asked.job, &mapped.plan.world().names, outside)?;
        if let Some(on) = on {
            network::note(&on, &mut mapped);
            sources.network = Some(Arc::new(on));
        }
        return Ok(Placement {
            mapped,
            sources,
            displayed: None,
        });
    }
    if let Some(line) = &asked.job.line {
        line::with_variables(line, &line::variables::variables(&asked.job, outside)?)?;
    }
    let outside = &allocated(&asked, outside);
    refuse_plans(&asked, outside)?;
    let mut applied = apply_parameters(asked, outside)?;
    let outside = &applied.outside(outside);
    let (words, job) = words(applied, outside)?;
    let displayed = displayed(words.decided.request());
    let order = RankOrder::of(&job, words.decided.request())?;
    let (machine, mut sources) = machine::read(&job, outside)?;
    sources.launched = job.line.clone().map(Launched::by_our_rules);
    let (resolved, machine) = meet(words, &job, machine, outside)?;
    let (mut mapped, on) = placed_on_network((resolved, machine), &job, order, outside)?;
    if let Some(on) = on {
        network::note(&on, &mut mapped);
        sources.network = Some(Arc::new(on));
    }
    let unused = machine::without_nodes(&job, &mapped.plan.world().names);
    mapped.notes.extend(unused);
    Ok(Placement {
        mapped,
        sources,
        displayed,
    })
}

/// What is outside, with the allocation of a launcher's line as one more file.
fn allocated<'o>(asked: &MapArgs, outside: &'o dyn Outside) -> OneMoreFile<'o> {
    OneMoreFile {
        outside,
        name: line::allocation::NAME,
        text: asked.job.allocation.clone(),
    }
}

/// Refuses a job whose program is a saved plan: its words were meant for a command that reads plans.
fn refuse_plans(asked: &MapArgs, outside: &dyn Outside) -> Result<(), JobError> {
    let request = &asked.taken.request;
    let mut apps = request.apps().ids();
    let (Some(app), None) = (apps.next(), apps.next()) else {
        return Ok(());
    };
    let Some(program) = request.label(app).map(|label| label.cmd.as_str()) else {
        return Ok(());
    };
    refuse_plan(program, outside)
}

/// Refuses a program that is a saved plan.
fn refuse_plan(program: &str, outside: &dyn Outside) -> Result<(), JobError> {
    if program.is_empty() || !outside.is_plan(program) {
        return Ok(());
    }
    Err(told(
        "bad-option",
        format!(
            "{program} is a saved plan, and is where the program of a job is expected: a plan comes before --, without words of a job"
        ),
    ))
}

/// Places a job on a given machine. What the job's words say about a machine (`--topo`, `--head`, `hwloc_default_cpu_list`) is
/// ignored.
///
/// # Errors
/// As [`place`], except for errors about topologies.
///
/// Cost: the files that are named, a copy of the machine's tables, and the engine's cost.
pub fn place_on(
    machine: &Machine,
    asked: MapArgs,
    outside: &dyn Outside,
) -> Result<Mapped, JobError> {
    Ok(place_on_network(machine, asked, outside)?.0)
}

/// As [`place_on`], with the network that the job names, if it names one.
///
/// # Errors
/// As [`place_on`]; `bad-network`.
pub fn place_on_network(
    machine: &Machine,
    asked: MapArgs,
    outside: &dyn Outside,
) -> Result<(Mapped, Option<OnNetwork>), JobError> {
    if let Some(line) = of_another(&asked.job).cloned() {
        let mapped = line::place::place_on(machine, &asked.job, &line, outside)?.0;
        let on = network::of_nodes(&asked.job, &mapped.plan.world().names, outside)?;
        return Ok((mapped, on));
    }
    let order = RankOrder::of(&asked.job, &asked.taken.request)?;
    let (resolved, machine, job) = resolve(machine, asked, outside)?;
    placed_on_network((resolved, machine), &job, order, outside)
}

/// Places a job, with its nodes in the order of its network if it asks for that, and its ranks in the order that it asks for. Gives
/// the network too.
fn placed_on_network(
    (resolved, machine): (Resolved, Machine),
    job: &JobArgs,
    order: RankOrder,
    outside: &dyn Outside,
) -> Result<(Mapped, Option<OnNetwork>), JobError> {
    let again = (job.node_order == NodeOrder::Network).then(|| (resolved.clone(), machine.clone()));
    let mut mapped = placed(resolved, machine, job)?;
    let mut on = network::of_nodes(job, &mapped.plan.world().names, outside)?;
    if let (Some((resolved, mut machine)), Some(own)) = (again, &mut on) {
        machine.order = own.in_order();
        mapped = placed(resolved, machine, job)?;
        own.find(&mapped.plan.world().names)
            .map_err(network::refused)?;
    }
    Ok((order.give(mapped, on.as_ref(), outside)?, on))
}

/// Places the line of a launcher that is not of prterun's family on a given machine; also says how the line was read.
///
/// # Errors
/// As [`place_on`]; `not-modelled` if the job is in prterun's words.
pub fn place_line_on(
    machine: &Machine,
    asked: &MapArgs,
    outside: &dyn Outside,
) -> Result<(Mapped, Launched), JobError> {
    let line = of_another(&asked.job)
        .ok_or_else(|| told("not-modelled", "the job is no launcher's line"))?;
    line::place::place_on(machine, &asked.job, line, outside)
}

/// What [`place_on`] hands to the engine: the request with every default decided, and the machine with the nodes that the job may
/// use.
///
/// # Errors
/// As [`place_on`], except for errors of placement.
pub fn resolve_on(
    machine: &Machine,
    asked: MapArgs,
    outside: &dyn Outside,
) -> Result<(Resolved, Machine), JobError> {
    let (resolved, machine, _) = resolve(machine, asked, outside)?;
    Ok((resolved, machine))
}

/// The same, and the options of the job.
fn resolve(
    machine: &Machine,
    asked: MapArgs,
    outside: &dyn Outside,
) -> Result<(Resolved, Machine, JobArgs), JobError> {
    if let Some(line) = of_another(&asked.job) {
        return Err(told(
            "not-modelled",
            format!(
                "{}: only jobs in prterun's words are placed among others, again without a node, or by a component",
                line.command
            ),
        ));
    }
    let outside = &allocated(&asked, outside);
    let mut applied = apply_parameters(asked, outside)?;
    let outside = &applied.outside(outside);
    let (words, job) = words(applied, outside)?;
    let machine = Machine {
        inferred: job.slots_by,
        ..machine.clone()
    };
    let (resolved, machine) = meet(words, &job, machine, outside)?;
    Ok((resolved, machine, job))
}

/// Checks all words of a job together.
///
/// # Errors
/// As [`place`], except for errors that are found on a machine.
pub fn check_words(asked: MapArgs, outside: &dyn Outside) -> Result<(), JobError> {
    let outside = &allocated(&asked, outside);
    let mut applied = apply_parameters(asked, outside)?;
    let outside = &applied.outside(outside);
    words(applied, outside).map(|_| ())
}

/// What the words of a job come to, before any machine is known: the options of every app, and what is worth a note.
///
/// # Errors
/// As [`check_words`].
pub fn read_words(asked: MapArgs, outside: &dyn Outside) -> Result<(Decided, Vec<Note>), JobError> {
    let outside = &allocated(&asked, outside);
    let mut applied = apply_parameters(asked, outside)?;
    let outside = &applied.outside(outside);
    let (Words { decided, mut notes }, _) = words(applied, outside)?;
    notes.extend_from_slice(decided.notes());
    Ok((decided, notes))
}

/// What the words alone say, before any file that they name is read.
struct Words {
    decided: Decided,
    notes: Vec<Note>,
}

fn words(applied: Applied, outside: &dyn Outside) -> Result<(Words, JobArgs), JobError> {
    let Applied {
        asked, defaults, ..
    } = applied;
    let MapArgs {
        mut job,
        taken,
        parent,
    } = asked;
    job.exported.splice(0..0, of_request(&taken.request));
    // The mapper sees only what the relay carries, also for a command line.
    let relayed = taken.relay()?;
    let affinity = affinity_file(&job, outside)?;
    let context = Context {
        parent: parent.as_ref(),
        spoken: &relayed.spoken,
        affinity: affinity.as_deref(),
        files: outside,
    };
    let mut words = Words {
        decided: decide_with(relayed.request, context, &defaults)?,
        notes: relayed.notes,
    };
    if let Some(path) = affinity.filter(|_| !words.decided.has_affinity()) {
        let said = job.from_env.as_ref().filter(|_| job.lsf_affinity.is_none());
        let said = said.map_or_else(|| path.clone(), |name| format!("{name}={path}"));
        words.notes.push(Note::OfLine {
            class: "allocation-unused",
            text: format!(
                "{said} is not used: the file has no entry; -H says which hosts there are"
            ),
        });
    }
    Ok((words, job))
}

/// Reads the files that the words name. If there are sessions, they say which nodes there are.
fn meet(
    words: Words,
    job: &JobArgs,
    mut machine: Machine,
    outside: &dyn Outside,
) -> Result<(Resolved, Machine), JobError> {
    words.decided.check_cores(&machine.topologies)?;
    let mut resolved = words.decided.read_files(outside)?;
    resolved.notes.splice(0..0, words.notes);
    resolved.apps.thread_words = thread_words(job, resolved.apps.len(), outside)?;
    if let Some(map) = &job.taskmap {
        sequence_of(map, &mut resolved, outside)?;
    }
    if let Some(candidates) = candidates(job, outside)? {
        machine.candidates = Some(candidates);
    }
    Ok((resolved, machine))
}

/// The format that a request to show the map asks for, if no format is named (`per-app` 7).
fn displayed(request: &SpawnRequest) -> Option<Format> {
    let shows = |key| request.attributes().is_set(Owner::Job, key);
    if shows(keys::JOB_DISPLAY_DEVEL_MAP) {
        Some(Format::MapDevel)
    } else {
        shows(keys::JOB_DISPLAY_MAP).then_some(Format::Map)
    }
}

/// How variables of other batch systems begin. These variables hold hosts, not an affinity file.
const OTHERS: &[&str] = &[
    "SLURM_",
    "PBS_",
    "FLUX_",
    "PALS_",
    "COBALT_",
    "OAR_",
    "PE_HOSTFILE",
];

/// LSF's affinity file: the file that is named, or the file that the variable of `--from-env` names.
fn affinity_file(job: &JobArgs, outside: &dyn Outside) -> Result<Option<String>, JobError> {
    match (&job.lsf_affinity, &job.from_env) {
        (Some(path), _) => Ok(Some(path.clone())),
        (None, None) => Ok(None),
        (None, Some(name)) if OTHERS.iter().any(|own| name.starts_with(own)) => Err(told(
            "bad-value",
            format!(
                "--from-env {name}: it names LSF's affinity file alone, LSB_AFFINITY_HOSTFILE; --here takes hosts from {name}"
            ),
        )),
        (None, Some(name)) => match outside.variable(name).filter(|path| !path.is_empty()) {
            Some(path) => Ok(Some(path)),
            None => Err(told(
                "bad-value",
                format!("--from-env {name}: there is no such variable, or it is empty"),
            )),
        },
    }
}

/// The nodes that the job may use, by its sessions.
fn candidates(job: &JobArgs, outside: &dyn Outside) -> Result<Option<Candidates>, JobError> {
    let Some(path) = &job.session else {
        return Ok(None);
    };
    let state = outside.sessions(path)?;
    let by = job
        .as_ns
        .as_deref()
        .map_or(SpawnedBy::Scheduler, SpawnedBy::Namespace);
    let targets: Vec<&str> = job.targets.iter().map(String::as_str).collect();
    let found = stowplan_session::candidates(&state, by, &targets)
        .map_err(|refusal| told(refusal.class(), refusal.to_string()))?;
    if let Some(name) = found.names(&state).find(|name| name.contains(disturbs)) {
        return Err(told(
            "bad-hostlist",
            format!(
                "node {name:?} of {path}: a name has no tabs, line ends or other control characters"
            ),
        ));
    }
    let sessions: Vec<String> = found
        .sessions
        .iter()
        .map(|name| format!("{:?}", name.as_str()))
        .collect();
    Ok(Some(Candidates {
        nodes: found.names(&state).map(plain).collect(),
        sessions: sessions.join(", "),
    }))
}

fn placed(resolved: Resolved, machine: Machine, job: &JobArgs) -> Result<Mapped, JobError> {
    let Some(threads) = job.threads else {
        return map_resolved(resolved, machine).map_err(|error| machine::refused(job, error));
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.min(THREADS_MAX))
        .build()
        .map_err(|error| told("internal", format!("--threads {threads}: {error}")))?;
    let mapped = pool.install(|| map_resolved(resolved, machine));
    mapped.map_err(|error| machine::refused(job, error))
}
