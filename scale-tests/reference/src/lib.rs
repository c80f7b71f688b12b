//! The plain mapper: what `docs/semantics.md` says, one process at a time.
//!
//! It exists to be compared with. It shares nothing with the engine but the resolved request: it has its own reader of
//! topologies, its own tree, its own pool of nodes, and places each process by itself. Clarity is its only virtue; its cost
//! is that of what it says, processes times objects. Each function names the section it follows.

pub mod cpus;
pub mod machine;
// Text -> machine.
mod names;
mod refusal;
pub mod synthetic;
pub mod xml;
// Section 1.
mod hostfile;
mod pool;
mod select;
// Sections 4 and 7.
mod bind;
mod place;
mod turn;
// Section 3.
mod count;
// Section 6.
mod rank;
// docs/gpus.md.
mod gpus;

pub use refusal::Refusal;

use cpus::Cpus;
use machine::Machine;
use place::{Reading, entries_of, need_entries, place, place_listed};
use pool::Pool;
use std::fmt::Write as _;
use stowplan_engine::limit::RANKS_MAX;
use stowplan_engine::policy::{BindTo, CpuMode, MapBy, ObjKind, PprObject};
use stowplan_engine::stage::resolve::Resolved;
use stowplan_engine::table::apps::{AppId, Numbering, Policy};
use turn::{Job, Turn};

/// The machines a job runs on.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// The hardware of a node, by its name; `None` when it has none.
    pub machine_of: &'a dyn Fn(&str) -> Option<&'a Machine>,
    /// Every topology that was given, used or not.
    pub machines: &'a [&'a Machine],
    /// The node the launcher runs on.
    pub local: Option<&'a str>,
    /// Which cpus of every node may be used, as `0-3,6` or `0-3:HWTCPUS`.
    pub cpu_list: Option<&'a str>,
    /// What the slots of a node whose count nobody gave are: cores, or PUs.
    pub inferred: CpuMode,
}

/// One process of the answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Rank in the job.
    pub rank: u64,
    /// Its app, holes counted.
    pub app: usize,
    /// Rank in the app.
    pub app_rank: u64,
    /// Place of its node in the pool.
    pub node: usize,
    /// Name of its node.
    pub name: String,
    /// Processes of the job on its node before it.
    pub local_rank: u64,
    /// The same, over all jobs: there is one.
    pub node_rank: u64,
    /// What it was mapped to: kind and logical index.
    pub object: Option<(ObjKind, u32)>,
    /// What it is bound to.
    pub cpus: Option<Cpus>,
    /// Visible numbers of the GPUs that it is given, ascending.
    pub gpus: Vec<u32>,
}

impl Row {
    /// The row as a line of `--format tsv`, without its end.
    #[must_use]
    pub fn tsv(&self) -> String {
        let Self {
            rank,
            app,
            app_rank,
            name,
            local_rank,
            node_rank,
            ..
        } = self;
        let mut line = format!("{rank}\t{app}\t{app_rank}\t{name}\t{local_rank}\t{node_rank}\t");
        let _ = match self.object {
            Some((kind, logical)) => write!(line, "{}:{logical}", kind.word()),
            None => write!(line, "-"),
        };
        line.push('\t');
        line.push_str(
            &self
                .cpus
                .as_ref()
                .map_or_else(|| "-".to_owned(), Cpus::list),
        );
        if !self.gpus.is_empty() {
            let _ = write!(line, "\tgpus {:?}", self.gpus);
        }
        line
    }
}

/// Reads a topology, XML or synthetic, without the PUs of `without` (OS numbers, synthetic only). `None`: it is none.
#[must_use]
pub fn read_machine(text: &str, without: &[u32]) -> Option<Machine> {
    if text.trim_start().starts_with('<') {
        xml::read(text)
    } else {
        synthetic::read(text, without)
    }
}

/// Places a job, process by process.
///
/// # Errors
/// The class of the first thing that cannot be honoured, in the order of `docs/errors.md`.
///
/// Cost: processes times objects of a node, and more; not meant for large jobs.
pub fn map(resolved: &Resolved, world: World<'_>) -> Result<Vec<Row>, Refusal> {
    if let Some(judged) = &resolved.by_cores {
        let cores = world.machines.iter().any(|machine| machine.has_cores());
        let with_cores = Some(&judged.with_cores).filter(|_| cores);
        if let Some(error) = with_cores.or(judged.without_cores.as_ref()) {
            return Refusal::err(error.class(), "bind core over map hwthread");
        }
    }
    let pool = Pool::of(&resolved.hosts, &world)?;
    let counts = count::all(&pool, resolved)?;
    let start = pool.clone();
    let total = count::total(resolved, &counts);
    if counts.iter().flatten().sum::<u64>() > u64::from(RANKS_MAX) {
        return Refusal::err("job-too-large", "the apps together");
    }
    let mut job = Job {
        pool,
        order: Vec::new(),
        procs: Vec::new(),
    };
    let mut lsf_lines = 0;
    for (app, count) in resolved.apps.ids().zip(counts) {
        let Some(policy) = resolved.apps.policy(app) else {
            continue; // A hole.
        };
        if let Some((_, error)) = resolved.deferred.iter().find(|(late, _)| *late == app) {
            return Refusal::err(error.class(), "its file");
        }
        let before = job.procs.len() as u64;
        place_or_without_pe(
            &mut job,
            &start,
            resolved,
            app,
            Known {
                count,
                total,
                lsf_lines,
            },
        )?;
        if policy.map == MapBy::Lsf {
            lsf_lines += job.procs.len() as u64 - before;
        }
    }
    let given = gpus::deal(&job, resolved)?;
    Ok(rank::rows(&job, &resolved.apps, &given))
}

/// One app's turn. Where a node's objects are too small for a PE that is only the job's, the app does without it: no error
/// (section 5, "options of an app").
fn place_or_without_pe(
    job: &mut Job<'_>,
    start: &Pool<'_>,
    resolved: &Resolved,
    app: AppId,
    known: Known,
) -> Result<(), Refusal> {
    let Some(policy) = resolved.apps.policy(app) else {
        return Ok(());
    };
    let (pool, order, procs) = (job.pool.clone(), job.order.clone(), job.procs.len());
    let placed = place_app(job, resolved, app, policy, known);
    match (&placed, resolved.apps.without_pe[app]) {
        (Err(refusal), Some(without)) if refusal.class == "pe-exceeds-object" => {
            (job.pool, job.order) = (pool, order);
            job.procs.truncate(procs);
            let policy = &resolved.apps.policies[without];
            // Who does not use the PE is not counted by it either (section 3, "absent").
            let count = match resolved.apps.np[app] {
                Some(_) => known.count,
                None => count::absent(&mut start.clone(), resolved, app, policy)?,
            };
            place_app(job, resolved, app, policy, Known { count, ..known })
        }
        _ => placed,
    }
}

/// What an app needs to know besides the state of the nodes.
#[derive(Clone, Copy)]
struct Known {
    /// Its processes, unless the pattern says.
    count: Option<u64>,
    /// Processes of the job, for the default binding.
    total: u64,
    /// Lines of LSF's file that earlier apps took.
    lsf_lines: u64,
}

/// That ranks can be counted.
fn small_enough(procs: u64, app: AppId) -> Result<(), Refusal> {
    if procs > u64::from(RANKS_MAX) {
        return Refusal::err("job-too-large", format!("{procs} processes up to {app:?}"));
    }
    Ok(())
}

/// That there is a process to place; by GPU a node without one says why there is none.
fn some_processes(
    count: u64,
    app: AppId,
    policy: &Policy,
    seats: &[turn::Seat],
) -> Result<(), Refusal> {
    let by_gpu = matches!(
        policy.map,
        MapBy::Ppr {
            on: PprObject::Kind(ObjKind::Gpu),
            ..
        }
    );
    match count {
        0 if by_gpu && !seats.is_empty() => {
            Refusal::err("device-not-found", format!("{app:?} maps by GPU"))
        }
        0 => Refusal::err("no-processes", format!("{app:?} has none")),
        _ => Ok(()),
    }
}

/// One app's turn: its nodes, its count, its processes (sections 3 to 5).
fn place_app(
    job: &mut Job<'_>,
    resolved: &Resolved,
    app: AppId,
    policy: &Policy,
    known: Known,
) -> Result<(), Refusal> {
    let so_far = job.procs.len() as u64;
    let mut reading = None;
    let listed = matches!(policy.map, MapBy::Seq | MapBy::Lsf | MapBy::Rankfile);
    let list = if listed {
        let list = if policy.map == MapBy::Rankfile {
            Some(select::picks(
                &mut job.pool,
                &resolved.hosts,
                app,
                policy.nolocal,
            )?)
        } else {
            None
        };
        let start = match (policy.map, resolved.apps.listing[app]) {
            (MapBy::Lsf, _) => known.lsf_lines,
            (MapBy::Rankfile | MapBy::Seq, Some((_, Numbering::Job))) => so_far,
            _ => 0,
        };
        let entries = entries_of(&job.pool, resolved, app, policy)?;
        need_entries(&entries, app, policy)?;
        reading = Some(Reading {
            items: entries.items,
            start,
            list,
            np_given: resolved.apps.np[app].is_some(),
        });
        let whole = |node: usize| select::Available {
            node,
            slots: job.pool.nodes[node].left(),
        };
        (0..job.pool.nodes.len()).map(whole).collect()
    } else {
        let picks = select::picks(&mut job.pool, &resolved.hosts, app, policy.nolocal)?;
        select::available(&mut job.pool, &picks, policy)?
    };
    let seats = Turn::seats(&job.pool, &list);
    let count = match (known.count, policy.map) {
        (Some(count), _) => count,
        (None, MapBy::Ppr { per, on }) => count::by_pattern(&job.pool, &seats, per, on),
        // A task map of the job: what the earlier apps left.
        (None, MapBy::Seq) => reading.as_ref().map_or(0, Reading::left),
        (None, _) => 0,
    };
    some_processes(count, app, policy, &seats)?;
    small_enough(so_far + count, app)?;
    let mut turn = Turn {
        app,
        policy: *policy,
        target: target(policy, known.total),
        left: count,
        bound: 0,
        seats,
        list: count::listed(resolved, policy),
        device: resolved.apps.device[app].as_deref(),
        job,
    };
    match &reading {
        Some(reading) => place_listed(&mut turn, reading),
        None => place(&mut turn),
    }
}

/// What processes are bound to (section 3, "bind").
fn target(policy: &Policy, total: u64) -> Option<ObjKind> {
    match (policy.bind, policy.mode) {
        (BindTo::Nothing, _) => None,
        (BindTo::Object(kind), _) => Some(kind),
        (BindTo::BySize, _) if total > 2 => Some(ObjKind::Numa),
        (BindTo::BySize, CpuMode::Core) => Some(ObjKind::Core),
        (BindTo::BySize, CpuMode::Hwthread) => Some(ObjKind::Hwthread),
    }
}
