//! The nodes and slots of `--alloc 'WORDS of salloc, sbatch or qsub'`. Source: `lines/hydra/spec.md` 11, `lines/intel/spec.md` 9.

use super::node_list::within_bounds;
use crate::launchers::line::{Allocation, LineAsked, LineNote, LineRefused, OurHosts, names_of};
use crate::launchers::slurm::{JobCounts, job_counts};
use stowplan_engine::table::names::NameRange;

/// Whose words they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum System {
    /// Slurm's.
    Slurm,
    /// PBS's.
    Pbs,
}

/// Hosts with their slots, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Allotted {
    pub(crate) hosts: Vec<(String, u32)>,
    pub(crate) system: System,
    pub(crate) notes: Vec<LineNote>,
}

/// What `--alloc` says; `None`: it is not there, or our own hosts say more.
///
/// # Errors
/// `not-modelled` where the words say too little, and what is wrong with them.
pub(crate) fn allotted(asked: &LineAsked<'_>) -> Result<Option<Allotted>, LineRefused> {
    let Some(text) = asked.alloc else {
        return Ok(None);
    };
    let mut notes = Vec::new();
    if !text.contains("select=") && says_slots(asked) {
        let said = job_counts(text)?;
        // Slots of ours are all that is said.
        if said.tasks.is_none() && said.tasks_per_node.is_none() {
            return Ok(None);
        }
    }
    let (system, hosts) = match text.contains("select=") {
        true => (System::Pbs, of_chunks(asked, text, &mut notes)?),
        false => (System::Slurm, of_slurm(asked, text, &mut notes)?),
    };
    Ok(Some(Allotted {
        hosts,
        system,
        notes,
    }))
}

/// Whether our own hosts each have a count of slots.
fn says_slots(asked: &LineAsked<'_>) -> bool {
    match asked.hosts {
        OurHosts::Said(hosts) => hosts.iter().all(|host| host.slots.is_some()),
        OurHosts::Unsaid => false,
    }
}

fn unknown(asked: &LineAsked<'_>, text: &str, lacks: &str) -> LineRefused {
    let command = asked.command;
    let sentence = format!("--alloc {text}: {lacks}, and {command} takes it from there");
    LineRefused::new("not-modelled", sentence).help(["say hosts and slots with -H HOST:SLOTS"])
}

/// Names one by one.
fn listed<'n>(ranges: impl Iterator<Item = &'n NameRange>) -> Result<Vec<String>, LineRefused> {
    let ranges: Vec<&NameRange> = ranges.collect();
    within_bounds(ranges.iter().copied())?;
    Ok(ranges.into_iter().flat_map(names_of).collect())
}

/// The hosts: ours, those of the words, or so many with names of ours.
fn names(
    asked: &LineAsked<'_>,
    own: Option<&[NameRange]>,
    count: Option<u64>,
    notes: &mut Vec<LineNote>,
) -> Result<Option<Vec<String>>, LineRefused> {
    if let OurHosts::Said(hosts) = asked.hosts {
        return listed(hosts.iter().map(|host| &host.names)).map(Some);
    }
    if let Some(own) = own {
        return listed(own.iter()).map(Some);
    }
    let Some(count) = count else {
        return Ok(None);
    };
    let invented = Allocation::invented(u32::try_from(count).unwrap_or(u32::MAX));
    notes.push(LineNote::invented(count));
    listed(std::iter::once(&invented)).map(Some)
}

fn narrow(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Tasks of each node, as Slurm counts them.
fn of_slurm(
    asked: &LineAsked<'_>,
    text: &str,
    notes: &mut Vec<LineNote>,
) -> Result<Vec<(String, u32)>, LineRefused> {
    let JobCounts {
        nodes,
        tasks,
        tasks_per_node,
        names: own,
    } = job_counts(text)?;
    let by_tasks = tasks
        .zip(tasks_per_node)
        .map(|(all, each)| all.div_ceil(each));
    let names = names(asked, own.as_deref(), nodes.or(by_tasks), notes)?;
    let names =
        names.ok_or_else(|| unknown(asked, text, "how many nodes the job has is not said"))?;
    let count = names.len() as u64;
    let slots = |at: u64| match (tasks, tasks_per_node) {
        // Tasks of a job are dealt evenly, the first nodes have one more.
        (Some(all), _) => Some(all / count + u64::from(at < all % count)),
        (None, each) => each,
    };
    let mut hosts = Vec::with_capacity(names.len());
    for (at, name) in (0..).zip(names) {
        let own = slots(at)
            .ok_or_else(|| unknown(asked, text, "how many tasks a node has is not said"))?;
        hosts.push((name, narrow(own)));
    }
    hosts.retain(|host| host.1 > 0);
    Ok(hosts)
}

/// `select=2:ncpus=8:mpiprocs=4+1`: chunks with their ranks.
fn of_chunks(
    asked: &LineAsked<'_>,
    text: &str,
    notes: &mut Vec<LineNote>,
) -> Result<Vec<(String, u32)>, LineRefused> {
    let bad = |chunk: &str| {
        LineRefused::new(
            "bad-value",
            format!("--alloc {text}: {chunk} is no chunk, such as 2:ncpus=8:mpiprocs=4"),
        )
    };
    let select = text.split("select=").nth(1).unwrap_or_default();
    let select = select.split_whitespace().next().unwrap_or_default();
    let mut chunks: Vec<(u64, u32)> = Vec::new();
    for chunk in select.split('+') {
        let mut parts = chunk.split(':');
        let count = parts.next().unwrap_or_default();
        let count = count.parse::<u64>().map_err(|_| bad(chunk))?;
        let ranks = parts.find_map(|part| part.strip_prefix("mpiprocs="));
        let ranks = ranks.map_or(Ok(1), |ranks| ranks.parse::<u32>().map_err(|_| bad(chunk)))?;
        chunks.push((count, ranks));
    }
    let all = chunks
        .iter()
        .fold(0_u64, |sum, chunk| sum.saturating_add(chunk.0));
    let names = names(asked, None, Some(all), notes)?.unwrap_or_default();
    if names.len() as u64 != all {
        let sentence = format!(
            "--alloc {text}: it asks for {all} chunks, and {} hosts are named",
            names.len()
        );
        return Err(LineRefused::new("bad-value", sentence));
    }
    let slots = chunks.into_iter().flat_map(|(count, ranks)| {
        std::iter::repeat_n(ranks, usize::try_from(count).unwrap_or(usize::MAX))
    });
    Ok(names.into_iter().zip(slots).collect())
}
