//! The cells of threads: for each process one row a thread, worked out once for equal processes.

use std::collections::HashMap;
use std::rc::Rc;
use stowplan::answers::openmp::classes::{Key, classes};
use stowplan::answers::openmp::job::JobThreads;
use stowplan_engine::plan::{Plan, ProcPlace};
use stowplan_engine::table::cpusets::list_form;

/// The cells of a thread.
#[derive(Clone, Debug)]
pub(super) struct ThreadCells {
    pub(super) thread: String,
    pub(super) place: Option<usize>,
    pub(super) cpus: Rc<str>,
    pub(super) runtime: Rc<str>,
}

/// The rows of threads of a plan.
pub struct ThreadRows<'p> {
    threads: JobThreads<'p>,
    known: HashMap<Key, Rc<Vec<ThreadCells>>>,
}

impl<'p> ThreadRows<'p> {
    /// Prepares the rows.
    ///
    /// # Errors
    /// The class and sentence of a process whose threads cannot be told.
    pub fn new(plan: &'p Plan) -> Result<Self, (&'static str, String)> {
        let made = JobThreads::new(plan, None);
        let mut threads = made.map_err(|error| (error.class(), error.to_string()))?;
        for class in classes(plan) {
            let answer = threads.answer(class.key);
            if let Some((_, why)) = answer.refused.first() {
                return Err((why.class(), format!("rank {}: {why}", class.first)));
            }
        }
        let known = HashMap::new();
        Ok(Self { threads, known })
    }

    /// Whether rows say whose rules they follow, unless that is asked for.
    #[must_use]
    pub fn says_runtime(&self) -> bool {
        self.threads.says_runtime()
    }

    /// The threads of a process.
    pub(super) fn of(&mut self, place: &ProcPlace) -> Rc<Vec<ThreadCells>> {
        let key = self.threads.key(place);
        if let Some(known) = self.known.get(&key) {
            return Rc::clone(known);
        }
        let answer = self.threads.answer(key);
        let mut rows = Vec::new();
        for (runtime, own) in &answer.told {
            let runtime: Rc<str> = Rc::from(runtime.as_str());
            let sets: Vec<Rc<str>> = own
                .sets()
                .iter()
                .map(|set| Rc::from(list_form(set)))
                .collect();
            rows.extend(own.threads().iter().map(|thread| ThreadCells {
                thread: thread.name(),
                place: thread.place,
                cpus: Rc::clone(&sets[thread.cpus]),
                runtime: Rc::clone(&runtime),
            }));
        }
        let rows = Rc::new(rows);
        self.known.insert(key, Rc::clone(&rows));
        rows
    }
}
