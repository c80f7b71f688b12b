//! An independent account of a cluster: plain counters for each node, kept from the processes of each plan alone.

use std::collections::{BTreeMap, HashMap};
use stowplan::{Cluster, JobId, Plan, Standing};

/// One node.
#[derive(Clone)]
pub(crate) struct Books {
    pub(crate) name: String,
    pub(crate) slots: u32,
    pub(crate) used: u32,
    /// Cpus by OS number, one bit each.
    pub(crate) free_cpus: u128,
    /// GPUs by visible number, one bit each.
    pub(crate) free_gpus: u128,
    pub(crate) standing: Standing,
}

/// What one job holds: node, processes, cpus, GPUs.
type Held = Vec<(usize, u32, u128, u128)>;

/// The nodes, and what each job holds of them.
#[derive(Default)]
pub(crate) struct Account {
    pub(crate) nodes: Vec<Books>,
    rows: HashMap<String, usize>,
    pub(crate) jobs: BTreeMap<JobId, Held>,
}

fn bits(cpus: impl IntoIterator<Item = u32>) -> u128 {
    cpus.into_iter().fold(0, |set, cpu| set | 1 << cpu)
}

impl Account {
    /// Adds a node that is up, with so many cpus and GPUs, numbered from 0.
    pub(crate) fn add(&mut self, name: String, slots: u32, cpus: u32, gpus: u32) {
        self.rows.insert(name.clone(), self.nodes.len());
        self.nodes.push(Books {
            name,
            slots,
            used: 0,
            free_cpus: bits(0..cpus),
            free_gpus: bits(0..gpus),
            standing: Standing::Up,
        });
    }

    /// Slots that are free on nodes that are up.
    pub(crate) fn room(&self) -> u32 {
        let up = self
            .nodes
            .iter()
            .filter(|node| node.standing == Standing::Up);
        up.map(|node| node.slots - node.used).sum()
    }

    /// Enters a job. Its nodes must be up, its slots and cpus free, and no two of its processes may share a cpu.
    pub(crate) fn enter(&mut self, job: JobId, plan: &Plan) -> Result<(), String> {
        let mut held: BTreeMap<usize, (u32, u128, u128)> = BTreeMap::new();
        for proc in plan.procs() {
            let node = proc.node();
            let name = node.name();
            let row = *self
                .rows
                .get(name)
                .ok_or_else(|| format!("{name} is no node"))?;
            let (procs, cpus, gpus) = held.entry(row).or_default();
            // A process that is not bound has no cpus of its own.
            let own = bits(proc.cpus().iter());
            if *cpus & own != 0 {
                return Err(format!("job {job}: two processes share a cpu of {name}"));
            }
            *procs += 1;
            *cpus |= own;
            // Processes of one job may share a GPU.
            *gpus |= bits(proc.gpus().iter().copied());
        }
        for (&row, &(procs, cpus, gpus)) in &held {
            let node = &mut self.nodes[row];
            let name = &node.name;
            if node.standing != Standing::Up {
                return Err(format!(
                    "job {job} starts on {name}, which is {:?}",
                    node.standing
                ));
            }
            if node.used + procs > node.slots {
                return Err(format!(
                    "job {job}: {procs} more on {name}, {} of {} there",
                    node.used, node.slots
                ));
            }
            if cpus & !node.free_cpus != 0 {
                return Err(format!("job {job}: cpus of {name} are another job's"));
            }
            if gpus & !node.free_gpus != 0 {
                return Err(format!("job {job}: GPUs of {name} are another job's"));
            }
            node.used += procs;
            node.free_gpus &= !gpus;
            node.free_cpus &= !cpus;
        }
        let held = held
            .into_iter()
            .map(|(row, (procs, cpus, gpus))| (row, procs, cpus, gpus));
        self.jobs.insert(job, held.collect());
        Ok(())
    }

    /// Strikes a job out.
    pub(crate) fn strike(&mut self, job: JobId) {
        for (row, procs, cpus, gpus) in self.jobs.remove(&job).unwrap_or_default() {
            self.nodes[row].used -= procs;
            self.nodes[row].free_cpus |= cpus;
            self.nodes[row].free_gpus |= gpus;
        }
    }

    /// The jobs with processes on a node.
    pub(crate) fn jobs_on(&self, row: usize) -> Vec<JobId> {
        let there = |held: &Held| held.iter().any(|&(at, ..)| at == row);
        let jobs = self.jobs.iter().filter(|(_, held)| there(held));
        jobs.map(|(&job, _)| job).collect()
    }

    /// Gives jobs other numbers.
    pub(crate) fn renumber(&mut self, numbers: &BTreeMap<JobId, JobId>) {
        let jobs = std::mem::take(&mut self.jobs).into_iter();
        self.jobs = jobs.map(|(job, held)| (numbers[&job], held)).collect();
    }

    /// Compares all nodes.
    pub(crate) fn compare(&self, cluster: &Cluster) -> Result<(), String> {
        if cluster.nodes().len() != self.nodes.len() {
            return Err(format!(
                "{} nodes, not {}",
                cluster.nodes().len(),
                self.nodes.len()
            ));
        }
        if !cluster
            .jobs()
            .map(|(job, _)| job)
            .eq(self.jobs.keys().copied())
        {
            return Err("other jobs run".to_owned());
        }
        for node in cluster.nodes() {
            let name = node.name();
            let books = &self.nodes[self.rows[&name]];
            let free = (bits(node.free_cpus()), bits(node.free_gpus()));
            let told = (node.standing(), node.procs(), node.free_slots(), free);
            let free = (books.free_cpus, books.free_gpus);
            let kept = (books.standing, books.used, books.slots - books.used, free);
            if told != kept {
                return Err(format!(
                    "{name}: standing, processes, free slots, cpus, GPUs {told:?}, not {kept:?}"
                ));
            }
        }
        Ok(())
    }
}
