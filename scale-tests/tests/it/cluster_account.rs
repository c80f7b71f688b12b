//! An independent account of a cluster: plain counters for each node, kept from the processes of each plan alone. What a job costs
//! it depends on the job, not on the nodes and the jobs that run.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use stowplan::{Cluster, ClusterNode, JobId, Plan, Standing};

/// One node.
#[derive(Clone)]
pub(crate) struct Books {
    pub(crate) name: String,
    pub(crate) slots: u32,
    used: u32,
    /// Cpus by OS number, one bit each.
    free_cpus: u128,
    /// GPUs by visible number, one bit each.
    free_gpus: u128,
    pub(crate) standing: Standing,
    /// The jobs with processes here.
    jobs: BTreeSet<JobId>,
}

impl Books {
    /// Slots that jobs may take, and GPUs that no job holds.
    fn room(&self) -> (u32, usize) {
        let slots = match self.standing {
            Standing::Up => self.slots - self.used,
            Standing::Drained | Standing::Down => 0,
        };
        (slots, self.free_gpus.count_ones() as usize)
    }
}

/// What one job holds of a node.
struct Held {
    row: usize,
    procs: u32,
    cpus: u128,
    gpus: u128,
}

/// What one job holds of all nodes.
struct Running {
    held: Vec<Held>,
    /// Its place among the jobs that run.
    at: usize,
}

/// The most GPUs of a node.
const GPUS: usize = 128;

/// The nodes, and what each job holds of them.
pub(crate) struct Account {
    nodes: Vec<Books>,
    rows: HashMap<String, usize>,
    jobs: BTreeMap<JobId, Running>,
    /// The jobs that run, in any order.
    order: Vec<JobId>,
    /// Slots that jobs may take, by how many GPUs of the node no job holds.
    open: [u32; GPUS + 1],
}

fn bits(numbers: impl IntoIterator<Item = u32>) -> u128 {
    numbers.into_iter().fold(0, |set, at| set | 1 << at)
}

impl Account {
    pub(crate) fn new() -> Self {
        Self {
            nodes: Vec::new(),
            rows: HashMap::new(),
            jobs: BTreeMap::new(),
            order: Vec::new(),
            open: [0; GPUS + 1],
        }
    }

    pub(crate) fn nodes(&self) -> &[Books] {
        &self.nodes
    }

    /// Adds a node that is up, with so many cpus and GPUs, numbered from 0.
    pub(crate) fn add(&mut self, name: String, slots: u32, [cpus, gpus]: [u32; 2]) {
        self.rows.insert(name.clone(), self.nodes.len());
        let node = Books {
            name,
            slots,
            used: 0,
            free_cpus: bits(0..cpus),
            free_gpus: bits(0..gpus),
            standing: Standing::Up,
            jobs: BTreeSet::new(),
        };
        let (slots, gpus) = node.room();
        self.open[gpus] += slots;
        self.nodes.push(node);
    }

    /// Changes a node, and what it counts for.
    fn change(&mut self, row: usize, change: impl FnOnce(&mut Books)) {
        let node = &mut self.nodes[row];
        let (slots, gpus) = node.room();
        self.open[gpus] -= slots;
        change(node);
        let (slots, gpus) = node.room();
        self.open[gpus] += slots;
    }

    pub(crate) fn stand(&mut self, row: usize, standing: Standing) {
        self.change(row, |node| node.standing = standing);
    }

    /// Slots that are free on nodes that are up and have so many GPUs that no job holds.
    pub(crate) fn room(&self, gpus: u32) -> u32 {
        self.open[gpus as usize..].iter().sum()
    }

    /// What the processes of a plan have of each node. No two of them may share a cpu.
    fn held(&self, plan: &Plan) -> Result<Vec<Held>, String> {
        let mut held = Vec::new();
        for node in plan.nodes() {
            let name = node.name();
            let known = self.rows.get(name);
            held.push(Held {
                row: *known.ok_or_else(|| format!("{name} is no node"))?,
                procs: 0,
                cpus: 0,
                gpus: 0,
            });
        }
        for proc in plan.procs() {
            let node = proc.node();
            let here = &mut held[node.number() as usize];
            // A process that is not bound has no cpus of its own.
            let own = bits(proc.cpus().iter());
            if here.cpus & own != 0 {
                let name = node.name();
                return Err(format!("two processes share a cpu of {name}"));
            }
            here.procs += 1;
            here.cpus |= own;
            here.gpus |= bits(proc.gpus().iter().copied());
        }
        held.retain(|here| here.procs > 0);
        Ok(held)
    }

    /// Enters a job. Its nodes must be up, its slots, cpus and GPUs free, and no two of its processes may share a cpu. Then the
    /// cluster must say the same of all its nodes.
    pub(crate) fn enter(
        &mut self,
        job: JobId,
        plan: &Plan,
        cluster: &Cluster,
    ) -> Result<(), String> {
        let held = self
            .held(plan)
            .map_err(|wrong| format!("job {job}: {wrong}"))?;
        for here in &held {
            let node = &self.nodes[here.row];
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
            self.change(here.row, |node| {
                node.used += here.procs;
                node.free_cpus &= !here.cpus;
                node.free_gpus &= !here.gpus;
                node.jobs.insert(job);
            });
        }
        self.compare_held(&held, cluster)?;
        let at = self.order.len();
        self.order.push(job);
        self.jobs.insert(job, Running { held, at });
        Ok(())
    }

    /// Strikes out a job that the cluster released. Then the cluster must say the same of all its nodes.
    pub(crate) fn strike(&mut self, job: JobId, cluster: &Cluster) -> Result<(), String> {
        let Running { held, at } = self.jobs.remove(&job).ok_or("no such job runs")?;
        self.order.swap_remove(at);
        if let Some(moved) = self.order.get(at) {
            self.jobs.get_mut(moved).ok_or("no such job runs")?.at = at;
        }
        for here in &held {
            self.change(here.row, |node| {
                node.used -= here.procs;
                node.free_cpus |= here.cpus;
                node.free_gpus |= here.gpus;
                node.jobs.remove(&job);
            });
        }
        self.compare_held(&held, cluster)
    }

    /// The jobs that run, in an order that says nothing.
    pub(crate) fn running(&self) -> &[JobId] {
        &self.order
    }

    /// The jobs with processes on a node, by number.
    pub(crate) fn jobs_on(&self, row: usize) -> Vec<JobId> {
        self.nodes[row].jobs.iter().copied().collect()
    }

    /// Gives jobs other numbers.
    pub(crate) fn renumber(&mut self, numbers: &BTreeMap<JobId, JobId>) {
        let jobs = std::mem::take(&mut self.jobs).into_iter();
        self.jobs = jobs.map(|(job, held)| (numbers[&job], held)).collect();
        self.order.iter_mut().for_each(|job| *job = numbers[job]);
        for node in &mut self.nodes {
            let jobs = std::mem::take(&mut node.jobs).into_iter();
            node.jobs = jobs.map(|job| numbers[&job]).collect();
        }
    }

    /// Compares the nodes of one job.
    fn compare_held(&self, held: &[Held], cluster: &Cluster) -> Result<(), String> {
        held.iter().try_for_each(|here| {
            let name = &self.nodes[here.row].name;
            let node = cluster.node(name);
            let node = node.ok_or_else(|| format!("{name} is not there"))?;
            self.compare_node(here.row, &node)
        })
    }

    fn compare_node(&self, row: usize, node: &ClusterNode<'_>) -> Result<(), String> {
        let books = &self.nodes[row];
        let free = [bits(node.free_cpus()), bits(node.free_gpus())];
        let told = (node.standing(), node.procs(), node.free_slots(), free);
        let free = [books.free_cpus, books.free_gpus];
        let kept = (books.standing, books.used, books.slots - books.used, free);
        if told != kept {
            let name = &books.name;
            return Err(format!(
                "{name}: standing, processes, free slots, cpus and GPUs {told:?}, not {kept:?}"
            ));
        }
        Ok(())
    }

    /// Compares all nodes, and the numbers of the jobs. What is counted as jobs come and go must be what the nodes have.
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
        let mut open = [0; GPUS + 1];
        for node in cluster.nodes() {
            let row = self.rows[&node.name()];
            self.compare_node(row, &node)?;
            let (slots, gpus) = self.nodes[row].room();
            open[gpus] += slots;
        }
        if open != self.open {
            return Err("the account counts other free slots than its nodes have".to_owned());
        }
        Ok(())
    }
}
