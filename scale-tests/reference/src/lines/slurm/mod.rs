//! A line of Slurm's srun, one task at a time. Source: `lines/slurm/spec.md` 2 to 9.

// Level, kind, threads per core.
mod level;
// srun's arithmetic.
mod arithmetic;
// What the controller counts, and which nodes it takes.
mod nodes;
// Tasks of each node.
mod deal;
// Cores of the step, cpus of each task, GPUs.
mod bind;
mod cores;
mod gpus;

use super::{Class, LineRow};
use crate::cpus::Cpus;
use arithmetic::Step;
use level::Levels;

/// A version as a number: 22.05 is 2205.
pub type Version = u16;

/// How tasks go over nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum First {
    /// Evenly, ranks of a node together.
    Block,
    /// In turn.
    Cyclic,
    /// So many in turn.
    Plane(usize),
    /// By the list.
    Arbitrary,
}

/// How cores and cpus of a node are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Second {
    /// In order.
    Block,
    /// Sockets in turn, a task each.
    Cyclic,
    /// Sockets in turn, a cpu each.
    Fcyclic,
}

/// `pack` or `nopack`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// Nodes are filled.
    Pack,
    /// They are not.
    NoPack,
}

/// `-m`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Distribution {
    /// Over nodes.
    pub first: First,
    /// On a node; `None`: not said.
    pub second: Option<Second>,
    /// Whether nodes are filled.
    pub packing: Option<Packing>,
}

/// What tasks are bound to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Threads.
    Threads,
    /// Cores.
    Cores,
    /// Sockets.
    Sockets,
}

/// `--cpu-bind`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CpuBind {
    /// `verbose`.
    Verbose,
    /// `none`.
    None,
    /// `rank`.
    Rank,
    /// A list of sets.
    Masks(Vec<Vec<u32>>),
    /// A level.
    Level(Level),
}

/// `--hint`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hint {
    /// `compute_bound`
    Compute,
    /// `memory_bound`
    Memory,
    /// `multithread`
    Multithread,
    /// `nomultithread`
    NoMultithread,
}

/// `-B`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extra {
    /// How many parts there are.
    pub parts: usize,
    /// Sockets.
    pub sockets: Option<usize>,
    /// Cores.
    pub cores: Option<usize>,
    /// Threads.
    pub threads: Option<usize>,
}

/// `--gpu-bind`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GpuBind {
    /// `none`
    None,
    /// `closest`
    Closest,
    /// `per_task:N`
    PerTask(usize),
    /// `single:N`
    Single(usize),
    /// `map_gpu`
    Map(Vec<usize>),
}

/// Words of a line or of a job.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Words {
    /// `-n`
    pub tasks: Option<usize>,
    /// `-N`
    pub nodes: Option<(usize, usize)>,
    /// `-c`
    pub cpus: Option<usize>,
    /// `--ntasks-per-node`
    pub per_node: Option<usize>,
    /// `--ntasks-per-core`
    pub per_core: Option<usize>,
    /// `--ntasks-per-socket`
    pub per_socket: Option<usize>,
    /// `--threads-per-core`
    pub threads: Option<usize>,
    /// `-B`
    pub extra: Option<Extra>,
    /// `-m`
    pub distribution: Option<Distribution>,
    /// `--cpu-bind`
    pub bind: Option<CpuBind>,
    /// `--hint`
    pub hint: Option<Hint>,
    /// `-w`, as places of nodes; a name may stand twice.
    pub list: Option<Vec<usize>>,
    /// `-x`
    pub exclude: Option<Vec<usize>>,
    /// `-r`
    pub relative: Option<usize>,
    /// Words that are there or not.
    pub flags: Vec<Flag>,
    /// `--gpus-per-task`
    pub gpus_per_task: Option<usize>,
    /// `--gpus`
    pub gpus: Option<usize>,
    /// `--gres=gpu:N`
    pub gres: Option<usize>,
    /// `--gpus-per-node`
    pub gpus_per_node: Option<usize>,
    /// `--ntasks-per-gpu`
    pub per_gpu: Option<usize>,
    /// `--gpu-bind`
    pub gpu_bind: Option<GpuBind>,
}

/// A word without a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flag {
    /// `-O`
    Overcommit,
    /// `--exact`
    Exact,
    /// `--overlap`
    Overlap,
}

impl Words {
    /// Whether a word is there.
    #[must_use]
    pub fn has(&self, flag: Flag) -> bool {
        self.flags.contains(&flag)
    }
}

/// What the scheduler counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Selects {
    /// Whole nodes.
    Linear,
    /// Cores.
    Core,
    /// Sockets.
    Socket,
    /// Cpus.
    Cpu,
}

/// The site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// `SelectType`, `SelectTypeParameters`.
    pub selects: Selects,
    /// `CR_CORE_DEFAULT_DIST_BLOCK`, `CR_ONE_TASK_PER_CORE`, `CR_PACK_NODES`.
    pub parameters: Vec<Parameter>,
    /// `autobind`.
    pub autobind: Option<Level>,
}

/// A parameter that is there or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parameter {
    /// `CR_CORE_DEFAULT_DIST_BLOCK`
    DefaultBlock,
    /// `CR_ONE_TASK_PER_CORE`
    OneTaskPerCore,
    /// `CR_PACK_NODES`
    PackNodes,
}

impl Site {
    /// Whether a parameter is there.
    #[must_use]
    pub fn has(&self, parameter: Parameter) -> bool {
        self.parameters.contains(&parameter)
    }
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Sockets.
    pub sockets: usize,
    /// Cores of a socket.
    pub cores: usize,
    /// Threads of a core.
    pub threads: usize,
    /// Threads of a core that `CPUs` counts.
    pub counted: usize,
    /// OS numbers by abstract number.
    pub os: Vec<u32>,
    /// Whether the job has each core.
    pub has: Vec<bool>,
    /// Near cores of each GPU.
    pub gpus: Vec<Vec<usize>>,
}

impl Node {
    /// All cores.
    #[must_use]
    pub fn all(&self) -> usize {
        self.sockets * self.cores
    }
    fn granted(&self) -> usize {
        self.has.iter().filter(|own| **own).count()
    }
}

/// What a job has of its nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// Whole nodes.
    Whole,
    /// Cores of them.
    Parts,
}

/// A line with all that it stands in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slurm {
    /// The version.
    pub version: Version,
    /// The job's nodes, in the order of their names.
    pub nodes: Vec<Node>,
    /// Whether they are whole.
    pub share: Share,
    /// The words of the job; `None`: the line makes its own.
    pub job: Option<Words>,
    /// The words of the line.
    pub line: Words,
    /// The site.
    pub site: Site,
}

impl Slurm {
    /// The words of the job: its own, or those of the line.
    fn job_words(&self) -> &Words {
        self.job.as_ref().unwrap_or(&self.line)
    }
    /// The job's threads per core.
    fn job_threads(&self) -> Option<usize> {
        let words = self.job_words();
        match words.hint {
            Some(Hint::Compute | Hint::Memory | Hint::NoMultithread) => Some(1),
            Some(Hint::Multithread) | None => words.threads,
        }
    }
    /// What the line inherits. Section 2.7.
    fn inherited(&self) -> Words {
        let Some(job) = &self.job else {
            return Words::default();
        };
        let count = self.nodes.len();
        let threads = self.job_threads();
        let by_limit = job.per_node.map(|each| each * count);
        let by_threads = threads.map(|each| each * count);
        let free = (job.hint == Some(Hint::Multithread)).then_some(FREE);
        Words {
            nodes: Some((count, count)),
            tasks: job.tasks.or(by_limit).or(by_threads),
            per_node: job.per_node,
            cpus: job.cpus.filter(|_| self.version >= 2311),
            distribution: job.distribution,
            hint: job.hint,
            threads,
            gpus: job.gpus,
            gpus_per_node: job.gpus_per_node,
            per_core: job.per_core.or(free).filter(|_| self.version >= 2302),
            ..Words::default()
        }
    }
}

/// Tasks of a core without a limit.
const FREE: usize = 65535;

/// Everything that is known of a line when its nodes are chosen.
struct Scene<'s> {
    asked: &'s Slurm,
    levels: Levels,
    step: Step,
    raw: Vec<usize>,
    cpn: Vec<usize>,
    /// Effective threads per core.
    tpc: Option<usize>,
    /// Cpus of a task as the controller counts.
    cpt: usize,
    want: usize,
    /// The nodes of the step, in order.
    chosen: Vec<usize>,
}

impl Scene<'_> {
    /// One thread of each core counts. Section 5.
    fn one_thread(&self) -> bool {
        let cores = matches!(self.asked.site.selects, Selects::Core | Selects::Socket);
        let hinted = self.asked.job_words().hint == Some(Hint::NoMultithread);
        self.tpc == Some(1) || self.asked.share == Share::Parts && cores && hinted
    }
}

/// Places every task.
///
/// # Errors
/// The class of the refusal.
pub fn place(asked: &Slurm) -> Result<Vec<LineRow>, Class> {
    let env = asked.inherited();
    let levels = level::levels(asked, &env)?;
    let (raw, cpn) = nodes::counts(asked);
    let mut step = arithmetic::step(asked, &env, &levels, &cpn)?;
    gpus::share(asked, &env, &mut step)?;
    let mut scene = Scene {
        asked,
        tpc: levels.tpc.or(asked.job_threads()),
        levels,
        step,
        raw,
        cpn,
        cpt: 0,
        want: 0,
        chosen: Vec::new(),
    };
    nodes::choose(&mut scene)?;
    let order = deal::ranks(&scene)?;
    let mut tasks = vec![0; asked.nodes.len()];
    for &node in &order {
        tasks[node] += 1;
    }
    if asked.version >= 2311 && scene.chosen.iter().any(|&node| tasks[node] == 0) {
        return Err("launcher-refuses");
    }
    let mut bound = Vec::new();
    for (node, &tasks) in tasks.iter().enumerate() {
        bound.push(match tasks {
            0 => Vec::new(),
            tasks => bind::bound(&scene, node, tasks)?,
        });
    }
    let mut next = vec![0; asked.nodes.len()];
    let mut rows = Vec::new();
    for node in order {
        let local = next[node];
        next[node] += 1;
        let (cpus, gpus) = bound[node][local].clone();
        rows.push(LineRow {
            app: 0,
            node: asked.nodes[node].name.clone(),
            local,
            cpus,
            gpus,
        });
    }
    Ok(rows)
}

/// The cpus of a task, and the GPUs that it sees.
type Got = (Option<Cpus>, Option<Vec<u32>>);
