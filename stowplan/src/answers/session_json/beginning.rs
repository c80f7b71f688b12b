//! What a DVM begins with: its configuration, nodes and tools.

use super::keys;
use super::malformed::{DEPTH_MAX, JSON_MEMORY_MAX, Malformed};
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

/// Where something is wrong, and what.
pub type Place = (&'static str, String);

/// The `config` and `initial` of an object, checked together.
///
/// # Errors
/// What is wrong, and where.
pub fn beginning(object: &Map<String, Json>) -> Result<(Config, Initial), Place> {
    let config = config(object.get("config"))?;
    let initial = initial(object.get("initial"))?;
    State::new(config, &initial).map_err(|error| ("\"initial\"", error.to_string()))?;
    Ok((config, initial))
}

fn object_of<'j>(
    json: Option<&'j Json>,
    place: &'static str,
) -> Result<Option<&'j Map<String, Json>>, Place> {
    match json {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Object(object)) => Ok(Some(object)),
        Some(_) => Err((place, "no object".to_owned())),
    }
}

fn config(json: Option<&Json>) -> Result<Config, Place> {
    let mut config = Config::default();
    let Some(object) = object_of(json, "\"config\"")? else {
        return Ok(config);
    };
    keys::judge(object, &["available", "limits", "next_session_id"])
        .map_err(|what| ("\"config\"", what))?;
    if let Some(list) = object.get("available").filter(|list| !list.is_null()) {
        config.available = features(list)?;
    }
    if let Some(given) = object_of(object.get("limits"), "\"limits\"")? {
        config.limits = limits(given).map_err(|what| ("\"limits\"", what))?;
    }
    if let Some(json) = object.get("next_session_id").filter(|json| !json.is_null()) {
        let number = json.as_u64().and_then(|wide| u32::try_from(wide).ok());
        let wrong = || {
            (
                "\"next_session_id\"",
                "no whole number of 32 bits".to_owned(),
            )
        };
        config.next_session_id = number.ok_or_else(wrong)?;
    }
    Ok(config)
}

/// The limits: those given, and the others by default.
fn limits(given: &Map<String, Json>) -> Result<SessionLimits, String> {
    let known = keys::of::<SessionLimits>();
    let mut all =
        serde_json::to_value(SessionLimits::default()).map_err(|error| error.to_string())?;
    for (key, json) in given {
        if !known.contains(&key.as_str()) {
            let meant = keys::meant(key, known);
            return Err(format!("there is no limit {key:?}{meant}"));
        }
        if !json.is_null() {
            let whole = json.as_u64();
            all[key] = whole
                .ok_or_else(|| format!("{key:?} is no whole number"))?
                .into();
        }
    }
    serde_json::from_value(all).map_err(|error| error.to_string())
}

fn features(json: &Json) -> Result<Features, Place> {
    let place = "\"available\"";
    let list = json
        .as_array()
        .ok_or_else(|| (place, "no list".to_owned()))?;
    let mut features = Features::none();
    for json in list {
        let known = json
            .as_str()
            .and_then(|name| FEATURES.iter().find(|row| row.0 == name));
        let names: Vec<&str> = FEATURES.iter().map(|row| row.0).collect();
        let meant = keys::meant(json.as_str().unwrap_or_default(), &names);
        let row = known.ok_or_else(|| (place, format!("there is no attribute {json}{meant}")))?;
        features = features.with(row.1);
    }
    Ok(features)
}

fn initial(json: Option<&Json>) -> Result<Initial, Place> {
    let place = "\"initial\"";
    let Some(object) = object_of(json, place)? else {
        return Ok(Initial::default());
    };
    keys::judge(object, &["nodes", "tools", "scheduler"]).map_err(|what| (place, what))?;
    let names = |key: &str| -> Result<Vec<Name>, Place> {
        let list = match object.get(key) {
            None | Some(Json::Null) => return Ok(Vec::new()),
            Some(json) => json.as_array(),
        };
        let list = list.ok_or_else(|| (place, format!("{key:?} is no list")))?;
        let name = |json: &Json| {
            json.as_str()
                .map(Name::new)
                .ok_or_else(|| (place, format!("{json} among {key:?} is no name")))
        };
        list.iter().map(name).collect()
    };
    let scheduler = match object.get("scheduler") {
        None | Some(Json::Null) => None,
        Some(Json::String(name)) => Some(Name::new(name)),
        Some(_) => return Err((place, "\"scheduler\" is no name".to_owned())),
    };
    Ok(Initial {
        nodes: names("nodes")?,
        tools: names("tools")?,
        scheduler,
    })
}
