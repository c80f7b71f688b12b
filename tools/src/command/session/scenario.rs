//! Scenario files: how a DVM is started, and what happens to it.

use serde_json::{Map, Value as Json};
use stowplan::answers::session_json::beginning::{beginning, json};
use stowplan::answers::session_json::malformed::Malformed;
use stowplan::answers::session_json::{event_json, keys};
use stowplan_session::{Config, Initial};

/// One scenario, with every step checked.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// The configuration of the DVM.
    pub config: Config,
    /// What exists at the beginning.
    pub initial: Initial,
    /// The steps, as written.
    pub steps: Vec<Json>,
    /// The keys of the final state that are expected.
    pub last: Option<Json>,
}

/// The keys of a file with several scenarios, besides those below.
const FILE_KEYS: &[&str] = &["version", "scenarios", "name", "covers", "note"];
/// The keys of a scenario.
const SCENARIO_KEYS: &[&str] = &[
    "name", "version", "covers", "note", "config", "initial", "steps", "final",
];
/// Reads a scenario file: one scenario, or a versioned list of them.
///
/// # Errors
/// [`Malformed`], before any step is run.
pub fn read(text: &[u8]) -> Result<Vec<Scenario>, Malformed> {
    let document = json(text)?;
    let Json::Object(mut object) = document else {
        return Err(at("", "the file", "no JSON object"));
    };
    let Some(list) = object.remove("scenarios").filter(|list| !list.is_null()) else {
        return Ok(vec![scenario(object)?]);
    };
    keys::judge(&object, FILE_KEYS).map_err(|what| at("", "the file", &what))?;
    if object.get("version").and_then(Json::as_u64) != Some(1) {
        return Err(at("", "the file", "\"version\" is not 1"));
    }
    let Json::Array(list) = list else {
        return Err(at("", "the file", "\"scenarios\" is no list"));
    };
    let one = |json| match json {
        Json::Object(object) => scenario(object),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
            Err(at("", "the file", "a scenario is no object"))
        }
    };
    list.into_iter().map(one).collect()
}

fn at(name: &str, place: &str, what: &str) -> Malformed {
    Malformed::At {
        name: name.to_owned(),
        place: place.to_owned(),
        what: what.to_owned(),
    }
}

fn scenario(mut object: Map<String, Json>) -> Result<Scenario, Malformed> {
    let name = match object.remove("name") {
        None | Some(Json::Null) => String::new(),
        Some(Json::String(name)) => name,
        Some(_) => return Err(at("", "\"name\"", "no string")),
    };
    keys::judge(&object, SCENARIO_KEYS).map_err(|what| at(&name, "the scenario", &what))?;
    let (config, initial) = beginning(&object).map_err(|(place, what)| at(&name, place, &what))?;
    let Some(Json::Array(steps)) = object.remove("steps") else {
        return Err(at(&name, "\"steps\"", "no list"));
    };
    for (number, step) in steps.iter().enumerate() {
        if let Err(error) = event_json::event(step) {
            return Err(at(
                &name,
                &format!("step {}", number + 1),
                &error.to_string(),
            ));
        }
    }
    let last = object.remove("final").filter(|last| !last.is_null());
    keys::judge_state(last.as_ref().unwrap_or(&Json::Null))
        .map_err(|what| at(&name, "\"final\"", &what))?;
    Ok(Scenario {
        name,
        config,
        initial,
        steps,
        last,
    })
}
