//! The notes on a placed job, beside those of placing it.

use super::here::Parts;
use stowplan_answers::expert;
use stowplan_answers::openmp::job_notes;
use stowplan_engine::error::Note;
use stowplan_engine::id::Id as _;
use stowplan_engine::map::Mapped;
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::names::NodeId;
use stowplan_job::error::JobError;
use stowplan_job::place::Placement;

/// Adds the notes on threads, if the job says something about them, and what an expert would say of the plan.
pub(super) fn advise(placement: &mut Placement) -> Result<(), JobError> {
    let Mapped { plan, notes, .. } = &mut placement.mapped;
    let threads = job_notes::notes(plan);
    notes.extend(threads.map_err(|(class, sentence)| JobError::Told { class, sentence })?);
    notes.extend(expert::notes(plan));
    Ok(())
}

/// Whether a note is left out.
pub(super) fn is_quiet(quiet: &[String], note: &Note) -> bool {
    quiet.iter().any(|class| class == note.class())
}

/// What an allocation says of its nodes and the plan does not keep.
pub(super) fn unused(plan: &Plan, parts: &Parts) -> Vec<Note> {
    let cpus = parts.cpus.iter();
    let mut notes: Vec<Note> = cpus
        .filter_map(|(host, cpus)| part_of_node(plan, host, *cpus))
        .collect();
    let world = plan.world();
    let mut used = world
        .before
        .iter()
        .map(|(_, state)| world.states.get(state).topology);
    if let Some(said) = &parts.gpus
        && used.all(|topology| world.topologies.gpus(topology).is_empty())
    {
        let first = world.names.name(NodeId::from_row(0));
        notes.push(of_allocation(format!(
            "{said} is not used here: the topology of {first} has none of these GPUs; --devices says where they are"
        )));
    }
    notes
}

fn of_allocation(text: String) -> Note {
    Note::OfLine {
        class: "allocation-unused",
        text,
    }
}

/// Notes a host of which the job has fewer cpus than the plan counts on.
fn part_of_node(plan: &Plan, host: &str, cpus: u64) -> Option<Note> {
    let world = plan.world();
    let node = world.names.find_name(host)?;
    let state = world.states.get(world.before.state(node));
    let allowed = world.pusets.get(state.allowed);
    let cores = world.topologies.objects(state.topology, ObjKind::Core);
    let may_be_used = |ranges: &[(u32, u32)]| {
        let mut ranges = ranges.iter();
        ranges.any(|&(first, end)| allowed[first as usize..end as usize].any())
    };
    let cores = cores.filter(|core| may_be_used(world.topologies.ranges(*core)));
    let cores = cores.count() as u64;
    (cpus < cores).then(|| {
        of_allocation(format!(
            "SLURM_JOB_CPUS_PER_NODE={cpus} is not used here: the job has {cpus} of the {cores} cores of {host}, and the plan counts all of them; --prtemca hwloc_default_cpu_list LIST names those that it has"
        ))
    })
}
