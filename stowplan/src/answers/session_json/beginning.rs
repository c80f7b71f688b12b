//! What a DVM begins with: its configuration, nodes and tools.

use super::keys;
use super::malformed::{DEPTH_MAX, Fault, JSON_MEMORY_MAX, Malformed};
use crate::job::json::Segment;
use serde_json::{Map, Value as Json};
use stowplan_session::{Config, FEATURES, Features, Initial, Name, SessionLimits, State};

/// The least memory that a value takes, in a list that grows by doubling.
const VALUE_BYTES: usize = 64;
/// The memory that an object with a few keys takes.
const OBJECT_BYTES: usize = 700;

/// The keys that say what a DVM begins with.
pub const FIRST_KEYS: &[&str] = &["config", "initial"];

/// Parses JSON of bounded depth, with no more values than fit into the memory limit.
///
/// # Errors
/// [`Malformed`] for text that is not JSON or is nested too deep.
pub fn json(text: &[u8]) -> Result<Json, Malformed> {
    let mut depth = 0;
    let mut memory = 0;
    let mut in_string = false;
    let mut escaped = false;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b',' => memory += VALUE_BYTES,
            b'[' | b'{' => {
                memory += if *byte == b'{' {
                    OBJECT_BYTES
                } else {
                    VALUE_BYTES
                };
                depth += 1;
                if depth > DEPTH_MAX {
                    return Err(Malformed::Depth { at });
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if memory > JSON_MEMORY_MAX {
            return Err(Malformed::Memory { at });
        }
    }
    Ok(serde_json::from_slice(text)?)
}

/// The `config` and `initial` of an object, checked together.
///
/// # Errors
/// What is wrong, and where.
pub fn beginning(object: &Map<String, Json>) -> Result<(Config, Initial), Fault> {
    let config = config(object)?;
    let initial = initial(object)?;
    State::new(config, &initial).map_err(|error| Fault::of("initial", error.to_string()))?;
    Ok((config, initial))
}

fn object_of<'j>(
    outer: &'j Map<String, Json>,
    key: &str,
) -> Result<Option<&'j Map<String, Json>>, Fault> {
    match outer.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Object(object)) => Ok(Some(object)),
        Some(_) => Err(Fault::of(key, "no object")),
    }
}

fn config(first: &Map<String, Json>) -> Result<Config, Fault> {
    let Some(object) = object_of(first, "config")? else {
        return Ok(Config::default());
    };
    keys::judge(object, &["available", "limits", "next_session_id"])
        .map_err(|fault| fault.under("config"))?;
    configured(object).map_err(|fault| fault.inside(Segment::key("config")))
}

/// The configuration of an object with known keys.
fn configured(object: &Map<String, Json>) -> Result<Config, Fault> {
    let mut config = Config::default();
    if let Some(list) = object.get("available").filter(|list| !list.is_null()) {
        config.available = features(list).map_err(|fault| fault.under("available"))?;
    }
    if let Some(given) = object_of(object, "limits")? {
        config.limits = limits(given).map_err(|fault| fault.under("limits"))?;
    }
    if let Some(json) = object.get("next_session_id").filter(|json| !json.is_null()) {
        let number = json.as_u64().and_then(|wide| u32::try_from(wide).ok());
        let wrong = || Fault::of("next_session_id", "no whole number of 32 bits");
        config.next_session_id = number.ok_or_else(wrong)?;
    }
    Ok(config)
}

/// The limits: those given, and the others by default.
fn limits(given: &Map<String, Json>) -> Result<SessionLimits, Fault> {
    let known = keys::of::<SessionLimits>();
    let wrong = |error: serde_json::Error| Fault::whole(error.to_string());
    let mut all = serde_json::to_value(SessionLimits::default()).map_err(wrong)?;
    for (key, json) in given {
        if !known.contains(&key.as_str()) {
            let meant = keys::meant(key, known);
            let what = format!("there is no limit {key:?}{meant}");
            return Err(Fault::of_name(key, what));
        }
        if !json.is_null() {
            let no_whole = || Fault::of_value(key, format!("{key:?} is no whole number"));
            all[key] = json.as_u64().ok_or_else(no_whole)?.into();
        }
    }
    serde_json::from_value(all).map_err(wrong)
}

fn features(json: &Json) -> Result<Features, Fault> {
    let list = json.as_array().ok_or_else(|| Fault::whole("no list"))?;
    let mut features = Features::none();
    for (at, json) in list.iter().enumerate() {
        let known = json
            .as_str()
            .and_then(|name| FEATURES.iter().find(|row| row.0 == name));
        let names: Vec<&str> = FEATURES.iter().map(|row| row.0).collect();
        let meant = keys::meant(json.as_str().unwrap_or_default(), &names);
        let unknown = || {
            let fault = Fault::whole(format!("there is no attribute {json}{meant}"));
            fault.inside(Segment::Row(at))
        };
        let row = known.ok_or_else(unknown)?;
        features = features.with(row.1);
    }
    Ok(features)
}

fn initial(first: &Map<String, Json>) -> Result<Initial, Fault> {
    let Some(object) = object_of(first, "initial")? else {
        return Ok(Initial::default());
    };
    there_at_first(object).map_err(|fault| fault.under("initial"))
}

/// The nodes and tools of an object.
fn there_at_first(object: &Map<String, Json>) -> Result<Initial, Fault> {
    keys::judge(object, &["nodes", "tools", "scheduler"])?;
    let scheduler = match object.get("scheduler") {
        None | Some(Json::Null) => None,
        Some(Json::String(name)) => Some(Name::new(name)),
        Some(_) => {
            let what = "\"scheduler\" is no name";
            return Err(Fault::of_value("scheduler", what));
        }
    };
    Ok(Initial {
        nodes: names(object, "nodes")?,
        tools: names(object, "tools")?,
        scheduler,
    })
}

/// The names that a key lists.
fn names(object: &Map<String, Json>, key: &str) -> Result<Vec<Name>, Fault> {
    let list = match object.get(key) {
        None | Some(Json::Null) => return Ok(Vec::new()),
        Some(json) => json.as_array(),
    };
    let list = list.ok_or_else(|| Fault::of_value(key, format!("{key:?} is no list")))?;
    let name = |(at, json): (usize, &Json)| {
        let wrong = || {
            let fault = Fault::whole(format!("{json} among {key:?} is no name"));
            fault.inside(Segment::Row(at)).inside(Segment::key(key))
        };
        json.as_str().map(Name::new).ok_or_else(wrong)
    };
    list.iter().enumerate().map(name).collect()
}
