//! srun's arithmetic: how many tasks and nodes are asked of the controller. Source: `lines/slurm/spec.md` 3.

use super::distribution::{Distribution, First, Packing};
use super::gpu_bind::GpuBind;
use super::gpu_count::{GpuCount, StepGpus};
use super::job::Job;
use super::level::Levels;
use super::node_set::NodeSet;
use super::numbers::positive;
use super::options::Options;
use super::refusals;
use super::rules::{Change, Rules};
use super::site::{Site, names};
use crate::launchers::line::{LineAsked, LineRefused};
use stowplan_engine::table::names::NameRange;

/// What is asked of the controller.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) rules: Rules,
    pub(super) tasks: u64,
    pub(super) min: u64,
    pub(super) max: u64,
    pub(super) cpus: Option<u64>,
    pub(super) tasks_per_node: Option<u64>,
    pub(super) fits: bool,
    pub(super) exact: bool,
    pub(super) overcommit: bool,
    pub(super) overlap: bool,
    pub(super) relative: Option<u64>,
    pub(super) excluded: NodeSet,
    /// The nodes of `-w`; `None`: no list.
    pub(super) listed: Option<NodeSet>,
    /// A name of the list that is not of the job.
    pub(super) unknown: Option<String>,
    /// The list of arbitrary, in its order.
    pub(super) order: Vec<NameRange>,
    pub(super) distribution: Distribution,
    pub(super) pack: bool,
    pub(super) levels: Levels,
    pub(super) gpus_per_task: Option<u64>,
    pub(super) gpus: StepGpus,
    /// GPUs of each node that ranks share so many on.
    pub(super) tasks_per_gpu: Option<u64>,
    pub(super) gpu_bind: Option<GpuBind>,
}

/// Counts while they are worked out.
struct Sum {
    tasks: Option<u64>,
    set: bool,
    by_env: bool,
    nodes_by_env: bool,
    given: bool,
    min: u64,
    max: u64,
    each: Option<u64>,
    names: u64,
    /// Whether packing lowered the least number of nodes.
    mpack: bool,
}

/// Entries of a file of names, repetitions counted.
const LIST_MAX: u64 = 1 << 22;

/// Names of a list, or of a file if the value has a slash.
fn list(text: &str, asked: &LineAsked<'_>) -> Result<Vec<NameRange>, LineRefused> {
    let bad = |why: &str| refusals::refuses(format!("{text}: {why}"));
    if !text.contains('/') {
        return names(text).ok_or_else(|| bad("no list of hosts"));
    }
    let bytes = asked
        .files
        .read(text)
        .map_err(|why| bad(&format!("cannot be read: {why}")))?;
    let file = String::from_utf8_lossy(&bytes);
    let mut all = Vec::new();
    // A line ends at `#`, as in Slurm's other files.
    let lines = file
        .lines()
        .map(|line| line.split('#').next().unwrap_or(line));
    for word in lines.flat_map(str::split_whitespace) {
        // `n0*3` is n0 three times.
        let (hosts, times) = word.split_once('*').unwrap_or((word, "1"));
        let times = positive(times).filter(|&times| all.len() as u64 + times <= LIST_MAX);
        let (Some(hosts), Some(times)) = (names(hosts), times) else {
            return Err(bad(&format!("{word} is no list of hosts")));
        };
        for _ in 0..times {
            all.extend(hosts.iter().cloned());
        }
    }
    Ok(all)
}

impl Step {
    #[expect(
        clippy::too_many_lines,
        reason = "the words of a step in the order in which srun reads them"
    )]
    pub(super) fn read(
        asked: &LineAsked<'_>,
        job: &Job,
        line: &Options,
        env: &Options,
        levels: Levels,
        site: &Site,
        rules: Rules,
    ) -> Result<Self, LineRefused> {
        let distribution = line.distribution.or(env.distribution).unwrap_or_default();
        let site_packs = site.has("cr_pack_nodes")
            && distribution.first == First::Block
            && distribution.packing != Some(Packing::NoPack);
        let cpus = line.cpus_per_task.or(env.cpus_per_task);
        let arbitrary = distribution.first == First::Arbitrary;
        let own_list = line
            .node_list
            .as_deref()
            .or(env.node_list.as_deref().filter(|_| arbitrary));
        let order = own_list
            .map(|text| list(text, asked))
            .transpose()?
            .unwrap_or_default();
        let excluded = line
            .exclude
            .as_deref()
            .map(|text| list(text, asked))
            .transpose()?;
        let excluded = excluded.map(|ranges| job.find(&ranges).0);
        let (mut listed, unknown) = job.find(&order);
        let mut sum = Sum::of(line, env, listed.len() + u64::from(unknown.is_some()));
        let pack = distribution.packing == Some(Packing::Pack);
        sum.mpack = (pack || site_packs) && sum.nodes_by_env;
        if sum.mpack {
            sum.min = 1;
        }
        if arbitrary {
            sum.arbitrary(&order, line, rules)?;
        }
        if own_list.is_some() {
            sum.list(job, &order, &mut listed, &distribution, rules);
        }
        sum.guess(line, &levels, rules);
        if let Some(least) = sum.reduce(rules) {
            listed = listed.first(least);
        }
        if let (Some(each), false) = (sum.each, sum.set) {
            (sum.tasks, sum.set) = (Some(sum.min.saturating_mul(each)), true);
        }
        let tasks = sum.tasks.unwrap_or(1);
        let overcommit = line.overcommit.is_said() || env.overcommit.is_said();
        let all = job.count();
        if let Some(first) = line.relative
            && first + sum.min > all
        {
            return Err(refusals::refuses(format!(
                "--relative and --nodes option incompatible with count of allocated nodes ({first}+{}>{all})",
                sum.min
            )));
        }
        let mut step = Self {
            rules,
            tasks,
            min: 0,
            max: 0,
            cpus,
            tasks_per_node: sum.each,
            fits: false,
            // Cpus of a task make a step exact, but not under -O.
            exact: [line, env]
                .iter()
                .any(|own| own.exact.is_said() || own.exclusive.is_said())
                || cpus.is_some() && !overcommit,
            overcommit,
            overlap: line.overlap.is_said() || env.overlap.is_said(),
            relative: line.relative,
            excluded: excluded.clone().unwrap_or_default(),
            listed: own_list.is_some().then_some(listed),
            unknown,
            order: if arbitrary { order } else { Vec::new() },
            distribution,
            pack: pack || site_packs,
            levels,
            gpus_per_task: line
                .gpus_per_task
                .as_ref()
                .or(env.gpus_per_task.as_ref())
                .map(GpuCount::total)
                .filter(|&count| count > 0),
            gpus: StepGpus::None,
            tasks_per_gpu: line.tasks_per_gpu.or(env.tasks_per_gpu),
            gpu_bind: line.gpu_bind.clone().or_else(|| env.gpu_bind.clone()),
        };
        step.settle(job, &sum, line)?;
        Ok(step)
    }

    /// Steps 8 to 10.
    fn settle(&mut self, job: &Job, sum: &Sum, line: &Options) -> Result<(), LineRefused> {
        let allowed = job.all().without(&self.excluded);
        let mut there = allowed.len();
        if self
            .listed
            .as_ref()
            .is_some_and(|own| own.overlaps(&self.excluded))
        {
            return Err(refusals::refuses("-w and -x name the same node"));
        }
        if there == 0 {
            return Err(refusals::refuses("-x leaves no node of the job"));
        }
        let (mut min, mut max) = (sum.min, sum.max);
        if !sum.given {
            min = if sum.set && self.tasks < there {
                self.tasks
            } else {
                there
            };
        }
        if max == 0 {
            max = min;
        }
        there = there.min(max);
        if line.exclude.is_some() {
            let own = self.listed.take().unwrap_or_default();
            let more = there.saturating_sub(own.len());
            self.listed = Some(own.with(&allowed.without(&own).first(more)));
        }
        let by_word = sum.tasks.is_some() && (line.tasks.is_some() || sum.by_env);
        let unlimited = !self.rules.has(Change::NoGuess) || sum.each.is_none();
        let kept = by_word && self.rules.has(Change::KeepsLimit);
        let settled = kept || sum.set && unlimited;
        if !settled {
            match (sum.each, self.cpus) {
                (Some(each), _) => self.tasks = there.saturating_mul(each).max(there),
                (None, Some(cpus)) if !self.rules.has(Change::FitsAsMany) => {
                    let fit = job
                        .runs
                        .iter()
                        .map(|run| u64::from(run.nodes.count) * (run.told / cpus));
                    self.tasks = there.max(fit.sum());
                }
                (None, Some(_)) => self.fits = true,
                (None, None) => self.tasks = there,
            }
        }
        if min > there {
            return Err(refusals::refuses(format!(
                "Only allocated {there} nodes asked for {min}"
            )));
        }
        self.min = min.min(there);
        self.max = max.min(there);
        Ok(())
    }

    /// Cpus that are wanted of the controller.
    pub(super) fn want(&self) -> u64 {
        match self.overcommit {
            true => 0,
            false => self.tasks.saturating_mul(self.cpus.unwrap_or(1)),
        }
    }
}

/// The first nodes of a list, in its order.
fn cut_list(job: &Job, order: &[NameRange], most: u64) -> NodeSet {
    let mut own = NodeSet::default();
    for range in order {
        for nodes in job.names.find(range).0 {
            let new = NodeSet::of([nodes]).without(&own);
            let left = most.saturating_sub(own.len());
            own = own.with(&new.first(left));
        }
    }
    own
}

impl Sum {
    /// What the words say.
    fn of(line: &Options, env: &Options, names: u64) -> Self {
        let nodes = line.nodes.or(env.nodes);
        Self {
            tasks: line.tasks.or(env.tasks),
            set: line.tasks.or(env.tasks).is_some(),
            by_env: line.tasks.is_none() && env.tasks.is_some(),
            nodes_by_env: line.nodes.is_none() && env.nodes.is_some(),
            given: nodes.is_some(),
            min: nodes.map_or(1, |nodes| nodes.min),
            max: nodes.map_or(0, |nodes| nodes.max),
            each: line.tasks_per_node.or(env.tasks_per_node),
            names,
            mpack: false,
        }
    }

    fn arbitrary(
        &mut self,
        order: &[NameRange],
        line: &Options,
        rules: Rules,
    ) -> Result<(), LineRefused> {
        if order.is_empty() {
            return Err(refusals::refuses(
                "-m arbitrary needs a list: -w or SLURM_HOSTFILE",
            ));
        }
        if self.by_env {
            (self.tasks, self.by_env) = (None, false);
        }
        if line.nodes.is_some() && rules.has(Change::NoNodesBesideList) {
            return Err(refusals::refuses(
                "-N cannot be used with -m arbitrary: the list says which nodes",
            ));
        }
        let length: u64 = order.iter().map(|range| u64::from(range.count)).sum();
        if let Some(tasks) = self.tasks.filter(|&tasks| tasks != length) {
            return Err(refusals::refuses(format!(
                "-m arbitrary: {tasks} tasks, and the list has {length} names"
            )));
        }
        (self.tasks, self.set) = (Some(length), true);
        if line.nodes.is_none() {
            (self.min, self.max, self.given, self.nodes_by_env) =
                (self.names, self.names, true, false);
        }
        Ok(())
    }

    /// Step 3: what a list says of the number of nodes.
    fn list(
        &mut self,
        job: &Job,
        order: &[NameRange],
        listed: &mut NodeSet,
        distribution: &Distribution,
        rules: Rules,
    ) {
        let arbitrary = distribution.first == First::Arbitrary;
        if !rules.has(Change::ListAmongNodes) {
            if !arbitrary && self.max > 0 && self.names > self.max {
                *listed = cut_list(job, order, self.max);
                self.names = listed.len();
            }
            self.min = if self.given {
                self.names.max(self.min)
            } else {
                self.names
            };
            self.given = true;
        } else if self.given {
            self.names = if arbitrary { self.names } else { 0 };
        } else {
            (self.min, self.given) = (self.names, true);
        }
    }

    /// Step 4: tasks from nodes.
    fn guess(&mut self, line: &Options, levels: &Levels, rules: Rules) {
        let old = !rules.has(Change::NoGuess);
        if self.set
            || !(self.given || line.extra.is_some())
            || !(self.min == self.max || self.max == 0)
            || !(old || self.each.is_none())
        {
            return;
        }
        self.tasks = Some(self.min);
        let extra = line.extra.unwrap_or_default();
        if let (Some(sockets), Some(cores), Some(threads)) =
            (extra.sockets, extra.cores, levels.threads)
        {
            let each = sockets.saturating_mul(cores).saturating_mul(threads);
            (self.tasks, self.set) = (Some(self.min.saturating_mul(each)), true);
        } else if let Some(each) = self.each.filter(|_| old) {
            (self.tasks, self.set) = (Some(self.min.saturating_mul(each)), true);
        }
        self.by_env = false;
        self.guessed();
    }

    fn guessed(&mut self) {
        // Step 5 is for other lines: what was worked out here is not compared with -N again.
        self.names = u64::MAX;
    }

    /// Step 5: fewer nodes for fewer tasks. How many names of a list are kept, if it is cut.
    fn reduce(&mut self, rules: Rules) -> Option<u64> {
        if self.names == u64::MAX || !self.given || !self.set {
            return None;
        }
        let tasks = self.tasks?;
        let mut kept = None;
        self.max = self.max.min(tasks);
        if tasks < self.min {
            (self.min, self.max, self.nodes_by_env) = (tasks, tasks, false);
            kept = (self.names > tasks).then_some(tasks);
        }
        let Some(each) = self.each else {
            return kept;
        };
        let forget = rules.has(Change::TasksGiveWay) && self.by_env && !self.nodes_by_env;
        if forget {
            (self.tasks, self.set, self.by_env) = (None, false, false);
            return kept;
        }
        let dropped = if rules.has(Change::KeepsLimit) {
            if self.max > 0 && tasks > self.max.saturating_mul(each) && !self.mpack {
                true
            } else {
                self.mpack && tasks != self.min.saturating_mul(each) && tasks > each
            }
        } else {
            each != tasks / self.min.max(1)
        };
        if dropped {
            self.each = None;
        }
        kept
    }
}
