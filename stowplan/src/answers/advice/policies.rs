//! The policies that can place a job as asked: its own words, and the same with other map and rank words.

use crate::job::args::{MapArgs, map_args};
use crate::job::error::{JobError, told};
use crate::job::options::{Meaning, Old};
use crate::job::our_words::in_our_words;
use crate::job::words::{CommandLine, OptionWords};
use crate::score::advise::{Nodes, Policy, Reorder};
use crate::score::network::OnNetwork;
use std::sync::Arc;
use stowplan_engine::plan::Plan;

/// Policies that are tried; object maps are also tried with `:span`.
const MAPS: &[&str] = &["slot", "node"];
const OBJECTS: &[&str] = &["package", "numa", "l3cache", "l2cache", "core", "hwthread"];
const RANKS: &[&str] = &["slot", "node", "fill", "span"];

/// A policy, with the words that ask for it.
pub struct Tried {
    /// The policy, with its plan.
    pub policy: Policy,
    /// Map, rank, bind and order words.
    pub words: Vec<String>,
    /// The same words without rank and order words.
    pub placing: Vec<String>,
}

/// A plan, and the network of its nodes.
pub type OnItsNetwork = (Plan, Option<Arc<OnNetwork>>);

/// Places a job.
pub type Place<'p> = &'p dyn Fn(MapArgs) -> Result<OnItsNetwork, JobError>;

/// The job, and those of its words that are replaced.
struct Job {
    line: CommandLine,
    app: usize,
    /// The words it asked with: map, rank, bind and order words.
    own: Vec<OptionWords>,
}

/// The job as asked, and every policy that places the same number of processes on the same hosts.
///
/// # Errors
/// Why the job as asked cannot be placed.
pub fn policies(job: &[String], app: usize, place: Place<'_>) -> Result<Vec<Tried>, JobError> {
    let (asked, on) = place(map_args(job)?)?;
    let Some(job) = in_our_words(job) else {
        return Ok(vec![alone(asked, on)]);
    };
    let job = Job::read(&job, app)?;
    let has_order = job.value(Meaning::RankOrder).is_some();
    let mut tried = vec![Tried {
        policy: Policy {
            on: on.clone().map(|on| (on, Nodes::Asked)),
            reorder: if has_order {
                Reorder::No
            } else {
                reorder(&asked)
            },
            plan: asked,
        },
        words: job.own.iter().flat_map(written_out).collect(),
        placing: job.words_of(|meaning| {
            matches!(
                meaning,
                Meaning::MapBy | Meaning::BindTo | Meaning::NodeOrder
            ) || is_old_map(meaning)
        }),
    }];
    let sizes: Vec<_> = tried[0]
        .policy
        .plan
        .apps()
        .iter()
        .map(|app| app.procs())
        .collect();
    for (nodes, map) in job.tries(on.as_deref()) {
        for rank in std::iter::once(None).chain(RANKS.iter().map(|rank| Some(*rank))) {
            let (words, placing) = job.words_with(&map, rank, nodes);
            let Ok(mut args) = map_args(&job.line_with(&words)) else {
                continue;
            };
            args.job.network_read = on.as_ref().map(|on| on.shared());
            let Ok((plan, on)) = place(args) else {
                continue;
            };
            if plan
                .apps()
                .iter()
                .map(|app| app.procs())
                .eq(sizes.iter().copied())
            {
                let reorder = if rank.is_none() {
                    reorder(&plan)
                } else {
                    Reorder::No
                };
                let on = on.map(|on| (on, nodes));
                let policy = Policy { plan, reorder, on };
                tried.push(Tried {
                    policy,
                    words,
                    placing,
                });
            }
        }
    }
    Ok(tried)
}

/// Another launcher's line: no policies of ours would place it.
fn alone(plan: Plan, on: Option<Arc<OnNetwork>>) -> Tried {
    Tried {
        policy: Policy {
            on: on.map(|on| (on, Nodes::Asked)),
            reorder: Reorder::No,
            plan,
        },
        words: Vec::new(),
        placing: Vec::new(),
    }
}

/// Whether ranks may be reordered: only if the job has one app, and no file lists its ranks.
pub fn reorder(plan: &Plan) -> Reorder {
    let apps = plan.apps().iter().filter(|app| app.policy().is_some());
    let written = plan
        .resolved_apps()
        .policies
        .iter()
        .any(|(_, policy)| policy.map.is_listed());
    if apps.count() == 1 && !written {
        Reorder::Yes
    } else {
        Reorder::No
    }
}

/// Old options that set a map.
const fn is_old_map(meaning: Meaning) -> bool {
    matches!(
        meaning,
        Meaning::Old(
            Old::PerNode
                | Old::OnePerNode
                | Old::PerPackage
                | Old::Ppr
                | Old::ByNode
                | Old::ByCore
                | Old::BySlot
                | Old::CpuSet
                | Old::Rankfile
        )
    )
}

fn is_replaced(meaning: Meaning) -> bool {
    matches!(
        meaning,
        Meaning::MapBy
            | Meaning::RankBy
            | Meaning::BindTo
            | Meaning::RankOrder
            | Meaning::NodeOrder
    ) || is_old_map(meaning)
        || matches!(meaning, Meaning::Old(Old::BindToCore | Old::BindToPackage))
}

fn written_out(option: &OptionWords) -> Vec<String> {
    let mut words = vec![option.name.clone()];
    words.extend_from_slice(&option.values);
    words
}

impl Job {
    fn read(words: &[String], app: usize) -> Result<Self, JobError> {
        let mut line = CommandLine::read(words);
        if line.apps.is_empty() {
            line.apps.push(crate::job::words::AppWords::default());
        }
        let Some(of_app) = line.apps.get_mut(app) else {
            let sentence = format!("advise: there is no app {app} in the job");
            return Err(told("bad-pattern", sentence));
        };
        let replaced = |option: &OptionWords| option.meaning.is_some_and(is_replaced);
        let own = of_app
            .options
            .iter()
            .filter(|option| replaced(option))
            .cloned()
            .collect();
        of_app.options.retain(|option| !replaced(option));
        Ok(Self { line, app, own })
    }

    fn value(&self, meaning: Meaning) -> Option<&str> {
        let found = self
            .own
            .iter()
            .rev()
            .find(|option| option.meaning == Some(meaning))?;
        found.values.last().map(String::as_str)
    }

    fn words_of(&self, wanted: impl Fn(Meaning) -> bool) -> Vec<String> {
        let options = self
            .own
            .iter()
            .filter(|option| option.meaning.is_some_and(&wanted));
        options.flat_map(written_out).collect()
    }

    /// Values for `--map-by`: the policies with the qualifiers of the job, and the job's own value.
    fn maps(&self) -> Vec<String> {
        let own = self.value(Meaning::MapBy);
        let kept = own.map_or_else(String::new, kept_qualifiers);
        let mut maps: Vec<String> = MAPS.iter().map(|map| format!("{map}{kept}")).collect();
        for object in OBJECTS {
            maps.push(format!("{object}{kept}"));
            maps.push(format!("{object}:span{kept}"));
        }
        if let Some(own) = own.filter(|own| !maps.iter().any(|map| map == own)) {
            maps.push(own.to_owned());
        }
        maps
    }

    /// The maps to try, in the job's order of nodes; where the network has another order, also in that one.
    fn tries(&self, on: Option<&OnNetwork>) -> Vec<(Nodes, String)> {
        let turned =
            on.is_some_and(|on| !on.is_in_order()) && self.value(Meaning::NodeOrder).is_none();
        let orders = [Some(Nodes::Asked), turned.then_some(Nodes::Network)];
        let maps = |nodes| self.maps().into_iter().map(move |map| (nodes, map));
        orders.into_iter().flatten().flat_map(maps).collect()
    }

    /// The words of a policy, with and without the rank word.
    fn words_with(
        &self,
        map: &str,
        rank: Option<&str>,
        nodes: Nodes,
    ) -> (Vec<String>, Vec<String>) {
        let bind = self.words_of(|meaning| {
            matches!(
                meaning,
                Meaning::BindTo
                    | Meaning::NodeOrder
                    | Meaning::Old(Old::BindToCore | Old::BindToPackage)
            )
        });
        let mut words = vec!["--map-by".to_owned(), map.to_owned()];
        let mut placing = words.clone();
        words.extend(
            rank.into_iter()
                .flat_map(|rank| ["--rank-by".to_owned(), rank.to_owned()]),
        );
        words.extend(bind.iter().cloned());
        placing.extend(bind);
        if nodes == Nodes::Network {
            let order = ["--node-order".to_owned(), "network".to_owned()];
            words.splice(0..0, order.clone());
            placing.splice(0..0, order);
        }
        (words, placing)
    }

    /// The job with these words in place of its own.
    fn line_with(&self, words: &[String]) -> Vec<String> {
        let mut line = Vec::new();
        for (number, app) in self.line.apps.iter().enumerate() {
            if number > 0 {
                line.push(":".to_owned());
            }
            if number == self.app {
                line.extend_from_slice(words);
            }
            let one = CommandLine {
                apps: vec![app.clone()],
            };
            line.extend(one.to_words());
        }
        line
    }
}

/// The qualifiers of a map that are also valid for other maps, each after its colon.
fn kept_qualifiers(map: &str) -> String {
    let fields: Vec<&str> = map.split(':').collect();
    let policy = if fields[0].eq_ignore_ascii_case("ppr") {
        3
    } else {
        1
    };
    let of_other = |field: &&&str| {
        let word = field.to_ascii_lowercase();
        // Qualifiers that belong to certain policies only: span, ordered, file=.
        !["sp", "or", "fi"]
            .iter()
            .any(|start| word.starts_with(start))
    };
    let kept = fields.iter().skip(policy).filter(of_other);
    kept.map(|field| format!(":{field}")).collect()
}
