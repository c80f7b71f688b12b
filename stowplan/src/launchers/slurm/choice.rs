//! The nodes of the step. Source: `lines/slurm/spec.md` 4.

use super::distribution::First;
use super::job::{Job, NodeRun};
use super::node_set::NodeSet;
use super::refusals;
use super::rules::Change;
use super::step::Step;
use crate::launchers::line::LineRefused;
use stowplan_engine::table::names::NodeRange;

const PROCESSORS: &str = "Unable to create step: More processors requested than permitted";
const CONFIGURATION: &str = "Unable to create step: Requested node configuration is not available";

/// What the controller knows of a step.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) nodes: NodeSet,
    /// Effective threads per core.
    pub(super) threads: Option<u64>,
    /// Cpus of a task as the controller counts them.
    pub(super) cpus: u64,
    pub(super) want: u64,
}

/// Chooses the nodes; settles the tasks of a step that has as many as fit.
pub(super) fn choose(step: &mut Step, job: &Job) -> Result<Chosen, LineRefused> {
    let own = step.levels.threads;
    let threads = own.or(job.threads);
    let limit = job.threads.unwrap_or(job.first_shape().threads as u64);
    if own.is_some_and(|own| own > limit) {
        return Err(refusals::refuses(
            "Unable to create step: Cannot request more threads per core than the job allocation",
        ));
    }
    let (mut min, max) = (step.min, if step.max == 0 { job.count() } else { step.max });
    if max < min {
        return Err(refusals::refuses(CONFIGURATION));
    }
    let mut avail = job.all().without(&step.excluded);
    if let Some(own) = own.filter(|_| step.rules.has(Change::UsableByThreads)) {
        let none = job.runs.iter().filter(|run| {
            let threads = job.shapes[run.shape].threads as u64;
            threads != own && run.raw / threads * own == 0
        });
        avail = avail.without(&NodeSet::of(none.map(|run| run.nodes)));
    }
    let picked = named(step, &mut avail, &mut min, max)?;
    if let Some(first) = step.relative {
        avail = avail.without(&job.all().first(first));
    }
    let mut want = step.want();
    if step.fits {
        want = fit(step, job, &avail, min, max, threads)?;
    }
    let mut choice = Choice {
        step,
        job,
        avail,
        picked,
        min,
        max,
        want,
    };
    choice.least(threads)?;
    choice.pick()?;
    choice.more()?;
    let nodes = choice.picked;
    let cpus = cpus(step, job, want);
    Ok(Chosen {
        nodes,
        threads,
        cpus,
        want,
    })
}

/// The nodes that `-w` picks.
fn named(
    step: &Step,
    avail: &mut NodeSet,
    min: &mut u64,
    max: u64,
) -> Result<NodeSet, LineRefused> {
    let mut picked = NodeSet::default();
    if let Some(listed) = step.listed.clone() {
        if let Some(name) = &step.unknown {
            return Err(refusals::refuses(format!(
                "{CONFIGURATION}: {name} is not of the job"
            )));
        }
        if !listed.without(avail).is_empty() {
            return Err(refusals::waits(
                "a node of -w can never be had by this step",
            ));
        }
        if step.distribution.first == First::Arbitrary {
            *min = listed.len();
        }
        if listed.len() > max {
            return Err(refusals::refuses(format!(
                "Unable to create step: {} nodes are named, and at most {max} asked for",
                listed.len()
            )));
        }
        if listed.len() > *min && *min > 0 {
            *avail = listed;
        } else {
            *avail = avail.without(&listed);
            picked = listed;
        }
    }
    Ok(picked)
}

/// As many tasks as fit.
fn fit(
    step: &mut Step,
    job: &Job,
    avail: &NodeSet,
    min: u64,
    max: u64,
    threads: Option<u64>,
) -> Result<u64, LineRefused> {
    let each = step.cpus.unwrap_or(1);
    let none = step.relative.is_some() && !step.rules.has(Change::RelativeFits) && !step.overlap;
    let looked = if none {
        NodeSet::default()
    } else {
        avail.clone()
    };
    if looked.len() < min {
        return Err(refusals::waits(format!(
            "-c without -n starts as many tasks as fit on nodes that no word takes: {} nodes are left to look at, and {min} are needed",
            looked.len()
        )));
    }
    let mut counts: Vec<(u64, u64)> = job
        .of(&looked)
        .map(|(nodes, run)| {
            let counted = job.shapes[run.shape].counted as u64;
            let cpus = threads.map_or(run.raw, |threads| run.raw.div_ceil(counted) * threads);
            (cpus, u64::from(nodes.count))
        })
        .collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let mut left = max;
    let mut tasks = 0;
    for (cpus, nodes) in counts {
        let nodes = nodes.min(left);
        left -= nodes;
        tasks += cpus / each * nodes;
    }
    step.tasks = tasks;
    if tasks == 0 {
        return Err(refusals::refuses(format!(
            "{PROCESSORS}: no node has {each} cpus"
        )));
    }
    Ok(step.want())
}

/// Cpus of a task as the controller counts them.
fn cpus(step: &Step, job: &Job, want: u64) -> u64 {
    if let Some(cpus) = step.cpus.filter(|_| step.rules.has(Change::CpusOfTask)) {
        return cpus;
    }
    if want == 0 || !want.is_multiple_of(step.tasks) {
        return 0;
    }
    let each = (want / step.tasks).max(1);
    let fit: u64 = job
        .runs
        .iter()
        .map(|run| run.told / each * u64::from(run.nodes.count))
        .sum();
    let short = job.runs.iter().any(|run| each > run.told) || fit < step.tasks;
    if short { 0 } else { each }
}

struct Choice<'a> {
    step: &'a Step,
    job: &'a Job,
    avail: NodeSet,
    picked: NodeSet,
    min: u64,
    max: u64,
    want: u64,
}

impl Choice<'_> {
    fn usable(&self, run: &NodeRun) -> u64 {
        let shape = &self.job.shapes[run.shape];
        let mut raw = run.raw;
        if let Some(each) = self.step.gpus_per_task {
            raw = raw.min(shape.gpus.len() as u64 / each * self.step.cpus.unwrap_or(1));
        }
        let threads = shape.threads as u64;
        match self
            .step
            .levels
            .threads
            .filter(|&own| own != threads && self.step.rules.has(Change::UsableByThreads))
        {
            Some(own) => raw / threads * own,
            None => raw,
        }
    }

    fn usable_of(&self, set: &NodeSet) -> u64 {
        self.job
            .of(set)
            .map(|(nodes, run)| self.usable(run) * u64::from(nodes.count))
            .sum()
    }

    /// More nodes where equal ones have too few cpus.
    fn least(&mut self, threads: Option<u64>) -> Result<(), LineRefused> {
        let told = self.job.runs[0].told;
        if self.want == 0 || told == 0 || self.job.runs.iter().any(|run| run.told != told) {
            return Ok(());
        }
        let counted = self.job.first_shape().counted as u64;
        let mut want = self.want;
        if let Some(own) =
            threads.filter(|&own| own < counted.min(self.job.threads.unwrap_or(counted)))
        {
            want = want.div_ceil(own).saturating_mul(counted);
        }
        self.min = self.min.max(want.div_ceil(told));
        if self.step.pack {
            self.max = self.min;
        }
        if self.max < self.min {
            return Err(refusals::refuses(format!(
                "{PROCESSORS}: {} cpus are wanted, a node has {told}, and at most {} nodes are asked for",
                self.want, self.max
            )));
        }
        Ok(())
    }

    fn pick(&mut self) -> Result<(), LineRefused> {
        let there = self.avail.len() + self.picked.len();
        if there < self.min {
            return Err(refusals::waits(format!(
                "{} nodes are needed, and {there} can ever be had",
                self.min
            )));
        }
        if self.min <= self.picked.len() {
            return Ok(());
        }
        let target = if self.max > self.min {
            self.max
        } else {
            self.min
        };
        let target = (target - self.picked.len()).min(self.avail.len());
        let wanted = self.want.saturating_sub(self.usable_of(&self.picked));
        let taken = if target == 0 || wanted <= target || wanted.div_ceil(target) > 1024 {
            self.avail.first(target)
        } else {
            self.with_cpus(target, wanted).ok_or_else(|| {
                refusals::refuses(format!(
                    "{PROCESSORS}: {wanted} cpus on {target} nodes are wanted"
                ))
            })?
        };
        self.picked = self.picked.with(&taken);
        self.avail = self.avail.without(&taken);
        Ok(())
    }

    /// Nodes that have so many cpus together.
    fn with_cpus(&self, target: u64, wanted: u64) -> Option<NodeSet> {
        let goal = wanted.div_ceil(target);
        let rows: Vec<(NodeRange, u64)> = self
            .job
            .of(&self.avail)
            .map(|(nodes, run)| (nodes, self.usable(run)))
            .collect();
        let (mut nodes_left, mut cpus_left) = (target, wanted);
        let mut taken = Vec::new();
        let mut smaller: Vec<&(NodeRange, u64)> = rows
            .iter()
            .filter(|row| row.1 < goal && row.1 > 0)
            .collect();
        smaller.sort_by_key(|row| (u64::MAX - row.1, row.0.first));
        let large = rows.iter().filter(|row| row.1 >= goal);
        for &(nodes, usable) in large.chain(smaller) {
            if nodes_left == 0 {
                break;
            }
            let count = u64::from(nodes.count).min(nodes_left);
            taken.push(NodeSet::of([nodes]).first(count));
            nodes_left -= count;
            cpus_left = cpus_left.saturating_sub(usable * count);
        }
        (nodes_left == 0 && cpus_left == 0)
            .then(|| NodeSet::of(taken.iter().flat_map(NodeSet::ranges)))
    }

    /// Adds nodes while cpus are missing.
    fn more(&mut self) -> Result<(), LineRefused> {
        let mut have = self.usable_of(&self.picked);
        if self.want == 0 || have >= self.want {
            return Ok(());
        }
        let mut left = self.max.saturating_sub(self.picked.len());
        let mut added = Vec::new();
        for (nodes, run) in self.job.of(&self.avail) {
            let usable = self.usable(run);
            let missing = self.want.saturating_sub(have);
            let needed = if usable == 0 {
                left
            } else {
                missing.div_ceil(usable)
            };
            let count = u64::from(nodes.count).min(left).min(needed);
            added.push(NodeSet::of([nodes]).first(count));
            left -= count;
            have = have.saturating_add(usable * count);
            if left == 0 || have >= self.want {
                break;
            }
        }
        if have < self.want {
            return Err(refusals::refuses(format!(
                "{PROCESSORS}: {} cpus are wanted, and its nodes have {have}",
                self.want
            )));
        }
        self.picked = self
            .picked
            .with(&NodeSet::of(added.iter().flat_map(NodeSet::ranges)));
        Ok(())
    }
}
