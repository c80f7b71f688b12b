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
    free_cpus: u128,
    /// GPUs by visible number, one bit each.
    free_gpus: u128,
    pub(crate) standing: Standing,
}

/// What one job holds of a node.
pub(crate) struct Held {
    row: usize,
    procs: u32,
    cpus: u128,
    gpus: u128,
}

/// The nodes, and what each job holds of them.
#[derive(Default)]
pub(crate) struct Account {
    pub(crate) nodes: Vec<Books>,
    rows: HashMap<String, usize>,
    pub(crate) jobs: BTreeMap<JobId, Vec<Held>>,
}

fn bits(numbers: impl IntoIterator<Item = u32>) -> u128 {
    numbers.into_iter().fold(0, |set, at| set | 1 << at)
}

impl Account {
    /// Adds a node that is up, with so many cpus and GPUs, numbered from 0.
    pub(crate) fn add(&mut self, name: String, slots: u32, [cpus, gpus]: [u32; 2]) {
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

    /// Slots that are free on nodes that are up and have so many GPUs that no job holds.
    pub(crate) fn room(&self, gpus: u32) -> u32 {
        let nodes = self.nodes.iter();
        let open = nodes
            .filter(|node| node.standing == Standing::Up && node.free_gpus.count_ones() >= gpus);
        open.map(|node| node.slots - node.used).sum()
    }

    /// What the processes of a plan have of each node. No two of them may share a cpu.
    fn held(&self, plan: &Plan) -> Result<Vec<Held>, String> {
        let mut held: BTreeMap<usize, Held> = BTreeMap::new();
        for proc in plan.procs() {
            let node = proc.node();
            let name = node.name();
            let known = self.rows.get(name);
            let row = *known.ok_or_else(|| format!("{name} is no node"))?;
            let here = held.entry(row).or_insert(Held {
                row,
                procs: 0,
                cpus: 0,
                gpus: 0,
            });
            // A process that is not bound has no cpus of its own.
            let own = bits(proc.cpus().iter());
            if here.cpus & own != 0 {
                return Err(format!("two processes share a cpu of {name}"));
            }
            here.procs += 1;
            here.cpus |= own;
            here.gpus |= bits(proc.gpus().iter().copied());
        }
        Ok(held.into_values().collect())
    }

    /// Enters a job. Its nodes must be up, its slots, cpus and GPUs free, and no two of its processes may share a cpu.
    pub(crate) fn enter(&mut self, job: JobId, plan: &Plan) -> Result<(), String> {
        let held = self
            .held(plan)
            .map_err(|wrong| format!("job {job}: {wrong}"))?;
        for here in &held {
            let node = &mut self.nodes[here.row];
            let name = &node.name;
            if node.standing != Standing::Up {
                return Err(format!(
                    "job {job} starts on {name}, which is {:?}",
                    node.standing
                ));
            }
            if node.used + here.procs > node.slots {
                return Err(format!(
                    "job {job}: {} more on {name}, {} of {} there",
                    here.procs, node.used, node.slots
                ));
            }
            if here.cpus & !node.free_cpus != 0 {
                return Err(format!("job {job}: cpus of {name} are another job's"));
            }
            if here.gpus & !node.free_gpus != 0 {
                return Err(format!("job {job}: GPUs of {name} are another job's"));
            }
            node.used += here.procs;
            node.free_cpus &= !here.cpus;
            node.free_gpus &= !here.gpus;
        }
        self.jobs.insert(job, held);
        Ok(())
    }

    /// Strikes a job out.
    pub(crate) fn strike(&mut self, job: JobId) {
        for here in self.jobs.remove(&job).unwrap_or_default() {
            let node = &mut self.nodes[here.row];
            node.used -= here.procs;
            node.free_cpus |= here.cpus;
            node.free_gpus |= here.gpus;
        }
    }

    /// The jobs with processes on a node.
    pub(crate) fn jobs_on(&self, row: usize) -> Vec<JobId> {
        let there = |held: &[Held]| held.iter().any(|here| here.row == row);
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
            let free = [bits(node.free_cpus()), bits(node.free_gpus())];
            let told = (node.standing(), node.procs(), node.free_slots(), free);
            let free = [books.free_cpus, books.free_gpus];
            let kept = (books.standing, books.used, books.slots - books.used, free);
            if told != kept {
                return Err(format!(
                    "{name}: standing, processes, free slots, cpus and GPUs {told:?}, not {kept:?}"
                ));
            }
        }
        Ok(())
    }
}
