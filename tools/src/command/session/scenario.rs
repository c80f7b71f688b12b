//! Scenario files: how a DVM is started, and what happens to it.

use serde_json::{Map, Value as Json};
use stowplan::answers::session_json::beginning::{beginning, json};
use stowplan::answers::session_json::malformed::{Fault, Malformed};
use stowplan::answers::session_json::{event_json, keys};
use stowplan::job::json::Segment;
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
    let Json::Object(mut object) = json(text)? else {
        return Err(Fault::whole("the file: no JSON object").into());
    };
    let Some(list) = object.remove("scenarios").filter(|list| !list.is_null()) else {
        return Ok(vec![scenario(object)?]);
    };
    keys::judge(&object, FILE_KEYS).map_err(|fault| fault.said_of("the file"))?;
    if object.get("version").and_then(Json::as_u64) != Some(1) {
        return Err(Fault::of_value("version", "the file: \"version\" is not 1").into());
    }
    let Json::Array(list) = list else {
        return Err(Fault::of_value("scenarios", "the file: \"scenarios\" is no list").into());
    };
    let one = |(at, json)| {
        let read = match json {
            Json::Object(object) => scenario(object),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
                Err(Fault::whole("the file: a scenario is no object"))
            }
        };
        let placed = |fault: Fault| {
            fault
                .inside(Segment::Row(at))
                .inside(Segment::key("scenarios"))
        };
        Ok(read.map_err(placed)?)
    };
    list.into_iter().enumerate().map(one).collect()
}

fn scenario(mut object: Map<String, Json>) -> Result<Scenario, Fault> {
    let name = match object.remove("name") {
        None | Some(Json::Null) => String::new(),
        Some(Json::String(name)) => name,
        Some(_) => return Err(Fault::of_value("name", "\"name\": no string")),
    };
    content(&name, object).map_err(|fault| match name.as_str() {
        "" => fault,
        named => fault.said_of(&format!("scenario {named:?}")),
    })
}

/// What a scenario says besides its name.
fn content(name: &str, mut object: Map<String, Json>) -> Result<Scenario, Fault> {
    keys::judge(&object, SCENARIO_KEYS)?;
    let (config, initial) = beginning(&object)?;
    let Some(Json::Array(steps)) = object.remove("steps") else {
        return Err(Fault::of_value("steps", "\"steps\": no list"));
    };
    for (at, step) in steps.iter().enumerate() {
        event_json::event(step).map_err(|fault| {
            let fault = fault.said_of(&format!("step {}", at + 1));
            fault.inside(Segment::Row(at)).inside(Segment::key("steps"))
        })?;
    }
    let last = object.remove("final").filter(|last| !last.is_null());
    keys::judge_state(last.as_ref().unwrap_or(&Json::Null))
        .map_err(|fault| fault.inside(Segment::key("final")))?;
    Ok(Scenario {
        name: name.to_owned(),
        config,
        initial,
        steps,
        last,
    })
}
