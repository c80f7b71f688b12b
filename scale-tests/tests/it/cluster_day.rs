//! A day of a large machine: jobs start and end, nodes fail, are drained and come back, the launcher starts again. All of it is
//! compared with an account that shares no code with the cluster.

use crate::cluster_account::Account;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use stowplan::{Cluster, Job, JobId, Machine, Plan, Standing, Topology};
use stowplan_scale_tests::choices::Choices;
use stowplan_scale_tests::middle::middle;
use stowplan_scale_tests::size::is_long;

const SLOTS: u32 = 16;
const NODE: &str = "package:2 core:8 pu:1";

/// What nodes have, and which jobs come.
struct Kind {
    gpus: u32,
    /// Words of jobs, and how many GPUs each process asks for.
    words: &'static [(&'static str, u32)],
}

const CPUS: Kind = Kind {
    gpus: 0,
    words: &[
        ("--map-by slot --bind-to none", 0),
        ("--map-by core --bind-to core", 0),
        ("--map-by node --bind-to core", 0),
        ("--map-by package --rank-by slot --bind-to core", 0),
    ],
};

/// Eight GPUs near each package.
const GPUS: Kind = Kind {
    gpus: 16,
    words: &[
        ("--map-by slot --bind-to none --gpus none", 0),
        ("--map-by core --bind-to core --gpus none", 0),
        ("--map-by core --bind-to core", 0),
        ("--map-by core --bind-to core --gpus split", 1),
        ("--map-by slot --bind-to none --gpus share", 1),
        ("--map-by node --bind-to none --gpus-per-rank 1", 1),
        ("--map-by slot --bind-to none --gpus-per-rank 3", 3),
        ("--map-by gpu --bind-to none", 1),
    ],
};

/// A job to come.
struct Coming {
    procs: u32,
    /// GPUs that each process asks for.
    gpus: u32,
    words: Vec<String>,
}

impl Coming {
    fn new(procs: u32, gpus: u32, line: &str) -> Self {
        let words = line.split(' ').map(str::to_owned).collect();
        Self { procs, gpus, words }
    }
}

/// How much happens.
struct Size {
    kind: Kind,
    jobs: u32,
    nodes: u32,
    /// Events between two comparisons of all nodes.
    compare: u32,
    /// Events between two restarts.
    restart: u32,
    /// Events between two nodes that fail, are closed or opened.
    stand: u32,
}

struct Day {
    size: Size,
    choices: Choices<'static>,
    machine: Machine,
    cluster: Cluster,
    account: Account,
    placed: u32,
    refused: u32,
    events: BTreeMap<&'static str, u32>,
    /// Hosts that came with jobs.
    brought: u32,
    measured: Measured,
}

/// Placements whose times are taken together.
const WINDOW: usize = 5_000;

/// What placing costs, from the first time that the machine is full.
struct Measured {
    /// Times of the placements of this window.
    took: Vec<Duration>,
    /// The same nodes without jobs. What a job takes there tells how fast the machine is at the time.
    fresh: Cluster,
    took_fresh: Vec<Duration>,
    /// Nodes of the jobs of this window.
    nodes: usize,
    windows: u32,
}

impl Measured {
    const fn new(fresh: Cluster) -> Self {
        Self {
            took: Vec::new(),
            fresh,
            took_fresh: Vec::new(),
            nodes: 0,
            windows: 0,
        }
    }

    fn enter(&mut self, took: Duration, (job, plan): (&Job, &Plan), cluster: &Cluster) {
        self.took.push(took);
        self.nodes += plan.nodes().len();
        let began = Instant::now();
        let alone = self.fresh.place(job);
        self.took_fresh.push(began.elapsed());
        self.fresh.release(&alone.unwrap()).unwrap();
        if self.took.len() == WINDOW {
            let took = middle(std::mem::take(&mut self.took));
            let fresh = middle(std::mem::take(&mut self.took_fresh));
            let running = cluster.jobs().count();
            let size = cluster.to_bytes().len();
            let memory = memory().unwrap_or_default();
            self.windows += 1;
            println!(
                "to {}: {took} ns for a placement, {fresh} without other jobs, {} nodes for {WINDOW} jobs, {running} jobs run, {size} bytes of state, {memory} kB of the process",
                self.windows as usize * WINDOW,
                self.nodes
            );
            self.nodes = 0;
        }
    }
}

/// Memory of this process that is there, in kB.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

impl Day {
    fn new(size: Size, seed: u64) -> Self {
        let mut machine = Machine::uniform(Topology::parse(NODE).unwrap());
        if size.kind.gpus > 0 {
            let near = format!("gpu=package:{}", size.kind.gpus / 2);
            for nodes in [
                format!("n[0-{}]", size.nodes - 1),
                "later[0-9999]".to_owned(),
            ] {
                machine.set_devices(&nodes, &near).unwrap();
            }
        }
        let mut cluster = Cluster::new(machine.clone());
        let mut account = Account::new();
        cluster
            .add_nodes(&format!("n[0-{}]:{SLOTS}", size.nodes - 1))
            .unwrap();
        (0..size.nodes)
            .for_each(|at| account.add(format!("n{at}"), SLOTS, [SLOTS, size.kind.gpus]));
        let fresh = cluster.clone();
        Self {
            size,
            choices: Choices::seeded(seed),
            machine,
            cluster,
            account,
            placed: 0,
            refused: 0,
            events: BTreeMap::new(),
            brought: 0,
            measured: Measured::new(fresh),
        }
    }

    fn count(&mut self, event: &'static str) {
        *self.events.entry(event).or_default() += 1;
    }

    /// Few jobs are large.
    fn job(&mut self) -> Coming {
        let most = 1 << self.choices.within(0, self.size.nodes.ilog2().min(10));
        let procs = self.choices.within(1, most);
        let &(words, gpus) = self.choices.pick(self.size.kind.words);
        Coming::new(procs, gpus, &format!("-n {procs} {words} ./x"))
    }

    fn place(&mut self, coming: &Coming) -> Result<(), String> {
        let Coming { procs, gpus, words } = coming;
        let job = Job::from_command_line(words.clone()).unwrap();
        let began = Instant::now();
        let answer = self.cluster.place(&job);
        let took = began.elapsed();
        match answer {
            Ok(plan) => {
                self.placed += 1;
                if self.refused > 0 {
                    self.measured.enter(took, (&job, &plan), &self.cluster);
                }
                let number = self.cluster.job_of(&plan).ok_or("the job does not run")?;
                let fewest = plan.procs().map(|proc| proc.gpus().len()).min();
                let all_near = words.iter().any(|word| word == "none");
                if all_near && fewest < Some(*gpus as usize) {
                    return Err(format!("{words:?}: a process has {fewest:?} GPUs"));
                }
                if self.choices.once_in(self.size.stand) {
                    self.count("judged");
                    plan.check()
                        .map_err(|error| format!("{words:?}: {error}"))?;
                }
                self.account.enter(number, &plan, &self.cluster)
            }
            Err(error) => {
                self.refused += 1;
                let room = self.account.room(*gpus);
                let class = error.class();
                let full = ["not-enough-slots", "nodes-full"].contains(&class);
                let held = class == "not-enough-gpus" && room == 0;
                match room < *procs && (full || held) {
                    true => Ok(()),
                    false => Err(format!(
                        "{words:?}: {class}: {error}; {room} slots are free"
                    )),
                }
            }
        }
    }

    fn start(&mut self) -> Result<(), String> {
        let coming = self.job();
        self.place(&coming)
    }

    /// A job brings a host that the cluster does not know.
    fn bring(&mut self) -> Result<(), String> {
        let name = format!("later{}", self.brought);
        self.brought += 1;
        self.account
            .add(name.clone(), 4, [SLOTS, self.size.kind.gpus]);
        let line = format!("-n 3 -H {name}:4 --map-by core --bind-to core ./x");
        self.place(&Coming::new(3, 0, &line))
    }

    fn end(&mut self, job: JobId) -> Result<(), String> {
        let released = self.cluster.release_job(job);
        released.map_err(|error| error.to_string())?;
        self.account.strike(job, &self.cluster)
    }

    fn end_any(&mut self) -> Result<(), String> {
        let jobs = u32::try_from(self.account.running().len()).unwrap();
        let at = self.choices.below(jobs) as usize;
        match self.account.running().get(at).copied() {
            Some(job) => self.end(job),
            None => Ok(()),
        }
    }

    fn any_node(&mut self) -> usize {
        let nodes = u32::try_from(self.account.nodes().len()).unwrap();
        self.choices.below(nodes) as usize
    }

    /// A node is opened, closed, or fails; the jobs on a node that failed end.
    fn stand(&mut self) -> Result<(), String> {
        let row = self.any_node();
        let name = self.account.nodes()[row].name.clone();
        let (event, standing) = match self.choices.below(6) {
            0 => ("drain", Standing::Drained),
            1 => ("down", Standing::Down),
            2 => ("lose", Standing::Down),
            _ => ("up", Standing::Up),
        };
        self.count(event);
        self.account.stand(row, standing);
        let expected = self.account.jobs_on(row);
        let told = match event {
            "drain" => self.cluster.drain(&name),
            "down" => self.cluster.down(&name),
            "up" => self.cluster.up(&name),
            _ => {
                let hit = self
                    .cluster
                    .lose(&name)
                    .map_err(|error| error.to_string())?;
                if hit != expected {
                    return Err(format!("{name} failed: jobs {hit:?}, not {expected:?}"));
                }
                return hit.into_iter().try_for_each(|job| self.end(job));
            }
        };
        told.map_err(|error| error.to_string())?;
        let there = self.cluster.jobs_on(&name).unwrap();
        if there != expected {
            return Err(format!("{name} has jobs {there:?}, not {expected:?}"));
        }
        Ok(())
    }

    /// All closed nodes are repaired.
    fn repair(&mut self) -> Result<(), String> {
        self.count("repair");
        for row in 0..self.account.nodes().len() {
            let node = &self.account.nodes()[row];
            if node.standing != Standing::Up {
                let up = self.cluster.up(&node.name);
                up.map_err(|error| error.to_string())?;
                self.account.stand(row, Standing::Up);
            }
        }
        Ok(())
    }

    /// The launcher starts again and reads its cluster.
    fn restart(&mut self) -> Result<(), String> {
        self.count("restart");
        let bytes = self.cluster.to_bytes();
        let read = Cluster::from_bytes(&bytes, &self.machine);
        self.cluster = read.map_err(|error| error.to_string())?;
        self.account.compare(&self.cluster)
    }

    /// The launcher lost its cluster: it names its nodes and takes the jobs over from their saved plans.
    fn adopt(&mut self) -> Result<(), String> {
        self.count("adopt");
        let mut cluster = Cluster::new(self.machine.clone());
        let nodes = self.account.nodes().iter();
        let list: Vec<String> = nodes
            .map(|node| format!("{}:{}", node.name, node.slots))
            .collect();
        let added = cluster.add_nodes(&list.join(","));
        added.map_err(|error| error.to_string())?;
        let mut numbers = BTreeMap::new();
        for (job, plan) in self.cluster.jobs() {
            let saved = Plan::from_bytes(&plan.to_bytes()).map_err(|error| error.to_string())?;
            let number = cluster
                .adopt(&saved)
                .map_err(|error| format!("job {job}: {error}"))?;
            numbers.insert(job, number);
        }
        for node in self.account.nodes() {
            let told = match node.standing {
                Standing::Up => Ok(()),
                Standing::Drained => cluster.drain(&node.name),
                Standing::Down => cluster.down(&node.name),
            };
            told.map_err(|error| error.to_string())?;
        }
        self.cluster = cluster;
        self.account.renumber(&numbers);
        self.account.compare(&self.cluster)
    }

    fn event(&mut self, at: u32) -> Result<(), String> {
        let often = self.size.restart;
        if at % often == often / 2 {
            self.restart()?;
        }
        if at % often == often - 1 {
            self.adopt()?;
            self.repair()?;
        }
        if at.is_multiple_of(self.size.compare) {
            self.account.compare(&self.cluster)?;
        }
        if self.choices.once_in(self.size.stand) {
            self.stand()?;
        }
        if self.choices.once_in(10 * self.size.stand) {
            self.bring()?;
        }
        let before = self.refused;
        self.start()?;
        // A queue that is not served: jobs end until there is room again.
        let full = self.refused > before;
        let ends = if full { 4 } else { self.choices.below(2) };
        (0..ends).try_for_each(|_| self.end_any())
    }

    fn run(&mut self, seed: u64) {
        let mut at = 0;
        while self.placed < self.size.jobs {
            at += 1;
            if let Err(wrong) = self.event(at) {
                panic!("seed {seed}, event {at}: {wrong}");
            }
        }
    }
}

fn run(size: Size) {
    let seed = std::env::var("STOWPLAN_SEED").ok();
    let seed = seed.map_or(20_261_127, |seed| seed.parse().unwrap());
    // So that a part of a day can be measured.
    let jobs = std::env::var("STOWPLAN_JOBS").ok();
    let jobs = jobs.map_or(size.jobs, |jobs| jobs.parse().unwrap());
    let size = Size { jobs, ..size };
    let began = Instant::now();
    let mut day = Day::new(size, seed);
    day.run(seed);
    assert!(day.refused > 0, "the machine was never full");
    println!(
        "{} jobs, {} refused, {:?}, {} run at the end, {} ms",
        day.placed,
        day.refused,
        day.events,
        day.account.running().len(),
        began.elapsed().as_millis()
    );
}

fn short(kind: Kind) -> Size {
    Size {
        kind,
        jobs: 1_500,
        nodes: 100,
        compare: 50,
        restart: 600,
        stand: 20,
    }
}

/// In the long check 20,000 jobs on 10,000 nodes. `STOWPLAN_SEED` repeats a day.
#[test]
fn a_day_of_a_cluster_agrees_with_an_account() {
    let size = match is_long() {
        true => Size {
            kind: CPUS,
            jobs: 20_000,
            nodes: 10_000,
            compare: 10_000,
            restart: 10_000,
            stand: 500,
        },
        false => short(CPUS),
    };
    run(size);
}

#[test]
fn a_day_of_a_cluster_with_gpus_agrees_with_an_account() {
    run(short(GPUS));
}
