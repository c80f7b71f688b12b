//! A plan as launchers see it: programs by rank, nodes that have ranks, and the cpus of the ranks of each node.

use crate::launchers::gpus::GpuLists;
use crate::launchers::lists::Lists;
use crate::launchers::nodes::RankNodes;
use crate::launchers::openmp::{Number, number};
use crate::launchers::script::WORD_BYTES_MAX;
use std::borrow::Cow;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{Located, Plan};
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::cpusets::CpusetId;
use stowplan_engine::taskmap::TaskMap;

pub use crate::launchers::lists::Unsaid;

/// One app that has ranks.
#[derive(Clone, Debug)]
pub struct Program<'p> {
    /// Its first rank.
    pub first: u32,
    /// Its ranks, at least 1.
    pub ranks: u32,
    /// The name of the program; empty: none.
    name: &'p str,
    arguments: &'p [String],
    /// Its variables that decide about threads, in order.
    pub variables: Cow<'p, [(String, String)]>,
}

impl<'p> Program<'p> {
    /// The program, then its words; nothing if the app names no program.
    pub fn words(&self) -> impl Iterator<Item = &'p str> + Clone + use<'p> {
        let arguments = if self.is_named() { self.arguments } else { &[] };
        let name = self.is_named().then_some(self.name);
        name.into_iter().chain(arguments.iter().map(String::as_str))
    }
    /// Whether the app names a program.
    #[must_use]
    pub const fn is_named(&self) -> bool {
        !self.name.is_empty()
    }
    /// Its ranks: `3` or `0-2`.
    #[must_use]
    pub fn range(&self) -> String {
        match self.ranks {
            1 => self.first.to_string(),
            ranks => format!("{}-{}", self.first, self.first + (ranks - 1)),
        }
    }
}

/// A plan as launchers see it.
#[derive(Clone, Debug)]
pub struct Job<'p> {
    /// The plan.
    pub plan: &'p Plan,
    /// The apps that have ranks, in order.
    pub programs: Vec<Program<'p>>,
    /// Nodes that have ranks.
    pub nodes: RankNodes<'p>,
    /// The cpus that ranks are bound to.
    pub lists: Lists,
    /// The GPUs that ranks are given; `None`: nobody asked for GPUs, or no rank is given any.
    pub gpus: Option<GpuLists>,
    /// The node of each rank; `None`: this takes too many blocks.
    pub map: Option<TaskMap>,
}

impl<'p> Job<'p> {
    /// Builds the view of a plan.
    ///
    /// # Errors
    /// If no launcher can express the plan.
    ///
    /// Cost: placed runs, and that of [`Lists::of`].
    pub fn of(plan: &'p Plan) -> Result<Self, Unsaid> {
        let nodes = RankNodes::of(plan);
        if nodes.is_empty() {
            return Err(Unsaid("the plan has no ranks".to_owned()));
        }
        if let Some(name) = nodes.odd_name() {
            return Err(Unsaid(format!(
                "the node name {name:?} has signs that lists of hosts cannot carry (letters, digits, `.`, `_`, `-`, and a user before the first number)"
            )));
        }
        let lists = Lists::of(plan, &nodes).map_err(|many| {
            Unsaid(format!(
                "{} bound ranks on node {} are more than {}",
                many.ranks,
                nodes.name(many.node),
                crate::launchers::lists::NODE_RANKS_MAX
            ))
        })?;
        let gpus = GpuLists::of(plan, &nodes)?;
        let map = nodes.task_map(plan);
        let job = Self {
            programs: programs(plan)?,
            plan,
            nodes,
            lists,
            gpus,
            map,
        };
        job.words_fit()?;
        Ok(job)
    }

    /// The number of ranks of the job.
    #[must_use]
    pub fn ranks(&self) -> u32 {
        self.plan.ranks()
    }

    /// The only program, if there is one.
    #[must_use]
    pub fn single(&self) -> Option<&Program<'p>> {
        match &*self.programs {
            [program] => Some(program),
            _ => None,
        }
    }

    /// Checks that the system accepts every word of the programs.
    fn words_fit(&self) -> Result<(), Unsaid> {
        self.refuse_words(|word| {
            if word.len() >= WORD_BYTES_MAX {
                Some(format!(
                    "a word of {} bytes, and Linux takes fewer than {WORD_BYTES_MAX}",
                    word.len()
                ))
            } else if word.contains('\0') {
                Some("a word with a zero byte, which no program can be given".to_owned())
            } else {
                None
            }
        })
    }

    /// Refuses the first word of a program about which something is said.
    ///
    /// # Errors
    /// The rank, and what is said.
    pub(crate) fn refuse_words(
        &self,
        fault: impl Fn(&str) -> Option<String>,
    ) -> Result<(), Unsaid> {
        for program in &self.programs {
            if let Some(what) = program.words().find_map(&fault) {
                let first = program.first;
                return Err(Unsaid(format!("the program of rank {first} has {what}")));
            }
        }
        Ok(())
    }

    /// Checks that each of several apps names a program. The script's own arguments can only be one program.
    ///
    /// # Errors
    /// The first rank without a program.
    pub fn all_named(&self) -> Result<(), Unsaid> {
        let unnamed = self.programs.iter().find(|program| !program.is_named());
        match (self.single(), unnamed) {
            (None, Some(program)) => Err(Unsaid(format!(
                "rank {} belongs to one of several apps and has no program",
                program.first
            ))),
            _ => Ok(()),
        }
    }

    /// Checks that no word is the `:` that separates apps for launchers, and that no program looks like an option.
    ///
    /// # Errors
    /// The first rank whose words would be misread.
    pub fn words_stand(&self) -> Result<(), Unsaid> {
        for program in &self.programs {
            if program.words().any(|word| word == ":") {
                return Err(Unsaid(format!(
                    "the program of rank {} has the word \":\", which would begin another app",
                    program.first
                )));
            }
            self.name_stands(program)?;
        }
        Ok(())
    }

    /// Checks that a program does not look like an option.
    ///
    /// # Errors
    /// The first rank of the program.
    pub fn name_stands(&self, program: &Program<'_>) -> Result<(), Unsaid> {
        if program.name.starts_with('-') {
            return Err(Unsaid(format!(
                "the program of rank {} is {:?}, which would be an option",
                program.first, program.name
            )));
        }
        Ok(())
    }

    /// Calls `visit` for each run of ranks on one node, in rank order, with the node's number and the number of ranks. Stops at
    /// its first error.
    ///
    /// # Errors
    /// The error of `visit`.
    ///
    /// Cost: the runs; without a task map, the ranks.
    pub fn runs<E>(&self, visit: &mut dyn FnMut(u32, u32) -> Result<(), E>) -> Result<(), E> {
        if let Some(map) = &self.map {
            return map
                .runs()
                .try_for_each(|(node, count)| visit(node.0, count.0));
        }
        let mut last: Option<(u32, u32)> = None;
        for (_, at) in self.plan.rows() {
            let node = self.node_of(at);
            match &mut last {
                Some((own, count)) if *own == node => *count += 1,
                Some((own, count)) => {
                    let done = (*own, *count);
                    last = Some((node, 1));
                    visit(done.0, done.1)?;
                }
                None => last = Some((node, 1)),
            }
        }
        last.map_or(Ok(()), |(node, count)| visit(node, count))
    }

    /// The nodes in rank order, each with its number of ranks, if all ranks of a node are consecutive.
    ///
    /// # Errors
    /// The first rank that comes back to a node which had ranks before, and that node.
    pub fn blocks(&self) -> Result<Vec<(u32, u32)>, (u32, u32)> {
        let mut met = vec![false; self.nodes.len() as usize];
        let mut blocks = Vec::new();
        let mut next = 0;
        self.runs(&mut |node, count| {
            if std::mem::replace(&mut met[node as usize], true) {
                return Err((next, node));
            }
            next += count;
            blocks.push((node, count));
            Ok(())
        })?;
        Ok(blocks)
    }

    /// The ranks of a node, ascending. Cost: a search for each.
    #[must_use]
    pub fn ranks_on(&self, number: u32) -> Vec<u32> {
        let on = self.plan.on_node(self.nodes.node(number));
        let each = on.flat_map(|on| {
            (0..on.run.procs).map(move |local| {
                self.plan
                    .rank_of(crate::launchers::lists::located(&on, local))
                    .0
            })
        });
        let mut ranks: Vec<u32> = each.collect();
        ranks.sort_unstable();
        ranks
    }

    /// The number of the node of a process.
    #[must_use]
    pub fn node_of(&self, at: Located) -> u32 {
        let run = &self.plan.app(at.app).runs()[at.run as usize];
        self.nodes.number(run.nodes.first + at.node)
    }

    /// The cpus that a process is bound to.
    #[must_use]
    pub fn cpus_of(&self, at: Located) -> Option<CpusetId> {
        let run = &self.plan.app(at.app).runs()[at.run as usize];
        self.plan.patterns().get(run.pattern).place(at.local).cpus
    }

    /// The first rank of a node.
    #[must_use]
    pub fn first_rank_on(&self, number: u32) -> Rank {
        Rank(self.ranks_on(number).first().copied().unwrap_or(0))
    }
}

fn programs(plan: &Plan) -> Result<Vec<Program<'_>>, Unsaid> {
    let apps = plan.apps().iter().enumerate();
    let with_ranks = apps.filter(|(_, app)| app.procs().0 > 0);
    let programs = with_ranks.map(|(row, app)| {
        let id = AppId::from_row(row);
        Ok(Program {
            first: app.base().0,
            ranks: app.procs().0,
            name: &plan.resolved_apps().label[id],
            arguments: plan.resolved_apps().arguments(id),
            variables: variables(plan, id)?,
        })
    });
    programs.collect()
}

/// The variables of an app that decide about threads: as they were given, and the number that its map gives, where the job says
/// something about threads and not how many.
fn variables(plan: &Plan, app: AppId) -> Result<Cow<'_, [(String, String)]>, Unsaid> {
    const NUMBER: &str = "OMP_NUM_THREADS";
    let given = plan.thread_words().of(app);
    let counted = given.iter().any(|(name, _)| name == NUMBER);
    if plan.thread_words().is_empty() || counted {
        return Ok(Cow::Borrowed(given));
    }
    match number(plan, app) {
        Number::Unsaid => Ok(Cow::Borrowed(given)),
        Number::Same(threads) => {
            let mut own = given.to_vec();
            own.push((NUMBER.to_owned(), threads.to_string()));
            Ok(Cow::Owned(own))
        }
        Number::Differs { rank, own, first } => Err(Unsaid(format!(
            "rank {} is given {own} threads and the first of its app {first}: no launcher sets {NUMBER} rank by rank, exec --omp does",
            rank.0
        ))),
    }
}
