//! Spawn requests that would work in place of one without room, in the request's own keys.
//!
//! The request is told as a command line, so that the same changes are tried as for `map`. Each change is made in the request,
//! and the request is planned, before it is shown.

use super::remedies::{Remedy, remedies};
use crate::job::args::{JobArgs, MapArgs};
use crate::job::error::{self, JobError};
use crate::job::options::{Meaning, written};
use crate::job::request::read_request;
use crate::job::words::CommandLine;
use serde_json::{Map, Value};
use stowplan_engine::plan::Plan;

/// The keys that are told as options. Requests with others are not changed.
const KEYS: &[(&str, Meaning, &str)] = &[
    ("PMIX_HOST", Meaning::Host, "host"),
    ("PMIX_HOSTFILE", Meaning::Hostfile, "hostfile"),
    ("PMIX_MAPBY", Meaning::MapBy, "map-by"),
    ("PMIX_RANKBY", Meaning::RankBy, "rank-by"),
    ("PMIX_BINDTO", Meaning::BindTo, "bind-to"),
];

/// Plans a request that was read.
pub type PlanningRequest<'p> = dyn Fn(MapArgs) -> Result<Plan, JobError> + 'p;

/// Changes that would make a refused request work, as the members of the request that they set. Empty where [`remedies`] is, and
/// for a request with keys that are not told as options. `job`: the options beside the request.
///
/// Cost: as [`remedies`].
#[must_use]
pub fn in_keys(
    request: &[u8],
    job: &JobArgs,
    error: &JobError,
    planning: &PlanningRequest<'_>,
) -> Vec<String> {
    told(request, job, error, planning).unwrap_or_default()
}

fn told(
    request: &[u8],
    job: &JobArgs,
    error: &JobError,
    planning: &PlanningRequest<'_>,
) -> Option<Vec<String>> {
    let request: Value = serde_json::from_slice(request).ok()?;
    let words = words(&request)?;
    let found = remedies(&words, error, &|words| {
        let changed = changed(&request, words).ok_or_else(unchanged)?;
        let read = read_request("request", changed.to_string().as_bytes())?;
        planning(MapArgs {
            job: job.clone(),
            taken: read.taken,
            parent: read.parent,
        })
    });
    let told = found.iter().map(|remedy| members(&request, remedy));
    Some(told.collect())
}

/// The request as the words of a job; `None` if it has keys that are not told as options.
fn words(request: &Value) -> Option<Vec<String>> {
    let request = request.as_object()?;
    if request
        .get("parent")
        .is_some_and(|parent| !parent.is_null())
    {
        return None;
    }
    let mut words: Vec<String> = Vec::new();
    let job = info(request.get("job_info"))?;
    for (number, app) in request.get("apps")?.as_array()?.iter().enumerate() {
        if number > 0 {
            words.push(":".to_owned());
        } else {
            say(&job, &mut words)?;
        }
        let app = app.as_object()?;
        if let Some(procs) = app
            .get("maxprocs")
            .and_then(Value::as_u64)
            .filter(|&procs| procs > 0)
        {
            words.extend(["-n".to_owned(), procs.to_string()]);
        }
        say(&info(app.get("info"))?, &mut words)?;
        words.push("program".to_owned());
    }
    let line = CommandLine::read(&words);
    let once = line.apps.iter().all(|app| {
        KEYS.iter().all(|(_, meaning, _)| {
            app.options
                .iter()
                .filter(|option| option.meaning == Some(*meaning))
                .count()
                < 2
        })
    });
    once.then_some(words)
}

fn info(value: Option<&Value>) -> Option<Map<String, Value>> {
    match value {
        None | Some(Value::Null) => Some(Map::new()),
        Some(Value::Object(info)) => Some(info.clone()),
        Some(_) => None,
    }
}

fn say(info: &Map<String, Value>, words: &mut Vec<String>) -> Option<()> {
    for (key, value) in info {
        let (_, _, option) = KEYS.iter().find(|(name, ..)| is_key(name, key))?;
        words.extend([written(option), value.as_str()?.to_owned()]);
    }
    Some(())
}

/// Whether a key of a request is this one, in one of its spellings.
fn is_key(name: &str, key: &str) -> bool {
    let bare = |word: &str| {
        let word = word.to_ascii_lowercase().replace(['_', '.'], "");
        word.strip_prefix("pmix")
            .map_or(word.clone(), str::to_owned)
    };
    bare(name) == bare(key)
}

/// The request with what these words say.
fn changed(request: &Value, words: &[String]) -> Option<Value> {
    let mut request = request.clone();
    let line = CommandLine::read(words);
    for (app, own) in line.apps.iter().enumerate() {
        if let Some(procs) = own.value(Meaning::Np) {
            let procs: u64 = procs.parse().ok()?;
            request["apps"][app]["maxprocs"] = procs.into();
        }
        for (_, meaning, _) in KEYS {
            if let Some(value) = own.value(*meaning) {
                let place = place(&request, app, *meaning);
                place.set(&mut request, value);
            }
        }
    }
    Some(request)
}

/// Where a key stands, or would stand.
struct Place {
    /// `None`: in the job's info.
    app: Option<usize>,
    key: String,
}

fn place(request: &Value, app: usize, meaning: Meaning) -> Place {
    let row = KEYS.iter().find(|(_, own, _)| *own == meaning);
    let name = row.map_or("PMIX_MAPBY", |(name, ..)| *name);
    let known = |info: &Value| {
        let mut keys = info.as_object()?.keys();
        keys.find(|key| is_key(name, key)).cloned()
    };
    if let Some(key) = known(&request["apps"][app]["info"]) {
        return Place {
            app: Some(app),
            key,
        };
    }
    let of_app = app > 0 || matches!(meaning, Meaning::Host | Meaning::Hostfile);
    let key = known(&request["job_info"]).filter(|_| !of_app);
    Place {
        app: of_app.then_some(app),
        key: key.unwrap_or_else(|| name.to_owned()),
    }
}

impl Place {
    fn set(&self, request: &mut Value, value: &str) {
        let info = match self.app {
            Some(app) => &mut request["apps"][app]["info"],
            None => &mut request["job_info"],
        };
        if !info.is_object() {
            *info = Value::Object(Map::new());
        }
        info[&self.key] = value.into();
    }
}

/// A remedy as the members of the request that it sets.
fn members(request: &Value, remedy: &Remedy) -> String {
    let each = remedy.set.iter().map(|(meaning, value)| {
        let app = remedy.app;
        if *meaning == Meaning::Np {
            return format!("apps[{app}].maxprocs = {value}");
        }
        let Place { app, key } = place(request, app, *meaning);
        let value = Value::from(value.as_str());
        match app {
            Some(app) => format!("apps[{app}].info.{key} = {value}"),
            None => format!("job_info.{key} = {value}"),
        }
    });
    let each: Vec<String> = each.collect();
    format!("{}{}", remedy.lead, each.join(", "))
}

fn unchanged() -> JobError {
    error::told("internal", "the request cannot be changed so")
}
