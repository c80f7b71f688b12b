//! Why a rank is where it is, and the smallest change of words that would move it.

// One option added or changed.
pub mod change;
// The sentences.
mod why;
// The sentence on GPUs.
mod gpus;
// The names of devices that a rank is mapped to.
mod devices;
// Other words, and the plans they give.
pub mod instead;
// The job of a saved plan, rebuilt from its tables.
mod again;
// Host lists with other slots.
mod host_slots;
// What a refused job lacks.
pub mod refused;
// The lines below a refusal.
pub mod remedies;
// The same for requests.
pub mod in_keys;

use crate::answers::diff::cause::{Given, given, in_words};
use crate::answers::policy;
use crate::answers::row::{Row, Rows};
use crate::launchers::script::shell;
use instead::{Alternatives, Instead};
use serde::Serialize;
use stowplan_engine::count::Rank;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::plan::Plan;
use stowplan_engine::spawn::keys;
use stowplan_engine::spawn::request::owner;
use stowplan_engine::stage::resolve::Decided;
use stowplan_engine::table::apps::AppId;

/// The most ranks that are explained at once.
pub const RANKS_MAX: u64 = 1 << 12;

/// A policy word that decided where a rank is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Word {
    /// The option, such as `--map-by`.
    pub option: &'static str,
    /// Its value in canonical form.
    pub value: String,
    /// Where it came from: `app`, `job`, `parent` or `default`.
    pub from: &'static str,
    /// The rule of a default.
    pub rule: Option<&'static str>,
}

/// Why a rank is where it is. As JSON: the keys of `ndjson`, then those below.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Explained {
    /// The columns of a line of `tsv`.
    #[serde(flatten)]
    pub row: Row,
    /// The GPUs that the rank is given, as a list of visible numbers; `None`: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpus: Option<String>,
    /// The words that decided where the rank is.
    pub words: Vec<Word>,
    /// How these words led there.
    pub why: Vec<String>,
    /// What would move the rank.
    pub instead: Option<Instead>,
}

/// Explains a rank; `None`: the plan has no such rank.
///
/// Cost: the runs of the rank's app, and plans of other words until one moves the rank. Each of these is planned once for all
/// ranks asked about.
#[must_use]
pub fn explain(plan: &Plan, rank: Rank, others: &Alternatives<'_>) -> Option<Explained> {
    let row = Rows::new(plan).row(rank)?;
    Some(Explained {
        words: words(plan, plan.locate(rank)?.app),
        gpus: gpus::given(plan, rank),
        why: why::sentences(plan, rank, &row),
        instead: others.instead(&row),
        row,
    })
}

/// The policy words of an app.
#[must_use]
pub fn words(plan: &Plan, app: AppId) -> Vec<Word> {
    given(plan, app).into_iter().map(Word::new).collect()
}

/// The policy words of an app of a job that is not placed. A default binding that depends on the size of the job is `by-size` until all
/// counts are known.
#[must_use]
pub fn words_of_job(decided: &Decided, app: AppId) -> Vec<Word> {
    let given = policies(decided, app).unwrap_or_default();
    given.into_iter().map(Word::new).collect()
}

fn policies(decided: &Decided, app: AppId) -> Option<Vec<Given>> {
    let own = decided.policy(app)?;
    let origins = (*decided.apps().origins.get(app)?)?;
    let attributes = decided.request().attributes();
    let file = [
        (owner(app), keys::APP_MAP_FILE),
        (Owner::Job, keys::JOB_FILE),
    ];
    let file = file
        .into_iter()
        .filter(|_| own.map.is_listed())
        .find_map(|(owner, key)| attributes.string(owner, key));
    Some(in_words(decided.apps(), &own, origins, (app, file)))
}

impl Word {
    fn new((option, value, origin): Given) -> Self {
        let (from, rule) = policy::origin(origin);
        Self {
            option,
            value,
            from,
            rule,
        }
    }
}

impl Explained {
    /// A page for people.
    #[must_use]
    pub fn page(&self) -> Vec<String> {
        let row = &self.row;
        let or = |text: &Option<String>, none: &str| text.clone().unwrap_or_else(|| none.into());
        let mut lines = vec![format!(
            "rank {}  node {}  local rank {}  object {}  cpus {}",
            row.rank,
            row.node,
            row.local_rank,
            or(&row.object, "-"),
            or(&row.cpus, "-")
        )];
        if let (Some(gpus), Some(head)) = (&self.gpus, lines.first_mut()) {
            *head += &format!("  gpus {gpus}");
        }
        lines.extend(self.why.iter().map(|sentence| format!("  {sentence}")));
        match &self.instead {
            Some(other) => {
                lines.push(format!(
                    "  instead  {}: node {}, local rank {}, cpus {}",
                    other.change,
                    other.node,
                    other.local_rank,
                    or(&other.cpus, "-")
                ));
                if let Some(words) = &other.words {
                    lines.push(format!("    stowplan map {}", shell(words)));
                }
            }
            None if self.words.is_empty() => {}
            None => lines.push("  no other map, rank or bind word moves it".to_owned()),
        }
        lines
    }
}
