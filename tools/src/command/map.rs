//! `stowplan map`: places a job and shows it.

use crate::args::{Format, JobArgs, MapArgs, map_args};
use crate::format::{Sources, Told, json, prterun, taskmap, text, tsv};
use crate::progress::Progress;
use crate::report::{Refused, print_notes};
use crate::{Console, machine, output};
use std::io;
use std::path::Path;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::map::{Candidates, Machine, Mapped, map_resolved};
use stowplan_engine::session::{self, By};
use stowplan_engine::spawn::{SpawnRequest, keys};
use stowplan_engine::stage::resolve::{Context, Files, Resolved, decide};
use stowplan_engine::table::apps::Numbering;
use stowplan_engine::table::listings::{Entry, EntryNode, Listing};
use stowplan_engine::taskmap::{Form, TaskMap};
use stowplan_engine::text::hostlist::plain;

/// Worker threads at most: more would only wait for each other.
const THREADS_MAX: usize = 256;
/// Stretches of equal node that `--taskmap` may name.
const TASKMAP_RUNS_MAX: usize = 1 << 24;

/// Runs the subcommand with the arguments behind `map`. Gives the exit status.
pub fn run(args: &[String], console: &mut Console<'_>) -> u8 {
    match map_args(args)
        .map_err(Refused::from)
        .and_then(|asked| answer(asked, console))
    {
        Ok(()) => 0,
        Err(refused) => refused.print(console.err),
    }
}

/// Places a job and shows it: what `map` and `spawn` have in common.
///
/// # Errors
/// The first that the request deserves, in the order of `errors` "Which class".
pub fn answer(asked: MapArgs, console: &mut Console<'_>) -> Result<(), Refused> {
    let mut job = asked.job.clone();
    let placement = place(asked, console.files)?;
    job.format = job.format.or(placement.displayed);
    show(&job, &placement, console)
}

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

/// Places a job.
///
/// # Errors
/// As [`answer`], but for the output.
pub fn place(asked: MapArgs, files: &dyn Files) -> Result<Placement, Refused> {
    let MapArgs { job, taken, parent } = asked;
    // The mapper sees only what travels, from the command line as well.
    let relayed = taken.relay()?;
    let affinity = affinity_file(&job)?;
    let context = Context {
        parent: parent.as_ref(),
        spoken: &relayed.spoken,
        affinity: affinity.as_deref(),
        files,
    };
    let decided = decide(relayed.request, context)?;
    let displayed = displayed(decided.request());
    let (mut machine, sources) = machine::read(&job, files)?;
    let mut resolved = decided.read_files(files)?;
    resolved.notes.splice(0..0, relayed.notes);
    if let Some(map) = &job.taskmap {
        sequence_of(map, &mut resolved, files)?;
    }
    machine.candidates = candidates(&job)?;
    Ok(Placement {
        mapped: placed(resolved, machine, job.threads)?,
        sources,
        displayed,
    })
}

/// The format that a request to show the map stands for, where none is named (`per-app` 7).
fn displayed(request: &SpawnRequest) -> Option<Format> {
    let shows = |key| request.attributes().is_set(Owner::Job, key);
    if shows(keys::JOB_DISPLAY_DEVEL_MAP) {
        Some(Format::MapDevel)
    } else {
        shows(keys::JOB_DISPLAY_MAP).then_some(Format::Map)
    }
}

/// LSF's file: as named, or as the variable names it that the user asked for.
fn affinity_file(job: &JobArgs) -> Result<Option<String>, Refused> {
    match (&job.lsf_affinity, &job.from_env) {
        (Some(path), _) => Ok(Some(path.clone())),
        (None, None) => Ok(None),
        (None, Some(name)) => match std::env::var(name) {
            Ok(path) if !path.is_empty() => Ok(Some(path)),
            Ok(_) | Err(_) => Err(Refused::Told {
                class: "bad-value",
                sentence: format!("--from-env {name}: there is no such variable, or it is empty"),
            }),
        },
    }
}

/// The nodes of the sessions that the job may use.
fn candidates(job: &JobArgs) -> Result<Option<Candidates>, Refused> {
    let Some(path) = &job.session else {
        return Ok(None);
    };
    let state = crate::session_state::read(Path::new(path)).map_err(|error| Refused::Told {
        class: error.class(),
        sentence: error.to_string(),
    })?;
    let by = job.as_ns.as_deref().map_or(By::Scheduler, By::Namespace);
    let targets: Vec<&str> = job.targets.iter().map(String::as_str).collect();
    let found = session::candidates(&state, by, &targets).map_err(|refusal| Refused::Told {
        class: refusal.class(),
        sentence: refusal.to_string(),
    })?;
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

/// Makes the sequence that a task map stands for: its node number i is the i-th of the job's nodes.
fn sequence_of(map: &str, resolved: &mut Resolved, files: &dyn Files) -> Result<(), Refused> {
    let bytes = match map.strip_prefix('@') {
        Some(path) => files.read(path).map_err(|reason| Refused::Told {
            class: "taskmap-syntax",
            sentence: format!("--taskmap {map}: {reason}"),
        })?,
        None => map.as_bytes().to_vec(),
    };
    let refused = |error: stowplan_engine::taskmap::TaskMapError| Refused::Told {
        class: error.class(),
        sentence: format!("--taskmap: {error}"),
    };
    let map = TaskMap::read(&bytes).map_err(refused)?;
    map.task_count().map_err(refused)?;
    let mut listing = Listing {
        path: "--taskmap".to_owned(),
        ..Listing::default()
    };
    let mut number = 0;
    for block in map.flux_blocks().iter() {
        for _ in 0..block.repeat {
            for node in block.first..block.first + block.nodes {
                if listing.entries.len() == TASKMAP_RUNS_MAX {
                    return Err(Refused::Told {
                        class: "job-too-large",
                        sentence: format!(
                            "--taskmap: more than {TASKMAP_RUNS_MAX} changes from node to node, which is the limit"
                        ),
                    });
                }
                listing.entries.push(Entry {
                    number,
                    node: EntryNode::Nth(node),
                    cpus: None,
                    line: 1,
                    count: block.ppn,
                });
                number += block.ppn;
            }
        }
    }
    let id = resolved.apps.listings.push(listing);
    for app in resolved.apps.ids() {
        if resolved.apps.policy[app].is_some() {
            resolved.apps.listing[app] = Some((id, Numbering::Job));
        }
    }
    Ok(())
}

fn placed(resolved: Resolved, machine: Machine, threads: Option<usize>) -> Result<Mapped, Refused> {
    let Some(threads) = threads else {
        return Ok(map_resolved(resolved, machine)?);
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.min(THREADS_MAX))
        .build()
        .map_err(|error| Refused::Told {
            class: "internal",
            sentence: format!("--threads {threads}: {error}"),
        })?;
    Ok(pool.install(|| map_resolved(resolved, machine))?)
}

/// Shows a plan, then its notes.
fn show(job: &JobArgs, placement: &Placement, console: &mut Console<'_>) -> Result<(), Refused> {
    let mapped = &placement.mapped;
    let told = Told {
        plan: &mapped.plan,
        sources: &placement.sources,
        notes: &mapped.notes,
    };
    if let Some(path) = &job.save {
        let bytes = mapped.plan.to_bytes();
        output::give(Some(path), &mut io::sink(), |out| out.write_all(&bytes))?;
    }
    let screen = console.screen;
    let audience = console.audience;
    let format = job.format.unwrap_or(Format::Text);
    let path = job.output.as_deref();
    if let Some(form) = task_form(format) {
        taskmap::write(told.plan, form, |answer| {
            output::give(path, console.out, answer)
        })?;
    } else {
        let mut watch = Progress::new(audience, &mut *console.err);
        output::give(path, console.out, |out| match format {
            Format::Map | Format::MapDevel => prterun::write(told.plan, out, &mut watch),
            Format::Tsv => tsv::write(told.plan, out, &mut watch),
            Format::Json => json::write(&told, out),
            Format::Text | Format::Taskmap | Format::Pmi | Format::Raw => {
                text::write(&told, screen, out)
            }
        })?;
    }
    print_notes(&mapped.notes, console.err);
    Ok(())
}

/// The form of a task map, for formats that are one. Source: taskmap 8.
const fn task_form(format: Format) -> Option<Form> {
    match format {
        Format::Taskmap => Some(Form::Wrapped),
        Format::Pmi => Some(Form::Pmi),
        Format::Raw => Some(Form::Raw),
        Format::Text | Format::Map | Format::MapDevel | Format::Tsv | Format::Json => None,
    }
}
