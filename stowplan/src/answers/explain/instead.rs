//! Other words that would move a rank. Each is planned before it is shown, and only once for all ranks asked about.

use super::again;
pub use super::again::Planning;
use super::change::{Changed, joined, put, split_map};
use crate::answers::row::{Row, Rows};
use crate::job::error::told;
use crate::job::options::Meaning;
use crate::job::our_words::in_our_words;
use crate::job::words::CommandLine;
use serde::Serialize;
use std::cell::OnceCell;
use stowplan_engine::count::Rank;
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::MapBy;

/// Map policies that are tried, the most used ones first.
const MAPS: &[&str] = &[
    "node",
    "core",
    "slot",
    "package",
    "numa",
    "l3cache",
    "hwthread",
    "l2cache",
    "l1cache",
    "ppr:1:node",
    "ppr:1:package",
    "ppr:1:core",
];
const RANKS: &[&str] = &["node", "slot", "span", "fill"];
const BINDS: &[&str] = &[
    "core", "none", "hwthread", "package", "numa", "l3cache", "l2cache", "l1cache",
];

/// A change that would move a rank, and where the rank would be.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Instead {
    /// The option with its new value.
    pub change: String,
    /// The words of the whole job; `None` for a saved plan, which does not keep them.
    pub words: Option<Vec<String>>,
    /// The rank.
    pub rank: u32,
    /// The node it would be on.
    pub node: String,
    /// The local rank it would have.
    pub local_rank: u32,
    /// The cpus it would have.
    pub cpus: Option<String>,
}

/// Other words for a job. They are planned when a question needs them.
pub struct Alternatives<'f> {
    tries: Vec<Try>,
    planning: Box<Planning<'f>>,
    words: Words,
}

/// Whether the words are those of a known job, or made up from its plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Words {
    Known,
    MadeUp,
}

struct Try {
    /// The app whose option is changed.
    app: usize,
    changed: Changed,
    plan: OnceCell<Option<Plan>>,
}

impl<'f> Alternatives<'f> {
    /// The alternatives for a job.
    ///
    /// Cost: the words; planning happens when a question needs it.
    #[must_use]
    pub fn of_job(words: &[String], plan: &Plan, planning: Box<Planning<'f>>) -> Self {
        // Words of ours would not move a rank that another launcher's rules placed.
        let tries = match in_our_words(words) {
            Some(words) => tries(&CommandLine::read(&words), plan),
            None => Vec::new(),
        };
        Self {
            tries,
            planning,
            words: Words::Known,
        }
    }

    /// The alternatives for a saved plan: its job is rebuilt from its tables, and used if it gives this plan.
    ///
    /// Cost: planning the job.
    #[must_use]
    pub fn of_plan(plan: &'f Plan) -> Self {
        let none: Box<Planning<'f>> =
            Box::new(|_| Err(told("bad-plan", "the job of this plan is not known")));
        if is_given(plan) {
            return Self {
                tries: Vec::new(),
                planning: none,
                words: Words::MadeUp,
            };
        }
        let Some((words, planning)) = again::job_of(plan) else {
            return Self {
                tries: again::other_orders(plan)
                    .into_iter()
                    .map(|(app, change, plan)| Try {
                        app,
                        changed: Changed {
                            change,
                            words: Vec::new(),
                            gives_up: None,
                        },
                        plan: OnceCell::from(Some(plan)),
                    })
                    .collect(),
                planning: none,
                words: Words::MadeUp,
            };
        };
        Self {
            tries: tries(&CommandLine::read(&words), plan),
            planning,
            words: Words::MadeUp,
        }
    }

    /// The first change that puts a rank on another node or on other cpus.
    #[must_use]
    pub fn instead(&self, row: &Row) -> Option<Instead> {
        let own = self
            .tries
            .iter()
            .filter(|other| other.app == row.app as usize);
        own.filter_map(|other| {
            let plan = other
                .plan
                .get_or_init(|| (self.planning)(&other.changed.words).ok());
            let there = Rows::new(plan.as_ref()?).row(Rank(row.rank))?;
            let moved = (&there.node, &there.cpus) != (&row.node, &row.cpus);
            moved.then(|| Instead {
                change: other.changed.change.clone(),
                words: (self.words == Words::Known).then(|| other.changed.words.clone()),
                rank: there.rank,
                node: there.node,
                local_rank: there.local_rank,
                cpus: there.cpus,
            })
        })
        .next()
    }
}

/// Whether another launcher's rules placed the processes.
fn is_given(plan: &Plan) -> bool {
    let mut policies = plan.resolved_apps().policies.iter();
    policies.any(|(_, policy)| policy.map == MapBy::Given)
}

/// The changes to try: every map, rank and bind word, with and without the qualifiers of the job.
fn tries(line: &CommandLine, plan: &Plan) -> Vec<Try> {
    let mut tries = Vec::new();
    for app in 0..line.apps.len() {
        let own = &line.apps[app];
        let first = &line.apps[0];
        let said = own.map_said().or_else(|| first.map_said());
        let (_, qualifiers) = split_map(&said.unwrap_or_default());
        let mut add = |meaning, value: &str| {
            if let Some(changed) = put(line, app, meaning, value)
                && changed.words != line.to_words()
            {
                tries.push(Try {
                    app,
                    changed,
                    plan: OnceCell::new(),
                });
            }
        };
        for map in MAPS {
            add(Meaning::MapBy, &joined(map, &qualifiers));
        }
        for rank in RANKS {
            add(Meaning::RankBy, rank);
        }
        for bind in BINDS {
            add(Meaning::BindTo, bind);
        }
        for map in MAPS.iter().filter(|_| !qualifiers.is_empty()) {
            add(Meaning::MapBy, map);
        }
        for list in lists(plan) {
            add(Meaning::MapBy, &list);
        }
    }
    tries
}

/// Cpu lists that do not begin with the first cpu: they move ranks that no other word moves.
fn lists(plan: &Plan) -> Vec<String> {
    use stowplan_engine::policy::ObjKind;
    let topologies = &plan.world().topologies;
    let cores = topologies
        .ids()
        .map(|id| topologies.count(id, ObjKind::Core))
        .min();
    match cores {
        Some(cores) if cores > 1 => vec![
            format!("pe-list=1-{},0:ordered", cores - 1),
            format!("pe-list={}", cores - 1),
            "pe-list=0".to_owned(),
        ],
        _ => Vec::new(),
    }
}
