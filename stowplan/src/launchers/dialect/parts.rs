//! A het step of Slurm: parts of contiguous ranks on nodes of their own, each with one program and one list of masks.

use super::program;
use super::srun_words::{Layout, bind_word, gpu_word, is_overfull, lacks, sure};
use super::variables::{self, OfApp};
use crate::launchers::job::{Job, Program, Unsaid};
use crate::launchers::script::Word;
use std::collections::BTreeMap;
use stowplan_engine::count::ProcCount;
use stowplan_engine::table::cpusets::CpusetId;
use stowplan_engine::taskmap::{JobNode, TaskMap};

/// The most parts that Slurm takes.
const PARTS_MAX: usize = 128;

/// Contiguous ranks on nodes that have no other ranks.
#[derive(Clone, Debug)]
struct Part {
    /// Its first rank.
    first: u32,
    /// Runs of ranks on one node, in rank order.
    runs: Vec<(u32, u32)>,
    /// Its nodes, ascending.
    nodes: Vec<u32>,
}

/// The words for all parts.
///
/// # Errors
/// The first rank where no part can be cut.
///
/// Cost: the runs of ranks.
pub(super) fn words(job: &Job<'_>) -> Result<Vec<Word>, Unsaid> {
    job.words_stand()?;
    let places = job.nodes.places_by_name();
    let place = |node: u32| places.as_ref().map_or(node, |places| places[node as usize]);
    let joined = join(job, smallest(job), &place)?;
    if joined.len() > PARTS_MAX {
        return Err(Unsaid(format!(
            "it takes {} parts of a het step, and Slurm takes {PARTS_MAX}",
            joined.len()
        )));
    }
    let mut words = Vec::new();
    for (number, part) in joined.iter().enumerate() {
        let (layout, list, only) = said(job, part, &place)?;
        if number > 0 {
            words.push(Word::plain(":"));
        }
        words.push(Word::plain(format!("-N{}", part.nodes.len())));
        words.push(Word::plain("-w"));
        let ranges: Vec<_> = part.nodes.iter().map(|&node| node..node + 1).collect();
        words.push(super::fits(job.nodes.folded(&ranges), "a list of hosts")?);
        let ranks: u32 = part.runs.iter().map(|&(_, count)| count).sum();
        words.push(Word::plain(format!("-n{ranks}")));
        words.push(Word::plain("-m"));
        words.push(Word::Plain(layout.word()));
        words.push(match &list {
            None => Word::plain("--cpu-bind=none"),
            Some(list) => bind_word(job, list)?,
        });
        if let Some(list) = gpus(job, &part.nodes)? {
            words.push(gpu_word(list)?);
        }
        if number == 0 {
            words.push(Word::Arguments);
        }
        words.extend(variables::of_app(job, only, OfApp::Program));
        words.extend(program(only));
    }
    Ok(words)
}

/// Cuts the ranks into the smallest parts such that no node is in two of them.
fn smallest(job: &Job<'_>) -> Vec<Part> {
    let mut last_of = vec![0_u32; job.nodes.len() as usize];
    let mut next = 0_u32;
    sure(job.runs(&mut |node, count| {
        next += count;
        last_of[node as usize] = next;
        Ok(())
    }));
    let mut parts = Vec::new();
    let (mut next, mut end) = (0_u32, 0_u32);
    let mut runs = Vec::new();
    sure(job.runs(&mut |node, count| {
        end = end.max(last_of[node as usize]);
        runs.push((node, count));
        next += count;
        if next == end {
            let ranks: u32 = runs.iter().map(|&(_, count)| count).sum();
            parts.push(Part::new(next - ranks, std::mem::take(&mut runs)));
        }
        Ok(())
    }));
    parts
}

impl Part {
    fn new(first: u32, runs: Vec<(u32, u32)>) -> Self {
        let mut nodes: Vec<u32> = runs.iter().map(|&(node, _)| node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        Self { first, runs, nodes }
    }
    fn ranks(&self) -> u32 {
        self.runs.iter().map(|&(_, count)| count).sum()
    }
}

/// Joins neighbouring parts that also work as one part. Cost: that of `said` for each part.
fn join(job: &Job<'_>, parts: Vec<Part>, place: &impl Fn(u32) -> u32) -> Result<Vec<Part>, Unsaid> {
    let mut joined: Vec<Part> = Vec::new();
    for part in parts {
        // A part that cannot be expressed alone cannot be expressed within a larger part either.
        said(job, &part, place)?;
        let single = |part: &Part| part.runs.len() == part.nodes.len();
        if let Some(last) = joined.last_mut()
            && single(last)
            && single(&part)
            && goes_on(job, last, &part, place)
        {
            last.runs.extend_from_slice(&part.runs);
            last.nodes.extend_from_slice(&part.nodes);
            last.nodes.sort_unstable();
            continue;
        }
        joined.push(part);
    }
    Ok(joined)
}

/// Whether a block with one more node is still one block with the same list and program.
fn goes_on(job: &Job<'_>, last: &Part, next: &Part, place: &impl Fn(u32) -> u32) -> bool {
    let Some(&(end, count)) = last.runs.last() else {
        return false;
    };
    let (node, more) = next.runs[0];
    let first = last.runs[0].1;
    // Only the last node of a part may have fewer ranks than the first.
    let even = first == count && (more == count || more + 1 == count);
    let list = |node: u32| job.lists.group(node).list.map(|row| &job.lists.rows[row]);
    let same = match (list(last.runs[0].0), list(node)) {
        (Some(own), Some(next)) => next.begins(own) && own.iter().count() >= next.iter().count(),
        (None, None) => true,
        _ => false,
    };
    let program = |part: &Part| job.programs.partition_point(|one| one.first <= part.first);
    let mut both = last.nodes.clone();
    both.push(node);
    let full = both.iter().any(|&node| is_overfull(job, node));
    even && !full
        && gpus(job, &both).is_ok()
        && next.runs.len() == 1
        && place(node) > place(end)
        && same
        && program(last) == program(next)
        && said_list(job, &[last.runs[0].0, node]).is_ok()
}

/// The list of cpus for some nodes: the longest list, if all others are beginnings of it and every node has its cpus.
fn said_list(job: &Job<'_>, nodes: &[u32]) -> Result<Option<Vec<CpusetId>>, Unsaid> {
    if job.lists.rows.is_empty() {
        return Ok(None);
    }
    let list = |&node: &u32| job.lists.group(node).list.map(|row| &job.lists.rows[row]);
    let Some(longest) = nodes.iter().filter_map(list).max_by_key(|list| list.len) else {
        return Ok(None);
    };
    let period = longest.period();
    for node in nodes {
        if !list(node).is_some_and(|list| list.begins(longest)) {
            return Err(Unsaid(format!(
                "the ranks of node {} have other cpus than those of nodes that their ranks alternate with",
                job.nodes.name(*node)
            )));
        }
        lacks(job, *node, &period)?;
    }
    Ok(Some(period))
}

/// The GPUs of the ranks of some nodes: the longest list, if all others are beginnings of it.
fn gpus<'j>(job: &'j Job<'_>, nodes: &[u32]) -> Result<Option<&'j [Vec<u32>]>, Unsaid> {
    let Some(gpus) = &job.gpus else {
        return Ok(None);
    };
    let list = gpus.common(nodes.iter().copied());
    let list = list.map_err(|number| super::other_gpus(job, number))?;
    super::all_have(job, list).map(Some)
}

/// How a part is expressed: its layout, list and program.
fn said<'j, 'p>(
    job: &'j Job<'p>,
    part: &Part,
    place: &impl Fn(u32) -> u32,
) -> Result<(Layout, Option<Vec<CpusetId>>, &'j Program<'p>), Unsaid> {
    let at = job.programs.partition_point(|one| one.first <= part.first);
    let only = &job.programs[at - 1];
    if part.first + part.ranks() > only.first + only.ranks {
        return Err(Unsaid(format!(
            "node {} has ranks of two programs from rank {} on, and a part has one",
            job.nodes.name(part.runs[0].0),
            only.first + only.ranks
        )));
    }
    let mut by_name = part.nodes.clone();
    by_name.sort_unstable_by_key(|&node| place(node));
    let own: BTreeMap<u32, u32> = by_name.iter().copied().zip(0..).collect();
    let runs = part
        .runs
        .iter()
        .map(|&(node, count)| (JobNode(own[&node]), ProcCount(count)));
    let layout = TaskMap::from_runs(runs)
        .ok()
        .and_then(|map| Layout::of(&map));
    let layout = layout.ok_or_else(|| {
        Unsaid(format!(
            "ranks {}-{} go over their nodes neither by block nor in rounds",
            part.first,
            part.first + part.ranks() - 1
        ))
    })?;
    let full = part.nodes.iter().find(|&&node| is_overfull(job, node));
    if let Some(&node) = full.filter(|_| part.nodes.len() > 1) {
        return Err(Unsaid(format!(
            "node {} has more ranks than cpus, and its ranks alternate with those of other nodes",
            job.nodes.name(node)
        )));
    }
    Ok((layout, said_list(job, &part.nodes)?, only))
}
