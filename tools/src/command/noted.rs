//! The notes on a placed job, beside those of placing it.

use super::here::Parts;
use stowplan::answers::expert;
use stowplan::answers::openmp::job_notes;
use stowplan::job::error::{JobError, told};
use stowplan::job::named_nodes::hosts;
use stowplan::job::place::Placement;
use stowplan_engine::error::Note;
use stowplan_engine::id::Id as _;
use stowplan_engine::map::Mapped;
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::names::{NodeId, NodeRange};
use stowplan_topo::devices::read;

/// Adds the notes on threads, if the job says something about them, and what an expert would say of the plan.
pub(super) fn advise(placement: &mut Placement) -> Result<(), JobError> {
    let Mapped { plan, notes, .. } = &mut placement.mapped;
    let threads = job_notes::notes(plan);
    notes.extend(threads.map_err(|(class, sentence)| told(class, sentence))?);
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
    let lacked = parts.gpus.iter().find_map(|(source, devices)| {
        let (numbers, node) = lacking(plan, devices)?;
        Some(of_allocation(format!(
            "{source} ({devices}): the topology of {node} has no GPU {numbers}; --devices says where GPUs are"
        )))
    });
    notes.extend(lacked);
    notes
}

/// The GPUs of `NODES=gpu=only:LIST` that the first of these nodes which lacks some has not, and its name.
///
/// Cost: the runs of nodes, times the GPUs of each.
fn lacking(plan: &Plan, devices: &str) -> Option<(String, String)> {
    let (nodes, stated) = read(devices).ok()?;
    let world = plan.world();
    let all = NodeRange::until(0, world.names.len());
    let ranges = match nodes {
        Some(nodes) => hosts(nodes).ok()?,
        None => Vec::new(),
    };
    let named = ranges.iter().flat_map(|range| world.names.find(range).0);
    let found: Vec<NodeRange> = match nodes {
        Some(_) => named.collect(),
        None => vec![all],
    };
    let mut runs = found.iter().flat_map(|nodes| world.before.within(*nodes));
    runs.find_map(|(nodes, state)| {
        let own = world.topologies.gpus(world.states.get(state).topology);
        let has = |number: &&u32| own.iter().any(|gpu| gpu.visible == **number);
        let numbers: Vec<String> = { stated.only().iter() }
            .filter(|number| !has(number))
            .map(u32::to_string)
            .collect();
        let name = || world.names.name(NodeId::from_row(nodes.first as usize));
        (!numbers.is_empty()).then(|| (numbers.join(","), name()))
    })
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
