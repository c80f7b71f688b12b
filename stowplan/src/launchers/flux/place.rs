//! Where the tasks of a job are under one scheduler.

use super::affinity::{self, Affinity, Sets};
use super::asks::{Ask, Tasks, Whole};
use super::deal::{self, Deal, Dealt};
use super::instance::Instance;
use super::mpibind;
use super::requires;
use super::schedule::{self, Allotted, Got, lowest};
use super::site::Policy;
use super::task_map;
use super::words::Line;
use crate::launchers::line::{Laid, LaidApp, LaidProcs, LaidRun, LineAsked, LineRefused};
use std::collections::HashMap;

/// A line with all that is known before a scheduler chooses.
pub(super) struct Job<'a> {
    pub(super) asked: &'a LineAsked<'a>,
    pub(super) line: &'a Line,
    pub(super) ask: &'a Ask,
    pub(super) instance: &'a Instance,
}

impl Job<'_> {
    /// Where the tasks are under a scheduler.
    ///
    /// # Errors
    /// A [`LineRefused`].
    pub(super) fn lay(&self, policy: Policy) -> Result<Laid, LineRefused> {
        let left = requires::left(self.asked, self.line, self.instance)?;
        let given = schedule::schedule(self.asked, self.ask, policy, self.instance, &left)?;
        let deal = deal::deal(self.asked, self.ask, &given)?;
        let mapped = task_map::map(self.asked, self.line, self.instance, &deal)?;
        let mut patterns = Patterns {
            job: self,
            mpibind: mpibind::asked_for(self.asked, self.line)?,
            cpus: Affinity::of_cpus(self.line),
            gpus: Affinity::of_gpus(self.line),
            rows: HashMap::new(),
            patterns: Vec::new(),
        };
        let mut runs: Vec<LaidRun> = Vec::new();
        for part in joint(&deal.nodes, &mapped.nodes) {
            if part.mapped == 0 {
                continue;
            }
            let got = self.used(&given, &deal, part.dealt);
            let pattern = patterns.row(&got, part.dealt, part.mapped)?;
            let nodes = part.dealt.nodes;
            LaidRun::add(&mut runs, nodes, pattern);
        }
        let kinds = &self.instance.kinds;
        let slots = self.instance.runs.iter().map(|&(nodes, kind)| {
            let cores = u32::try_from(kinds[kind].cores.len()).unwrap_or(u32::MAX);
            (nodes, cores)
        });
        Ok(Laid {
            version: super::VERSION.to_owned(),
            derived: Vec::new(),
            notes: self.instance.notes.clone(),
            names: self.instance.names.clone(),
            slots: slots.collect(),
            patterns: patterns.patterns,
            apps: vec![LaidApp {
                number: 0,
                program: self.line.program.clone(),
                runs,
                order: mapped.order,
            }],
        })
    }

    /// What the tasks of a node may use. A job that has more slots than tasks is cut to its tasks.
    fn used(&self, given: &[Allotted], deal: &Deal, dealt: Dealt) -> Got {
        let got = &given[dealt.row].got;
        let slots = self.ask.all_slots();
        let nodes: u32 = given.iter().map(|own| own.nodes.count).sum();
        let by_slots = matches!(self.ask.tasks, Tasks::InAll(_)) && self.ask.whole == Whole::No;
        if !by_slots || nodes < 2 || slots <= u64::from(deal.tasks) {
            return got.clone();
        }
        let gpus = |own: &Allotted| own.got.gpus.len() * u64::from(own.nodes.count);
        let gpus: u64 = given.iter().map(gpus).sum();
        let tasks = u64::from(dealt.tasks);
        Got {
            topology: got.topology,
            cores: lowest(&got.cores, tasks * deal.cores_per_slot),
            gpus: lowest(&got.gpus, tasks * (gpus / slots)),
        }
    }
}

/// Nodes with the tasks that they were dealt, and those that the map gives them.
struct Part {
    dealt: Dealt,
    mapped: u32,
}

/// Two lists of the same nodes, cut where either changes.
fn joint(dealt: &[Dealt], mapped: &[Dealt]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut others = mapped.iter().peekable();
    for own in dealt {
        while let Some(other) = others.peek() {
            if let Some(nodes) = own.nodes.overlap(other.nodes) {
                parts.push(Part {
                    dealt: Dealt { nodes, ..*own },
                    mapped: other.tasks,
                });
            }
            if other.nodes.end() > own.nodes.end() {
                break;
            }
            others.next();
        }
    }
    parts
}

/// Distinct patterns of a job.
struct Patterns<'a> {
    job: &'a Job<'a>,
    mpibind: Option<String>,
    cpus: Affinity,
    gpus: Affinity,
    /// Rows by what a node was given, the tasks it was dealt, and those it has.
    rows: HashMap<(usize, u32, u32), usize>,
    patterns: Vec<Vec<LaidProcs>>,
}

impl Patterns<'_> {
    fn row(&mut self, got: &Got, dealt: Dealt, tasks: u32) -> Result<usize, LineRefused> {
        let key = (dealt.row, dealt.tasks, tasks);
        if let Some(&row) = self.rows.get(&key) {
            return Ok(row);
        }
        let asked = self.job.asked;
        let (cpus, gpus) = match &self.mpibind {
            Some(words) => mpibind::sets(asked, words, got, tasks)?,
            None => (
                affinity::cpus(asked, &self.cpus, got, tasks)?,
                affinity::gpus(asked, &self.gpus, got, tasks)?,
            ),
        };
        let pattern = zip(&cpus, &gpus);
        let known = self.patterns.iter().rposition(|own| *own == pattern);
        let row = known.unwrap_or_else(|| {
            self.patterns.push(pattern);
            self.patterns.len() - 1
        });
        self.rows.insert(key, row);
        Ok(row)
    }
}

/// The cpus and GPUs of neighbouring tasks.
fn zip(cpus: &Sets, gpus: &Sets) -> Vec<LaidProcs> {
    let mut procs: Vec<LaidProcs> = Vec::new();
    let mut gpus = gpus.iter().cloned();
    let mut own = gpus.next();
    for (count, set) in cpus {
        let mut left = *count;
        while left > 0 {
            let Some((many, seen)) = &mut own else {
                break;
            };
            let part = left.min(*many);
            let seen = seen.as_ref().map(|seen| seen.iter().collect());
            LaidProcs::add(&mut procs, part, set.clone(), seen);
            left -= part;
            *many -= part;
            if *many == 0 {
                own = gpus.next();
            }
        }
    }
    procs
}
