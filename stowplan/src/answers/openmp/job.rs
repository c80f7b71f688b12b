//! The threads of the processes of a plan. What is worked out once for an app, a topology and a mask is kept.

use super::answer::Answer;
use super::classes::Key;
use super::machine::Machine;
use super::notes::{Found, Scope, told};
use super::process::{Process, threads};
use super::runtime::{BadRuntime, Runtime};
use super::variables::Variables;
use roaring::RoaringBitmap;
use std::collections::HashMap;
use std::rc::Rc;
use stowplan_engine::plan::{Plan, ProcPlace};
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::topologies::TopologyId;

/// The threads of a plan's processes.
pub struct JobThreads<'p> {
    plan: &'p Plan,
    /// Shape `[apps]`: a row of `variables`.
    words: Vec<usize>,
    variables: Vec<Variables>,
    runtime: Option<(String, Runtime)>,
    machines: HashMap<TopologyId, Rc<Machine>>,
    known: HashMap<(usize, TopologyId, Key), Rc<Answer>>,
}

impl<'p> JobThreads<'p> {
    /// The threads of a plan by its own words, or by the rules of `runtime`.
    ///
    /// # Errors
    /// The `--omp` of the plan is no runtime.
    pub fn new(plan: &'p Plan, runtime: Option<Runtime>) -> Result<Self, BadRuntime> {
        let said = plan.thread_words();
        let mut variables: Vec<Variables> = Vec::new();
        let words = plan.resolved_apps().ids().map(|app| {
            let own: Variables = said
                .of(app)
                .iter()
                .map(|(name, value)| (name, value))
                .collect();
            let known = variables.iter().position(|other| *other == own);
            known.unwrap_or_else(|| {
                variables.push(own);
                variables.len() - 1
            })
        });
        let words = words.collect();
        let runtime = match (runtime, &said.runtime) {
            (Some(own), _) => Some((own.to_string(), own)),
            (None, Some(word)) => Some((word.clone(), word.parse()?)),
            (None, None) => None,
        };
        Ok(Self {
            plan,
            words,
            variables,
            runtime,
            machines: HashMap::new(),
            known: HashMap::new(),
        })
    }

    /// Whether rows say whose rules they follow.
    #[must_use]
    pub fn says_runtime(&self) -> bool {
        self.runtime.is_none()
    }

    /// The variables of an app.
    #[must_use]
    pub fn variables(&self, app: AppId) -> &Variables {
        use stowplan_engine::id::Id as _;
        &self.variables[self.words[app.row()]]
    }

    /// The runtimes whose rules are followed.
    #[must_use]
    pub fn runtimes(&self) -> Vec<Runtime> {
        match &self.runtime {
            Some((_, runtime)) => vec![*runtime],
            None => vec![Runtime::GNU, Runtime::LLVM],
        }
    }

    /// A topology as runtimes see it.
    pub fn machine(&mut self, topology: TopologyId) -> Rc<Machine> {
        let world = self.plan.world();
        let own = self.machines.entry(topology);
        let make = || Rc::new(Machine::new(&world.topologies, &world.cpusets, topology));
        Rc::clone(own.or_insert_with(make))
    }

    /// The cpus of a process.
    pub fn mask(&mut self, key: Key) -> RoaringBitmap {
        match key.cpus {
            Some(cpus) => self.plan.world().cpusets.get(cpus).clone(),
            None => self.machine(key.topology).all().clone(),
        }
    }

    /// The key of a process.
    #[must_use]
    pub fn key(&self, place: &ProcPlace) -> Key {
        let world = self.plan.world();
        let state = world.before.state(place.node);
        Key {
            app: place.app,
            topology: world.states.get(state).topology,
            cpus: place.cpus,
        }
    }

    /// The threads of the processes of a class. Cost: worked out once for equal variables, topology and mask.
    pub fn answer(&mut self, key: Key) -> Rc<Answer> {
        use stowplan_engine::id::Id as _;
        let words = self.words[key.app.row()];
        let known = (
            words,
            key.topology,
            Key {
                app: AppId::from_row(0),
                ..key
            },
        );
        if let Some(answer) = self.known.get(&known) {
            return Rc::clone(answer);
        }
        let answer = Rc::new(self.worked_out(key, &self.variables[words].clone()));
        self.known.insert(known, Rc::clone(&answer));
        answer
    }

    /// The threads that other variables would give.
    pub fn worked_out(&mut self, key: Key, variables: &Variables) -> Answer {
        let (machine, mask) = (self.machine(key.topology), self.mask(key));
        let process = Process::uncaged(&machine, &mask, variables, self.plan.thread_words().levels);
        let (mut told, mut refused) = (Vec::new(), Vec::new());
        for runtime in self.runtimes() {
            match threads(&process, runtime) {
                Ok(threads) => told.push((self.name(runtime), threads)),
                Err(why) => refused.push((runtime, why)),
            }
        }
        Answer::new(mask, told, refused)
    }

    /// What is worth a note about a process by itself.
    pub fn notes(&mut self, key: Key) -> Vec<Found> {
        let (machine, answer) = (self.machine(key.topology), self.answer(key));
        let variables = self.variables(key.app).clone();
        let process = Process::uncaged(
            &machine,
            &answer.mask,
            &variables,
            self.plan.thread_words().levels,
        );
        told(&process, &answer, &self.runtimes(), Scope::Process)
    }

    fn name(&self, runtime: Runtime) -> String {
        let own = self.runtime.as_ref();
        own.map_or_else(|| runtime.word().to_owned(), |(word, _)| word.clone())
    }
}
