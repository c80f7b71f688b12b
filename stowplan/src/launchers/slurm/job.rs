//! The nodes of a job and what Slurm counts of each. Source: `lines/slurm/spec.md` 1, 4.1, 15.

use super::granted::{Granted, granted};
use super::job_names::job_names;
use super::machines::MachineSite;
use super::node_set::NodeSet;
use super::numbers;
use super::options::Options;
use super::refusals;
use super::rules::{Change, Rules};
use super::shape::{Gpu, Shape};
use super::site::{OfNodes, Selects, Site, gpus_of, setting};
use crate::launchers::line::{LineAsked, LineNote, LineRefused};
use stowplan_engine::table::names::{NameRange, Names, NodeRange};
use stowplan_engine::table::topologies::TopologyId;

/// Neighbouring nodes of which the job has the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct NodeRun {
    pub(super) nodes: NodeRange,
    /// A row of [`Job::shapes`].
    pub(super) shape: usize,
    /// Which cores the job has: a row of [`Job::cores`].
    pub(super) cores: usize,
    /// What the controller counts.
    pub(super) raw: u64,
    /// What the job is told.
    pub(super) told: u64,
}

/// Neighbouring nodes with the same number of tasks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dealt<'a> {
    pub(super) nodes: NodeRange,
    pub(super) run: &'a NodeRun,
    pub(super) tasks: u64,
    /// GPUs of each of these nodes, where a step has so many of all its nodes together.
    pub(super) gpus: Option<u64>,
}

/// The nodes of a job.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) names: Names,
    pub(super) runs: Vec<NodeRun>,
    pub(super) shapes: Vec<Shape>,
    pub(super) cores: Vec<Vec<bool>>,
    pub(super) whole: bool,
    /// Whether `--granted` says which GPUs the job has.
    pub(super) knows_gpus: bool,
    /// GPUs of a node, where the job has only some of them and which is not known.
    pub(super) gpus_before: Option<u64>,
    /// The job's threads per core.
    pub(super) threads: Option<u64>,
    pub(super) notes: Vec<LineNote>,
}

impl Job {
    pub(super) fn count(&self) -> u64 {
        u64::from(self.names.len())
    }

    /// What the job is told of each node, as its slots.
    pub(super) fn slots(&self) -> Vec<(NodeRange, u32)> {
        let told = |run: &NodeRun| u32::try_from(run.told).unwrap_or(u32::MAX);
        self.runs.iter().map(|run| (run.nodes, told(run))).collect()
    }

    pub(super) fn all(&self) -> NodeSet {
        NodeSet::until(self.names.len())
    }

    /// The parts of the runs that a set has.
    pub(super) fn of<'a>(
        &'a self,
        set: &'a NodeSet,
    ) -> impl Iterator<Item = (NodeRange, &'a NodeRun)> + 'a {
        let ranges: Vec<NodeRange> = set.ranges().collect();
        let mut from = 0;
        self.runs.iter().flat_map(move |run| {
            while ranges
                .get(from)
                .is_some_and(|range| range.end() <= run.nodes.first)
            {
                from += 1;
            }
            let ahead = ranges[from..]
                .iter()
                .take_while(|range| range.first < run.nodes.end());
            let parts: Vec<_> = ahead.filter_map(|range| range.overlap(run.nodes)).collect();
            parts.into_iter().map(move |part| (part, run))
        })
    }

    /// The nodes of names, and the first name that is not of the job.
    pub(super) fn find(&self, ranges: &[NameRange]) -> (NodeSet, Option<String>) {
        let found: Vec<_> = ranges.iter().map(|range| self.names.find(range)).collect();
        let missing = found.iter().find_map(|(_, missing)| missing.clone());
        (
            NodeSet::of(found.into_iter().flat_map(|(nodes, _)| nodes)),
            missing,
        )
    }

    pub(super) fn first_shape(&self) -> &Shape {
        &self.shapes[self.runs[0].shape]
    }

    /// The nodes of the line, with what Slurm counts.
    pub(super) fn read(
        asked: &LineAsked<'_>,
        site: &Site,
        words: &Options,
        line: &Options,
        rules: Rules,
    ) -> Result<Self, LineRefused> {
        let granted = granted(asked)?;
        let mut notes = Vec::new();
        let names = job_names(asked, words, line, &granted, &mut notes)?;
        let whole = granted.is_empty()
            || asked.alloc.is_none() && asked.variable("SLURM_JOB_ID").is_none()
            || words.exclusive.is_said()
            || site.exclusive.is_said();
        let mut own = Self {
            names,
            runs: Vec::new(),
            shapes: Vec::new(),
            cores: Vec::new(),
            whole,
            gpus_before: None,
            knows_gpus: granted.iter().any(|own| own.gpus.is_some()),
            threads: words
                .hint
                .as_ref()
                .and_then(super::hint::Hint::job_threads)
                .or(words.threads_per_core)
                .or_else(|| {
                    site.machine
                        .filter(|_| words.hint.is_none())
                        .map(|own| own.threads_per_core)
                }),
            notes,
        };
        own.make_runs(asked, site, words, &granted)?;
        own.count_cpus(site, rules);
        if let Some(text) = asked.variable("SLURM_JOB_CPUS_PER_NODE") {
            own.told_by(text, site)?;
        } else if !whole && site.selects == Selects::Cpus {
            own.notes.push(LineNote {
                class: "invented-cpus",
                text: "under CR_CPU the cpus of a part of a node cannot be known from its cores: give --env SLURM_JOB_CPUS_PER_NODE=…".to_owned(),
            });
        }
        Ok(own)
    }

    /// GPUs of each node of a run.
    pub(super) fn gpus_on(&self, run: &NodeRun) -> u64 {
        self.shapes[run.shape].gpus.len() as u64
    }

    /// The most GPUs that one of its nodes has.
    pub(super) fn most_gpus(&self) -> u64 {
        let each = self.shapes.iter().map(|shape| shape.gpus.len() as u64);
        each.max().unwrap_or(0)
    }

    /// Leaves the job so many GPUs of each node, the lowest numbered.
    pub(super) fn keep_gpus(&mut self, count: u64) {
        let most = self.most_gpus();
        if most > count {
            self.gpus_before = Some(most);
            for shape in &mut self.shapes {
                shape
                    .gpus
                    .truncate(usize::try_from(count).unwrap_or(usize::MAX));
            }
        }
    }

    fn make_runs(
        &mut self,
        asked: &LineAsked<'_>,
        site: &Site,
        words: &Options,
        granted: &[Granted],
    ) -> Result<(), LineRefused> {
        let find = |names: &Option<Vec<NameRange>>| match names {
            None => self.all(),
            Some(names) => self.find(names).0,
        };
        let lines: Vec<(NodeSet, &OfNodes)> = site
            .nodes
            .iter()
            .map(|own| (find(&own.names), own))
            .collect();
        let gpus: Vec<(NodeSet, &OfNodes)> = site
            .gpus
            .iter()
            .map(|own| (find(&own.names), own))
            .collect();
        let parts: Vec<(NodeSet, &Granted)> = granted
            .iter()
            .map(|own| (self.find(&own.names).0, own))
            .collect();
        let base = hardware(asked, &self.names)?;
        let sets = lines
            .iter()
            .map(|(set, _)| set)
            .chain(gpus.iter().map(|(set, _)| set))
            .chain(parts.iter().map(|(set, _)| set));
        let mut cuts: Vec<u32> = sets
            .flat_map(NodeSet::ranges)
            .flat_map(|range| [range.first, range.end()])
            .collect();
        cuts.sort_unstable();
        cuts.dedup();
        let holds = |set: &NodeSet, nodes: NodeRange| {
            set.ranges().any(|range| range.overlap(nodes).is_some())
        };
        for (range, topology) in base {
            let mut first = range.first;
            while first < range.end() {
                let at = cuts.partition_point(|&cut| cut <= first);
                let end = cuts
                    .get(at)
                    .map_or(range.end(), |&cut| cut.min(range.end()));
                let nodes = NodeRange::until(first, end);
                let own: Vec<&OfNodes> = lines
                    .iter()
                    .filter(|(set, _)| holds(set, nodes))
                    .map(|row| row.1)
                    .collect();
                let near: Vec<&OfNodes> = gpus
                    .iter()
                    .filter(|(set, _)| holds(set, nodes))
                    .map(|row| row.1)
                    .collect();
                let part = parts
                    .iter()
                    .find(|(set, _)| holds(set, nodes))
                    .map(|row| row.1);
                self.push_run(asked, site, (nodes, topology), (&own, &near, part), words)?;
                first = end;
            }
        }
        if self.runs.is_empty() {
            return Err(refusals::value("the job has no node"));
        }
        Ok(())
    }

    fn push_run(
        &mut self,
        asked: &LineAsked<'_>,
        site: &Site,
        (nodes, topology): (NodeRange, TopologyId),
        (own, near, part): (&[&OfNodes], &[&OfNodes], Option<&Granted>),
        words: &Options,
    ) -> Result<(), LineRefused> {
        let mut shape = Shape::of(asked.hardware, topology, site.socket)?;
        configure(&mut shape, own)?;
        if !near.is_empty() {
            shape.gpus = gpus_of(near);
        }
        if let Some(own) = part.and_then(|part| part.gpus.as_ref()) {
            let has = |gpu: &Gpu| own.iter().any(|row| (row.0..=row.1).contains(&gpu.number));
            shape.gpus.retain(has);
        }
        let cores = cores_of(&shape, part, own, words, site.machine)?;
        let shape = row_of(&mut self.shapes, shape);
        let cores = row_of(&mut self.cores, cores);
        self.runs.push(NodeRun {
            nodes,
            shape,
            cores,
            raw: 0,
            told: 0,
        });
        Ok(())
    }

    /// Cuts runs so that one begins behind so many nodes.
    fn cut(&mut self, at: u64) {
        let Some(row) = self
            .runs
            .iter()
            .position(|run| u64::from(run.nodes.first) < at && at < u64::from(run.nodes.end()))
        else {
            return;
        };
        let Ok(at) = u32::try_from(at) else {
            return;
        };
        let mut behind = self.runs[row].clone();
        behind.nodes = NodeRange::until(at, behind.nodes.end());
        self.runs[row].nodes = NodeRange::until(self.runs[row].nodes.first, at);
        self.runs.insert(row + 1, behind);
    }

    fn count_cpus(&mut self, site: &Site, rules: Rules) {
        let slips = self.whole && site.selects != Selects::Linear;
        let threads = self.threads.filter(|_| slips);
        let mut times: Vec<(u64, u64)> = Vec::new();
        if let Some(threads) = threads {
            let mut at = 0;
            for run in &self.runs {
                let counted = self.shapes[run.shape].counted as u64;
                if counted != threads {
                    at += u64::from(run.nodes.count);
                    times.push((at, counted));
                }
            }
            for &(end, _) in &times {
                self.cut(end);
            }
        }
        for run in &mut self.runs {
            let counted = self.shapes[run.shape].counted as u64;
            let cores = self.cores[run.cores].iter().filter(|&&own| own).count() as u64;
            let first = u64::from(run.nodes.first);
            let slip = times
                .iter()
                .find(|(end, _)| first < *end)
                .map_or(1, |row| row.1);
            let most = self.threads.unwrap_or(counted).min(counted);
            let (raw, base) = match threads {
                Some(_) if site.selects == Selects::Cpus => (cores * most, cores * most * slip),
                Some(_) => (cores * most * slip, cores * most * slip),
                None => (cores * counted, cores * counted),
            };
            run.raw = raw;
            run.told = match !rules.has(Change::LinearCounts) && site.selects == Selects::Linear {
                true => cores * counted,
                false => base / counted * most,
            };
            if !self.whole && site.selects == Selects::Cpus {
                run.raw = run.told;
            }
        }
    }

    fn told_by(&mut self, text: &str, site: &Site) -> Result<(), LineRefused> {
        let counts = numbers::counts(text);
        let sum = counts
            .iter()
            .flatten()
            .fold(0_u64, |sum, row| sum.saturating_add(row.1));
        let Some(counts) = counts.filter(|_| sum == self.count()) else {
            return Err(refusals::value(format!(
                "SLURM_JOB_CPUS_PER_NODE={text}: counts for {} nodes are asked for, as 16(x4),8",
                self.count()
            )));
        };
        let mut end = 0;
        for (told, times) in counts {
            self.cut(end + times);
            for run in &mut self.runs {
                if u64::from(run.nodes.first) >= end && u64::from(run.nodes.first) < end + times {
                    run.told = told;
                    if !self.whole && site.selects == Selects::Cpus {
                        run.raw = told;
                    }
                }
            }
            end += times;
        }
        Ok(())
    }
}

/// The topologies of the nodes.
fn hardware(
    asked: &LineAsked<'_>,
    names: &Names,
) -> Result<Vec<(NodeRange, TopologyId)>, LineRefused> {
    let mut base = Vec::new();
    for (range, names) in names.ranges() {
        let mut first = range.first;
        for (count, topology) in asked.hardware.of_names(&names) {
            base.push((NodeRange::until(first, first + count), topology));
            first += count;
        }
        if first != range.end() {
            return Err(refusals::value(
                "a node of the job has no topology: --topo says what it has",
            ));
        }
    }
    Ok(base)
}

fn row_of<T: PartialEq>(rows: &mut Vec<T>, row: T) -> usize {
    rows.iter().position(|own| *own == row).unwrap_or_else(|| {
        rows.push(row);
        rows.len() - 1
    })
}

fn configure(shape: &mut Shape, lines: &[&OfNodes]) -> Result<(), LineRefused> {
    let count = |key| setting(lines, key).and_then(numbers::number);
    let sockets =
        count("sockets").or_else(|| Some(count("socketsperboard")? * count("boards").unwrap_or(1)));
    for (what, said, there) in [
        ("Sockets", sockets, shape.sockets),
        ("CoresPerSocket", count("corespersocket"), shape.cores),
        ("ThreadsPerCore", count("threadspercore"), shape.threads),
    ] {
        if let Some(said) = said.filter(|&said| said != there as u64) {
            return Err(refusals::site(format!(
                "--site: {what}={said}, and --topo has {there}"
            )));
        }
    }
    let cores = shape.all_cores() as u64;
    match count("cpus") {
        None => {}
        Some(cpus) if cpus == cores => shape.counted = 1,
        Some(cpus) if cpus == cores * shape.threads as u64 => {}
        Some(cpus) => {
            return Err(refusals::site(format!(
                "--site: CPUs={cpus}, and --topo has {cores} cores with {} threads each",
                shape.threads
            )));
        }
    }
    Ok(())
}

/// The cores that the job has.
fn cores_of(
    shape: &Shape,
    part: Option<&Granted>,
    lines: &[&OfNodes],
    words: &Options,
    machine: Option<&MachineSite>,
) -> Result<Vec<bool>, LineRefused> {
    let all = shape.all_cores();
    if let Some(part) = part {
        let mut cores = vec![false; all];
        for &(first, last) in &part.cpus {
            for cpu in first..=last {
                let core = cpu as usize / shape.threads;
                *cores.get_mut(core).ok_or_else(|| {
                    refusals::value(format!(
                        "--granted: cpu {cpu} is beyond the {} of the node",
                        all * shape.threads
                    ))
                })? = true;
            }
        }
        return Ok(cores);
    }
    let mut cores = vec![true; all];
    let ranges = setting(lines, "cpuspeclist")
        .and_then(numbers::ranges)
        .unwrap_or_default();
    for (first, last) in ranges {
        for cpu in first..=last {
            if let Some(core) = cores.get_mut(cpu as usize / shape.threads) {
                *core = false;
            }
        }
    }
    if machine.is_some_and(|own| own.reserved.is_some()) {
        // The topology is without them.
        return Ok(cores);
    }
    let reserved = words
        .core_spec
        .or_else(|| setting(lines, "corespeccount").and_then(numbers::number));
    let mut left = reserved.unwrap_or(0).min(all as u64);
    while left > 0 {
        for socket in (0..shape.sockets)
            .rev()
            .take(usize::try_from(left).unwrap_or(all))
        {
            let own = &mut cores[socket * shape.cores..(socket + 1) * shape.cores];
            if let Some(core) = own.iter_mut().rev().find(|own| **own) {
                *core = false;
            }
            left -= 1;
        }
    }
    Ok(cores)
}
