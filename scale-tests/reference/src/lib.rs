//! The plain mapper: does what `docs/semantics.md` says, one process at a time.
//!
//! It exists to be compared with the engine. It shares only the resolved request with the engine: it has its own reader of
//! topologies, its own tree and its own pool of nodes, and it places each process by itself. It aims at clarity alone; its cost is
//! processes times objects. Each function names the section that it follows.

pub mod cpus;
pub mod machine;
// Text -> machine.
mod cards;
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
// docs/gpus.md; device= of docs/policies.md.
mod devices;
mod gpus;

// Lines of other launchers.
pub mod lines;
// Threads of OpenMP.
pub mod threads;

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
    /// Gives the hardware of a node by its name; `None` when the node has none.
    pub machine_of: &'a dyn Fn(&str) -> Option<&'a Machine>,
    /// Every topology that was given, used or not.
    pub machines: &'a [&'a Machine],
    /// The node the launcher runs on.
    pub local: Option<&'a str>,
    /// Which cpus of every node may be used, as `0-3,6` or `0-3:HWTCPUS`.
    pub cpu_list: Option<&'a str>,
    /// What a slot is on a node whose count nobody gave: a core, or a PU.
    pub inferred: CpuMode,
}

/// One process of the answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Rank in the job.
    pub rank: u64,
    /// Its app. Holes are counted.
    pub app: usize,
    /// Rank in the app.
    pub app_rank: u64,
    /// Position of its node in the pool.
    pub node: usize,
    /// Name of its node.
    pub name: String,
    /// How many processes of the job are on its node before it.
    pub local_rank: u64,
    /// The same, over all jobs. Here there is one job only.
    pub node_rank: u64,
    /// The object that it was mapped to: kind and logical index.
    pub object: Option<(ObjKind, u32)>,
    /// The cpus that it is bound to.
    pub cpus: Option<Cpus>,
    /// Visible numbers of its GPUs, ascending.
    pub gpus: Vec<u32>,
    /// Names of the network cards that it is mapped to.
    pub nics: Vec<String>,
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
        if !self.nics.is_empty() {
            let _ = write!(line, "\tnics {:?}", self.nics);
        }
        line
    }
}

/// Reads a topology, XML or synthetic, without the PUs of `without` (OS numbers, for synthetic strings only). `None`: the text is
/// not a topology.
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
/// The class of the first request that cannot be honoured, in the order of `docs/errors.md`.
///
/// Cost: at least processes times objects of a node. Not meant for large jobs.
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

/// One app's turn. When a PE comes only from the job and a node's objects are too small for it, the app goes without this PE; that
/// is no error (section 5, "options of an app").
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
            // An app without the PE is also counted without it (section 3, "absent").
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
    /// How many processes it has, unless its pattern decides that.
    count: Option<u64>,
    /// How many processes the job has, for the default binding.
    total: u64,
    /// How many lines of LSF's file earlier apps took.
    lsf_lines: u64,
}

/// Checks that the ranks can be counted.
fn small_enough(procs: u64, app: AppId) -> Result<(), Refusal> {
    if procs > u64::from(RANKS_MAX) {
        return Refusal::err("job-too-large", format!("{procs} processes up to {app:?}"));
    }
    Ok(())
}

/// Checks that there is a process to place. When an app maps by GPU and its nodes have no GPU, the error says so.
fn some_processes(
    count: u64,
    app: AppId,
    policy: &Policy,
    (pool, seats): (&Pool<'_>, &[turn::Seat]),
) -> Result<(), Refusal> {
    let by_gpu = matches!(
        policy.map,
        MapBy::Ppr {
            on: PprObject::Kind(ObjKind::Gpu),
            ..
        }
    );
    if let (0, MapBy::Ppr { .. }, Some(options), Some(first)) =
        (count, policy.map, policy.map.devices(), seats.first())
    {
        let class = devices::lacking(pool.nodes[first.node].machine, options);
        return Refusal::err(class, format!("{app:?} maps by device"));
    }
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
        (None, map @ MapBy::Ppr { .. }) => count::by_pattern(&job.pool, &seats, map),
        // A file of the whole job: the entries that earlier apps left.
        (None, MapBy::Seq) => reading.as_ref().map_or(0, Reading::left),
        (None, _) => 0,
    };
    some_processes(count, app, policy, (&job.pool, &seats))?;
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
